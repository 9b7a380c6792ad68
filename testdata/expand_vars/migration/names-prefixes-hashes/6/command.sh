kubectl kustomize --enable-alpha-plugins europe | grep -A 2 args
