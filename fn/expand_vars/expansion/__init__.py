"""`$(VAR)` references, expanded as Kubernetes would (spec/expansion.md).

`items` expands one item after the other, and lets it remember that; `references` expands the fields that the kubelet
expands, `targets` those that a functionConfig adds, some of them by `presets`; `telling` says what there is to tell of
references, and `findings` gathers it.

What a name is, and what of that may be written down, is its `resolution`. `environment` is what a container declares,
`probes` what its exec probes see of that. It is made of `env_from` and `value_from`, which ask the `cluster` for
ConfigMaps, `secrets` and `services`, and `downward`, with `quantities`, for the pod itself; `values` is the word for
what each of them gives a name. `variables` are what functionConfig declares, read from `sources`.

`containers` and `podspecs` say where all that is written, `names` what names look like; `syntax` is the grammar.
"""
