"""`$(VAR)` references, expanded as Kubernetes would expand them (docs/reference/expansion.md).

`item` expands one item, with the record that it carries. `references` expands the fields that the kubelet expands,
`targets` those that can hold no reference, and the free text that somebody names; `target_values` is the value of a
name in those.
`left_alone` says which items and texts no run changes, and what is to be mended or added, `kustomize` what kustomize
expands in them. `effects` is what had none, with the references that are none. `run` is the context that all of them
share, and `explanation` keeps the references for `expand-vars explain`.

`environment` is what a container declares, and what its exec probes see of that. It is made of `env_sources`, which
read the pod itself, and ask the `cluster` for ConfigMaps, Secrets and Services. `resolution` is what a name is at one
point. `variables` are what the functionConfig declares, read from `sources`.

`containers` finds the fields of a container, and `syntax` is the grammar. `kubelet_fields` edits them and writes the
sentences about their references, and `findings` collects these. `current` tells which items of an earlier run need no
work, by their text alone, and `history` reports what becomes of the values that stand there.
"""
