// Gives the fields of a directory their values by the setters of kyaml, whose comments kpt 0 wrote as
// `# {"$openapi":"tag"}`, and Flux writes as `# {"$imagepolicy": "flux-system:web"}`.
//
// Usage: setters-oracle MARK DIRECTORY NAME=VALUE..., in which MARK is `$openapi` or `$imagepolicy`.
package main

import (
	"fmt"
	"os"
	"strings"

	"k8s.io/kube-openapi/pkg/validation/spec"
	"sigs.k8s.io/kustomize/kyaml/fieldmeta"
	"sigs.k8s.io/kustomize/kyaml/kio"
	"sigs.k8s.io/kustomize/kyaml/setters2"
)

func main() {
	fieldmeta.SetShortHandRef(os.Args[1])
	files := &kio.LocalPackageReadWriter{PackagePath: os.Args[2], PreserveSeqIndent: true}
	filter := setters2.SetAll(&setters2.Set{SetAll: true, SettersSchema: schema(os.Args[3:])})
	pipeline := kio.Pipeline{Inputs: []kio.Reader{files}, Filters: []kio.Filter{filter}, Outputs: []kio.Writer{files}}
	if err := pipeline.Execute(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// schema returns the definitions of the setters, as a Krmfile has them.
func schema(values []string) *spec.Schema {
	definitions := spec.Definitions{}
	for _, pair := range values {
		name, value, _ := strings.Cut(pair, "=")
		var setter spec.Schema
		setter.AddExtension("x-k8s-cli", map[string]any{"setter": map[string]string{"name": name, "value": value}})
		definitions[fieldmeta.SetterDefinitionPrefix+name] = setter
	}
	return &spec.Schema{SchemaProps: spec.SchemaProps{Definitions: definitions}}
}
