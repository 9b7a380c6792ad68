kubectl kustomize prod | expand-vars --fn-config expand-vars.yaml
