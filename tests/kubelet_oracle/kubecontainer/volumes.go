// Package kubecontainer is the part of the kubelet's package of that name that an environment needs.
package kubecontainer

import "kubelet-oracle/volumeutil"

// VolumeInfo is a mounted volume. No world has one, so that an entry from a file in a volume fails.
type VolumeInfo struct{ Mounter volumeutil.Mounter }
