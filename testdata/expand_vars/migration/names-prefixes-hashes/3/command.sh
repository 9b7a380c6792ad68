kubectl kustomize prod | expand-vars --fn-config expand-vars.yaml | grep -A 2 args
