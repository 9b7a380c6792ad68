kubectl kustomize vars | grep -A 2 args
