// A small KRM function on kyaml, Go's library for them, as a peer of `make bench-peers`:
//
//	kyaml set NAME=VALUE      gives each scalar behind which `# kpt-set: TEXT` stands that text, ${NAME} replaced
//	kyaml label NAME=VALUE    gives each resource a label
//
// Reading and writing are kyaml's own, as in every function that is built on it.
package main

import (
	"fmt"
	"os"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/fn/framework"
	"sigs.k8s.io/kustomize/kyaml/kio"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

const mark = "# kpt-set: "

func main() {
	name, value, _ := strings.Cut(os.Args[2], "=")
	change := map[string]func(*yaml.RNode) error{
		"set":   func(item *yaml.RNode) error { set(item.YNode(), "${"+name+"}", value); return nil },
		"label": func(item *yaml.RNode) error { return item.PipeE(yaml.SetLabel(name, value)) },
	}[os.Args[1]]
	process := framework.ResourceListProcessorFunc(func(list *framework.ResourceList) error {
		for _, item := range list.Items {
			if err := change(item); err != nil {
				return err
			}
		}
		return nil
	})
	if err := framework.Execute(process, &kio.ByteReadWriter{Reader: os.Stdin, Writer: os.Stdout}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func set(node *yaml.Node, reference string, value string) {
	if node.Kind == yaml.ScalarNode && strings.HasPrefix(node.LineComment, mark) {
		node.Value = strings.ReplaceAll(strings.TrimPrefix(node.LineComment, mark), reference, value)
	}
	for _, kid := range node.Content {
		set(kid, reference, value)
	}
}
