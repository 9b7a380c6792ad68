package main

import "manifest-oracle/argocd/plugin"

// pluginFile reads the file of a config management plugin as Argo CD's sidecar does, but without unknown fields.
func pluginFile(arguments []string) error {
	var made plugin.PluginConfig
	if err := read(arguments[0], &made); err != nil {
		return err
	}
	return plugin.ValidatePluginConfig(made)
}
