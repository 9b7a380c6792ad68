"""`$(VAR)` references, expanded as Kubernetes would expand them (docs/reference/expansion.md).

run             the context of one run
item            one item: its fields are expanded and written, with their templates in comments
kubelet_fields  the fields that the kubelet expands, and the findings about their references
containers      the containers of a workload, and their fields
environment     the variables of a container, also as its exec probes see them
env_sources     the values of `valueFrom` and `envFrom`
cluster         the ConfigMaps, Secrets and Services that a container reads
resolution      the value of a name at one point
targets         targets, and fields that cannot hold a reference
target_values   the values of names in these
variables       the variables of the functionConfig, with their texts
sources         the items from which variables are read
left_alone      why an item or a text stays, and what to mend or to add
kustomize       what kustomize itself expands, and the files of its generators
findings        the findings about references
without_effect  settings without effect, and names in another form than a reference
current         the items that need no work, by their text alone
history         the results about values that change or stay
explanation     the references, for `expand-vars explain`
"""
