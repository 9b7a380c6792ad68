package main

import (
	_ "embed"
	"fmt"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"sigs.k8s.io/yaml"

	"manifest-oracle/argocd/plugin"
)

//go:embed argocd/application-crd.yaml
var applications []byte

// pluginFile reads the file of a config management plugin as Argo CD's sidecar does, but without unknown fields.
func pluginFile(arguments []string) error {
	var made plugin.PluginConfig
	if err := read(arguments[0], &made); err != nil {
		return err
	}
	return plugin.ValidatePluginConfig(made)
}

// application checks an Application as an API server does by Argo CD's own definition, but without unknown fields.
func application(arguments []string) error {
	var definition apiextensionsv1.CustomResourceDefinition
	if err := yaml.Unmarshal(applications, &definition); err != nil {
		return err
	}
	given := definition.Spec.Versions[0].Schema.OpenAPIV3Schema
	var props apiextensions.JSONSchemaProps
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(given, &props, nil); err != nil {
		return err
	}
	structural, err := schema.NewStructural(&props)
	if err != nil {
		return err
	}
	validator, _, err := validation.NewSchemaValidator(&props)
	if err != nil {
		return err
	}
	var made map[string]any
	if err := read(arguments[0], &made); err != nil {
		return err
	}
	options := schema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true}
	for _, path := range pruning.PruneWithOptions(made, structural, true, options) {
		return fmt.Errorf("unknown field %q", path)
	}
	return validation.ValidateCustomResource(nil, made, validator).ToAggregate()
}
