// Command flux-envsubst replaces ${NAME} on standard input as Flux's postBuild does. --strict refuses a name without a value.
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/fluxcd/pkg/envsubst"
)

func main() {
	text, err := io.ReadAll(os.Stdin)
	if err == nil {
		var product string
		product, err = envsubst.EvalEnv(string(text), len(os.Args) > 1 && os.Args[1] == "--strict")
		fmt.Print(product)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
