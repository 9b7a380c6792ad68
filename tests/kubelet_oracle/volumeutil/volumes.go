// Package volumeutil is the part of the kubelet's package of that name that an environment needs.
package volumeutil

// Mounter is a mounted volume, of which no world has one.
type Mounter interface{ GetPath() string }

// GetPath returns where a volume is mounted.
func GetPath(mounter Mounter) (string, error) { return mounter.GetPath(), nil }
