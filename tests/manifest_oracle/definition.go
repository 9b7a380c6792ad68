package main

import (
	"os"

	"k8s.io/kube-openapi/pkg/validation/strfmt"
	"k8s.io/kube-openapi/pkg/validation/validate"
	"sigs.k8s.io/kustomize/kyaml/fn/framework"
	"sigs.k8s.io/kustomize/kyaml/resid"
)

// definition checks a functionConfig by the schema that a KRMFunctionDefinition has for its version.
func definition(arguments []string) error {
	var made framework.KRMFunctionDefinition
	if err := read(arguments[0], &made); err != nil {
		return err
	}
	text, err := os.ReadFile(arguments[0])
	if err != nil {
		return err
	}
	gvk := resid.NewGvk(made.Spec.Group, made.Spec.Versions[0].Name, made.Spec.Names.Kind)
	schema, err := framework.SchemaFromFunctionDefinition(gvk, string(text))
	if err != nil {
		return err
	}
	var config map[string]any
	if err := read(arguments[1], &config); err != nil {
		return err
	}
	return validate.AgainstSchema(schema, config, strfmt.Default)
}
