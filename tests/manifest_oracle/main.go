// Manifest-oracle says what the programs that read our manifests make of them, by those programs' own Go types and checks.
//
//	manifest-oracle job|task|pipeline|plugin|application FILE   nothing, or what is wrong
//	manifest-oracle definition FILE CONFIG                      checks CONFIG by the schema of a KRMFunctionDefinition
//	manifest-oracle kyaml FILE                                  the documents of a file as KYAML
//	manifest-oracle flux DIRECTORY KUSTOMIZATION                what Flux would apply of a directory, by a Kustomization of its own
package main

import (
	"fmt"
	"os"

	"sigs.k8s.io/yaml"
	"sigs.k8s.io/yaml/kyaml"
)

var programs = map[string]func(arguments []string) error{
	"job": job, "task": task, "pipeline": pipeline, "plugin": pluginFile, "application": application,
	"definition": definition, "flux": flux, "kyaml": inKYAML,
}

func main() {
	if err := programs[os.Args[1]](os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// read decodes a file, in which no field may be unknown.
func read(path string, into any) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return yaml.UnmarshalStrict(data, into)
}

func inKYAML(arguments []string) error {
	file, err := os.Open(arguments[0])
	if err != nil {
		return err
	}
	return (&kyaml.Encoder{}).FromYAML(file, os.Stdout)
}
