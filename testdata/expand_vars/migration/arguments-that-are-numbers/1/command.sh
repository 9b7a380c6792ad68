kubectl kustomize vars 2>&1 | grep -o 'invalid value.*string'
