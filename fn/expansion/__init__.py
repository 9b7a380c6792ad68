"""`$(VAR)` references, expanded as Kubernetes would (spec/expansion.md).

`items` expands one item after the other, and lets it remember that; `references` expands the fields that the kubelet
expands, `targets` those that a functionConfig adds, some of them by `presets`; `environment` is what a container
declares; `variables` are what functionConfig declares, read from `sources`; `findings` gathers what there is to tell
about them; `podspecs` says where pod specs are, and `syntax` is the grammar.
"""
