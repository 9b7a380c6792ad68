kustomize build --enable-alpha-plugins --enable-exec both | grep -A 2 args
