// Package common has what the plugin's configuration asks of Argo CD's package of this name.
package common

const PluginConfigFileName = "plugin.yaml"

func GetPluginSockFilePath() string { return "/home/argocd/cmp-server/plugins" }
