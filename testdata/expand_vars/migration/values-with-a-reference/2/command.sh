kubectl kustomize base | expand-vars --fn-config expand-vars.yaml
