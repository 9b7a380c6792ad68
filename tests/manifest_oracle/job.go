package main

import (
	"context"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/batch"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	registry "k8s.io/kubernetes/pkg/registry/batch/job"
)

// job does with a Job what the API server does with one that is created.
func job(arguments []string) error {
	var given batchv1.Job
	if err := read(arguments[0], &given); err != nil {
		return err
	}
	legacyscheme.Scheme.Default(&given)
	given.Namespace = "default"
	given.UID = types.UID("00000000-0000-0000-0000-000000000000")
	var made batch.Job
	if err := legacyscheme.Scheme.Convert(&given, &made, nil); err != nil {
		return err
	}
	ctx := context.Background()
	registry.Strategy.PrepareForCreate(ctx, &made)
	return registry.Strategy.Validate(ctx, &made).ToAggregate()
}
