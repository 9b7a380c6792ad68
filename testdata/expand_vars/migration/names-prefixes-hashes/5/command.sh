kustomize build --enable-alpha-plugins --enable-exec europe 2>/dev/null | grep -w db
