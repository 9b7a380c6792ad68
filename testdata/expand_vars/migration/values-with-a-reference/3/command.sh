kubectl kustomize base | expand-vars --fn-config expand-vars.yaml | grep -A 1 args
