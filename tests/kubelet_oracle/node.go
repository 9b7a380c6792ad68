package main

import (
	"context"
	"net"
	"sort"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilnet "k8s.io/utils/net"
)

// A Kubelet answers what the extracted methods ask their node for, from one world.
type Kubelet struct {
	kubeClient       any
	nodeIPs          []net.IP
	serviceLister    *serviceLister
	configMapManager *cluster
	secretManager    *cluster
	node             *v1.Node
	place            map[string]int
}

func newKubelet(world *world) *Kubelet {
	cluster := &cluster{map[[2]string]*v1.ConfigMap{}, map[[2]string]*v1.Secret{}}
	kl := &Kubelet{
		kubeClient:       world,
		serviceLister:    &serviceLister{world.services},
		configMapManager: cluster,
		secretManager:    cluster,
		node:             &v1.Node{Status: v1.NodeStatus{Allocatable: world.Allocatable}},
		place:            map[string]int{},
	}
	for _, address := range world.HostIPs {
		kl.nodeIPs = append(kl.nodeIPs, utilnet.ParseIPSloppy(address))
	}
	for place, service := range world.services {
		kl.place[string(service.UID)] = place
	}
	for _, configMap := range world.configMaps {
		cluster.configMaps[[2]string{configMap.Namespace, configMap.Name}] = configMap
	}
	for _, secret := range world.secrets {
		cluster.secrets[[2]string{secret.Namespace, secret.Name}] = secret
	}
	return kl
}

// inOrder returns the names of Services in the order in which the world lists them.
func (kl *Kubelet) inOrder(services map[string]*v1.Service) []string {
	var names []string
	for name := range services {
		names = append(names, name)
	}
	sort.Slice(names, func(one, other int) bool {
		return kl.place[string(services[names[one]].UID)] < kl.place[string(services[names[other]].UID)]
	})
	return names
}

func (kl *Kubelet) serviceHasSynced() bool { return true }

func (kl *Kubelet) getHostIPsAnyWay(context.Context) ([]net.IP, error) { return kl.nodeIPs, nil }

func (kl *Kubelet) getNodeAnyWay(context.Context) (*v1.Node, error) { return kl.node, nil }

type serviceLister struct{ services []*v1.Service }

func (l *serviceLister) List(labels.Selector) ([]*v1.Service, error) { return l.services, nil }

type cluster struct {
	configMaps map[[2]string]*v1.ConfigMap
	secrets    map[[2]string]*v1.Secret
}

func (c *cluster) GetConfigMap(namespace, name string) (*v1.ConfigMap, error) {
	if found, ok := c.configMaps[[2]string{namespace, name}]; ok {
		return found, nil
	}
	return nil, errors.NewNotFound(schema.GroupResource{Resource: "configmaps"}, name)
}

func (c *cluster) GetSecret(namespace, name string) (*v1.Secret, error) {
	if found, ok := c.secrets[[2]string{namespace, name}]; ok {
		return found, nil
	}
	return nil, errors.NewNotFound(schema.GroupResource{Resource: "secrets"}, name)
}
