// Extract copies the functions of the kubelet that make a container's environment out of the module k8s.io/kubernetes.
//
// They are methods of a type that needs a whole node, so that they cannot be imported. Each is found by its name and
// copied word for word into the program that is built beside it; what the method asks its node for is in that program.
//
//	go run ./extract <folder of the module> <folder of the program>
package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"log"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strconv"
)

// A source is a file of the kubelet and what is taken from it.
type source struct {
	from, to, pkg string
	names         []string
}

var sources = []source{
	{"pkg/kubelet/kubelet_pods.go", "kubelet_pods.go", "main", []string{
		"masterServices", "getServiceEnvVarMap", "makeEnvironmentVariables", "podFieldSelectorRuntimeValue",
		"containerResourceRuntimeValue", "sortPodIPs",
	}},
	{"pkg/kubelet/kubelet_resources.go", "kubelet_resources.go", "main", []string{"defaultPodLimitsForDownwardAPI"}},
	{"pkg/kubelet/container/helpers.go", "kubecontainer/helpers.go", "kubecontainer", []string{
		"envVarsToMap", "v1EnvVarsToMap", "ExpandContainerCommandOnlyStatic", "ExpandContainerVolumeMounts",
		"ExpandContainerCommandAndArgs",
	}},
	{"pkg/kubelet/container/runtime.go", "kubecontainer/runtime.go", "kubecontainer", []string{"EnvVar", "VolumeMap"}},
}

// These packages would link container runtimes and volume drivers. The program has the few names that are used.
var replaced = map[string]string{
	"k8s.io/kubernetes/pkg/kubelet/container": "kubelet-oracle/kubecontainer",
	"k8s.io/kubernetes/pkg/kubelet/types":     "kubelet-oracle/kubetypes",
	"k8s.io/kubernetes/pkg/volume/util":       "kubelet-oracle/volumeutil",
}

func main() {
	log.SetFlags(0)
	for _, one := range sources {
		text, err := one.extract(os.Args[1])
		if err != nil {
			log.Fatalf("%s: %v", one.from, err)
		}
		if err := os.WriteFile(filepath.Join(os.Args[2], one.to), text, 0o644); err != nil {
			log.Fatal(err)
		}
	}
}

func (s source) extract(module string) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(module, s.from))
	if err != nil {
		return nil, err
	}
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, s.from, text, 0)
	if err != nil {
		return nil, err
	}
	offset := func(at token.Pos) int { return files.Position(at).Offset }
	var body bytes.Buffer
	var found []string
	used := map[string]bool{}
	for _, decl := range file.Decls {
		name := nameOf(decl)
		if !slices.Contains(s.names, name) {
			continue
		}
		found = append(found, name)
		qualifiers(decl, used)
		whole := text[offset(decl.Pos()):offset(decl.End())]
		if name == "getServiceEnvVarMap" {
			if whole, err = inOrder(decl, whole); err != nil {
				return nil, err
			}
		}
		fmt.Fprintf(&body, "\n%s\n", whole)
	}
	if len(found) != len(s.names) {
		return nil, fmt.Errorf("has %q, not %q: has the kubelet changed?", found, s.names)
	}
	return format.Source(slices.Concat(s.head(file, used), body.Bytes()))
}

// nameOf returns the name of a function, or of a variable or type that is declared alone.
func nameOf(decl ast.Decl) string {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		return decl.Name.Name
	case *ast.GenDecl:
		switch spec := decl.Specs[0].(type) {
		case *ast.TypeSpec:
			return spec.Name.Name
		case *ast.ValueSpec:
			return spec.Names[0].Name
		}
	}
	return ""
}

// qualifiers adds each X of an X.Y in a declaration that no variable is called: the parser resolves those.
func qualifiers(decl ast.Decl, used map[string]bool) {
	ast.Inspect(decl, func(node ast.Node) bool {
		if selector, ok := node.(*ast.SelectorExpr); ok {
			if left, ok := selector.X.(*ast.Ident); ok && left.Obj == nil {
				used[left.Name] = true
			}
		}
		return true
	})
}

var version = regexp.MustCompile(`/v[0-9]+$`)

// head returns the package clause and the imports of the original that are used.
func (s source) head(file *ast.File, used map[string]bool) []byte {
	var lines []string
	for _, spec := range file.Imports {
		where, _ := strconv.Unquote(spec.Path.Value)
		name := path.Base(version.ReplaceAllString(where, ""))
		if spec.Name != nil {
			name = spec.Name.Name
		}
		if instead, ok := replaced[where]; ok {
			where = instead
		}
		if used[name] {
			lines = append(lines, fmt.Sprintf("import %s %q\n", name, where))
		}
	}
	sort.Strings(lines)
	return fmt.Appendf(nil, "package %s\n\n%s", s.pkg, bytes.Join(asBytes(lines), nil))
}

func asBytes(lines []string) [][]byte {
	var all [][]byte
	for _, line := range lines {
		all = append(all, []byte(line))
	}
	return all
}

// inOrder makes the one loop whose order is chance, over a map of Services, follow the order that a world states.
// A comparison of two runs would otherwise compare two throws of a coin wherever Services clash.
func inOrder(decl ast.Decl, whole []byte) ([]byte, error) {
	var loops []*ast.RangeStmt
	ast.Inspect(decl, func(node ast.Node) bool {
		if loop, ok := node.(*ast.RangeStmt); ok {
			if over, ok := loop.X.(*ast.Ident); ok && over.Name == "serviceMap" && loop.Value == nil {
				loops = append(loops, loop)
			}
		}
		return true
	})
	if len(loops) != 1 {
		return nil, fmt.Errorf("getServiceEnvVarMap has %d loops over the names in serviceMap, not one", len(loops))
	}
	start, end := loops[0].Key.Pos()-decl.Pos(), loops[0].X.End()-decl.Pos()
	return slices.Concat(whole[:start], []byte("_, key := range kl.inOrder(serviceMap)"), whole[end:]), nil
}
