kubectl kustomize vars | grep -A 1 args
