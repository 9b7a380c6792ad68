module flux-envsubst

go 1.25.0

require github.com/fluxcd/pkg/envsubst v1.4.0
