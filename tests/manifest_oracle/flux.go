package main

import (
	"context"
	"fmt"

	kustomize "github.com/fluxcd/pkg/kustomize"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// flux prints what the kustomize-controller would apply: it makes a kustomization where there is none, builds it, and
// replaces variables as strictly as it does since 2.9.
func flux(arguments []string) error {
	directory := arguments[0]
	var given unstructured.Unstructured
	if err := read(arguments[1], &given.Object); err != nil {
		return err
	}
	if _, err := kustomize.NewGenerator(directory, given).WriteFile(directory); err != nil {
		return err
	}
	built, err := kustomize.SecureBuild(directory, directory, false)
	if err != nil {
		return err
	}
	_, substitutes, err := unstructured.NestedMap(given.Object, "spec", "postBuild")
	if err != nil {
		return err
	}
	for _, one := range built.Resources() {
		if substitutes {
			strict := []kustomize.SubstituteOption{kustomize.SubstituteWithDryRun(true), kustomize.SubstituteWithStrict(true)}
			changed, err := kustomize.SubstituteVariables(context.Background(), nil, given, one, strict...)
			if err != nil {
				return err
			}
			if changed != nil {
				one.ResetRNode(changed)
			}
		}
		text, err := one.AsYAML()
		if err != nil {
			return err
		}
		fmt.Printf("---\n%s", text)
	}
	return nil
}
