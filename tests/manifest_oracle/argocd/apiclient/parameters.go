// Package apiclient has the one type that the plugin's configuration names of Argo CD's package of this name.
package apiclient

type ParameterAnnouncement map[string]any
