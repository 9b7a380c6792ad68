"""`$(VAR)` references, expanded as Kubernetes would (spec/expansion.md).

`syntax` is the grammar; `podspecs` says where pod specs are; `variables` are what functionConfig declares, read from
`sources`; `environment` is what a container declares; `references` expands the fields that the kubelet expands,
`targets` those that a functionConfig adds, some of them by `presets`; `findings` gathers what there is to tell.
"""
