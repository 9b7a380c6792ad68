package main

import (
	"context"

	v1 "github.com/tektoncd/pipeline/pkg/apis/pipeline/v1"
	"knative.dev/pkg/apis"
)

type validated interface {
	apis.Defaultable
	apis.Validatable
}

func task(arguments []string) error { return ofTekton(arguments, &v1.Task{}) }

func pipeline(arguments []string) error { return ofTekton(arguments, &v1.Pipeline{}) }

// ofTekton does what Tekton's admission does.
func ofTekton(arguments []string, made validated) error {
	if err := read(arguments[0], made); err != nil {
		return err
	}
	ctx := apis.WithinCreate(context.Background())
	made.SetDefaults(ctx)
	if found := made.Validate(ctx); found != nil {
		return found
	}
	return nil
}
