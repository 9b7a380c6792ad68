// Validation-oracle reads objects, one in a line of JSON, and prints for each the list of Kubernetes' own objections.
//
// An objection is the path of a field and what is wrong with it, as the API server says it, after its decoding,
// conversion and defaulting. The path of what cannot be decoded is empty.
package main

import (
	"bufio"
	"encoding/json"
	"io"
	"log"
	"os"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/apps"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	appsvalidation "k8s.io/kubernetes/pkg/apis/apps/validation"
	"k8s.io/kubernetes/pkg/apis/autoscaling"
	_ "k8s.io/kubernetes/pkg/apis/autoscaling/install"
	autoscalingvalidation "k8s.io/kubernetes/pkg/apis/autoscaling/validation"
	"k8s.io/kubernetes/pkg/apis/batch"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	batchvalidation "k8s.io/kubernetes/pkg/apis/batch/validation"
	"k8s.io/kubernetes/pkg/apis/core"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	"k8s.io/kubernetes/pkg/apis/core/validation"
	"k8s.io/kubernetes/pkg/apis/networking"
	_ "k8s.io/kubernetes/pkg/apis/networking/install"
	networkingvalidation "k8s.io/kubernetes/pkg/apis/networking/validation"
	"k8s.io/kubernetes/pkg/apis/policy"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	policyvalidation "k8s.io/kubernetes/pkg/apis/policy/validation"
	"k8s.io/kubernetes/pkg/apis/rbac"
	_ "k8s.io/kubernetes/pkg/apis/rbac/install"
	rbacvalidation "k8s.io/kubernetes/pkg/apis/rbac/validation"
	"k8s.io/kubernetes/pkg/apis/scheduling"
	_ "k8s.io/kubernetes/pkg/apis/scheduling/install"
	schedulingvalidation "k8s.io/kubernetes/pkg/apis/scheduling/validation"
	"k8s.io/kubernetes/pkg/apis/storage"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
	storagevalidation "k8s.io/kubernetes/pkg/apis/storage/validation"
)

var options = validation.PodValidationOptions{}

func validated(object runtime.Object) field.ErrorList {
	switch one := object.(type) {
	case *core.Pod:
		return validation.ValidatePodCreate(one, options)
	case *core.PodTemplate:
		return validation.ValidatePodTemplate(one, options)
	case *core.ReplicationController:
		return validation.ValidateReplicationController(one, options)
	case *core.Service:
		return validation.ValidateServiceCreate(one)
	case *core.ConfigMap:
		return validation.ValidateConfigMap(one)
	case *core.Secret:
		return validation.ValidateSecret(one)
	case *core.PersistentVolume:
		return validation.ValidatePersistentVolume(one, validation.PersistentVolumeSpecValidationOptions{})
	case *core.PersistentVolumeClaim:
		return validation.ValidatePersistentVolumeClaim(one, validation.PersistentVolumeClaimSpecValidationOptions{})
	case *core.Namespace:
		return validation.ValidateNamespace(one)
	case *core.ServiceAccount:
		return validation.ValidateServiceAccount(one)
	case *core.ResourceQuota:
		return validation.ValidateResourceQuota(one)
	case *core.LimitRange:
		return validation.ValidateLimitRange(one)
	case *apps.Deployment:
		return appsvalidation.ValidateDeployment(one, options)
	case *apps.StatefulSet:
		return appsvalidation.ValidateStatefulSet(one, options)
	case *apps.DaemonSet:
		return appsvalidation.ValidateDaemonSet(one, options)
	case *apps.ReplicaSet:
		return appsvalidation.ValidateReplicaSet(one, options)
	case *batch.Job:
		return batchvalidation.ValidateJob(one, batchvalidation.JobValidationOptions{})
	case *batch.CronJob:
		return batchvalidation.ValidateCronJobCreate(one, options)
	case *networking.Ingress:
		return networkingvalidation.ValidateIngressCreate(one)
	case *networking.NetworkPolicy:
		return networkingvalidation.ValidateNetworkPolicy(one, networkingvalidation.NetworkPolicyValidationOptions{})
	case *networking.IngressClass:
		return networkingvalidation.ValidateIngressClass(one)
	case *autoscaling.HorizontalPodAutoscaler:
		return autoscalingvalidation.ValidateHorizontalPodAutoscaler(
			one, autoscalingvalidation.HorizontalPodAutoscalerSpecValidationOptions{})
	case *policy.PodDisruptionBudget:
		return policyvalidation.ValidatePodDisruptionBudget(one, policyvalidation.PodDisruptionBudgetValidationOptions{})
	case *rbac.Role:
		return rbacvalidation.ValidateRole(one)
	case *rbac.ClusterRole:
		return rbacvalidation.ValidateClusterRole(one, rbacvalidation.ClusterRoleValidationOptions{})
	case *rbac.RoleBinding:
		return rbacvalidation.ValidateRoleBinding(one)
	case *rbac.ClusterRoleBinding:
		return rbacvalidation.ValidateClusterRoleBinding(one)
	case *scheduling.PriorityClass:
		return schedulingvalidation.ValidatePriorityClass(one)
	case *storage.StorageClass:
		return storagevalidation.ValidateStorageClass(one)
	}
	log.Fatalf("no validation for %T", object)
	return nil
}

type objection struct {
	Field string `json:"field"`
	Says  string `json:"says"`
}

func objections(line []byte) []objection {

	object, _, err := legacyscheme.Codecs.UniversalDeserializer().Decode(line, nil, nil)
	if err != nil {
		return []objection{{Says: err.Error()}}
	}
	legacyscheme.Scheme.Default(object)
	internal, err := legacyscheme.Scheme.UnsafeConvertToVersion(object, runtime.InternalGroupVersioner)
	if err != nil {
		return []objection{{Says: err.Error()}}
	}
	found := []objection{}
	for _, one := range validated(internal) {
		found = append(found, objection{one.Field, one.ErrorBody()})
	}
	return found
}

func main() {
	reader := bufio.NewReader(os.Stdin)
	writer := bufio.NewWriter(os.Stdout)
	defer writer.Flush()
	for {
		line, err := reader.ReadBytes('\n')
		if err == io.EOF {
			return
		}
		out, err := json.Marshal(objections(line))
		if err != nil {
			log.Fatal(err)
		}
		writer.Write(append(out, '\n'))
	}
}
