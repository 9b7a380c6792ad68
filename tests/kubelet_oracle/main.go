// Kubelet-oracle reads worlds, one in a line of JSON, and prints for each what the kubelet gives to every container.
//
// The kubelet's own functions, which ./extract copies from the module k8s.io/kubernetes, decide all of it, after the
// API server's conversion and defaulting. A line of output is a list: the init containers, then the containers.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"
	"strconv"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/apis/core"
	corev1 "k8s.io/kubernetes/pkg/apis/core/v1"
	strict "sigs.k8s.io/json"

	"kubelet-oracle/kubecontainer"
)

// A world is a Pod as its controller creates it, and the cluster in which it starts.
type world struct {
	Pod         json.RawMessage   `json:"pod"`
	Services    []json.RawMessage `json:"services"` // in the order of chance in which the kubelet comes across them
	ConfigMaps  []json.RawMessage `json:"configMaps"`
	Secrets     []json.RawMessage `json:"secrets"`
	Allocatable v1.ResourceList   `json:"allocatable"`
	PodIPs      []string          `json:"podIPs"`
	HostIPs     []string          `json:"hostIPs"`
	Devices     map[string]string `json:"devices"` // the variables of device plugins

	services   []*v1.Service
	configMaps []*v1.ConfigMap
	secrets    []*v1.Secret
}

// A started container is what its process, mounts and probes get, or why it does not start.
type started struct {
	Error       string            `json:"error"`
	Environment map[string]string `json:"environment"`
	Command     []string          `json:"command"`
	Args        []string          `json:"args"`
	SubPaths    []subPath         `json:"subPaths"`
	Probes      [][]string        `json:"probes"`
}

type subPath struct {
	Path  string `json:"path"`
	Error string `json:"error"`
}

var scheme = runtime.NewScheme()

func main() {
	log.SetFlags(0)
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
	for _, add := range []func(*runtime.Scheme) error{core.AddToScheme, corev1.AddToScheme} {
		if err := add(scheme); err != nil {
			log.Fatal(err)
		}
	}
	lines := bufio.NewReader(os.Stdin)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return
		}
		if err != nil {
			log.Fatal(err)
		}
		answer, err := run(line)
		if err != nil {
			answer = map[string]string{"refused": err.Error()}
		}
		if err := json.NewEncoder(os.Stdout).Encode(answer); err != nil {
			log.Fatal(err)
		}
	}
}

func run(line []byte) (any, error) {
	var world world
	var pod v1.Pod
	if err := decode(line, &world); err != nil {
		return nil, err
	}
	if err := admit(world.Pod, &pod, &core.Pod{}); err != nil {
		return nil, err
	}
	if err := world.admit(); err != nil {
		return nil, err
	}
	kl := newKubelet(&world)
	var all []started
	for _, containers := range [][]v1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for number := range containers {
			all = append(all, kl.start(&pod, &containers[number], &world))
		}
	}
	return all, nil
}

func (w *world) admit() error {
	for place, text := range w.Services {
		service := &v1.Service{}
		if err := admit(text, service, &core.Service{}); err != nil {
			return err
		}
		service.UID = types.UID(strconv.Itoa(place))
		w.services = append(w.services, service)
	}
	for _, text := range w.ConfigMaps {
		configMap := &v1.ConfigMap{}
		if err := admit(text, configMap, &core.ConfigMap{}); err != nil {
			return err
		}
		w.configMaps = append(w.configMaps, configMap)
	}
	for _, text := range w.Secrets {
		secret := &v1.Secret{}
		if err := admit(text, secret, &core.Secret{}); err != nil {
			return err
		}
		w.secrets = append(w.secrets, secret)
	}
	return nil
}

// admit decodes an object, sets its defaults and sends it through the API server's internal version.
func admit(text []byte, object, internal runtime.Object) error {
	if err := decode(text, object); err != nil {
		return err
	}
	scheme.Default(object)
	if err := scheme.Convert(object, internal, nil); err != nil {
		return err
	}
	return scheme.Convert(internal, object, nil)
}

// decode reads JSON as the API server does when it validates fields strictly.
func decode(text []byte, into any) error {
	mistakes, err := strict.UnmarshalStrict(text, into)
	if err == nil && len(mistakes) > 0 {
		err = mistakes[0]
	}
	if err != nil {
		return fmt.Errorf("%w: %s", err, text)
	}
	return nil
}

func (kl *Kubelet) start(pod *v1.Pod, container *v1.Container, world *world) started {
	podIP := ""
	if len(world.PodIPs) > 0 {
		podIP = world.PodIPs[0]
	}
	own, err := kl.makeEnvironmentVariables(context.Background(), pod, container, podIP, world.PodIPs, nil)
	if err != nil {
		return started{Error: err.Error()}
	}
	var all []kubecontainer.EnvVar // in the order of GenerateRunContainerOptions: the container's own win
	for name, value := range world.Devices {
		all = append(all, kubecontainer.EnvVar{Name: name, Value: value})
	}
	all = append(all, own...)
	environment := map[string]string{}
	for _, variable := range own {
		environment[variable.Name] = variable.Value
	}
	command, args := kubecontainer.ExpandContainerCommandAndArgs(container, all)
	return started{
		Environment: environment,
		Command:     append([]string{}, command...),
		Args:        append([]string{}, args...),
		SubPaths:    subPaths(container, all),
		Probes:      probes(container),
	}
}

func subPaths(container *v1.Container, environment []kubecontainer.EnvVar) []subPath {
	all := []subPath{}
	for _, mount := range container.VolumeMounts {
		path, err := kubecontainer.ExpandContainerVolumeMounts(mount, environment)
		if err != nil {
			all = append(all, subPath{Error: err.Error()})
		} else {
			all = append(all, subPath{Path: path})
		}
	}
	return all
}

// probes returns the command of each kind of probe, null for one that runs none.
func probes(container *v1.Container) [][]string {
	all := [][]string{}
	for _, probe := range []*v1.Probe{container.LivenessProbe, container.ReadinessProbe, container.StartupProbe} {
		if probe == nil || probe.Exec == nil {
			all = append(all, nil)
		} else {
			all = append(all, kubecontainer.ExpandContainerCommandOnlyStatic(probe.Exec.Command, container.Env))
		}
	}
	return all
}
