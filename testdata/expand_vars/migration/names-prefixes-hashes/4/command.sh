kustomize build --enable-alpha-plugins --enable-exec prod | grep -A 2 args
