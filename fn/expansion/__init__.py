"""`$(VAR)` references, expanded as Kubernetes would (spec/expansion.md).

`syntax` is the grammar; `podspecs` says where pod specs are; `variables` are what functionConfig declares;
`environment` what a container declares; `references` expands the fields that the kubelet expands, `targets` those
that a functionConfig adds; `findings` gathers what there is to tell about them.
"""
