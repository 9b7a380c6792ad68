// Command kpt is `kpt fn` and `kpt pkg` of kpt's own module. The module's program cannot be built: an alpha command in it
// needs a module that is not to be had.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/kptdev/kpt/commands/fn"
	"github.com/kptdev/kpt/commands/pkg"
	"github.com/kptdev/kpt/pkg/lib/errors"
	"github.com/kptdev/kpt/pkg/lib/errors/resolver"
	"github.com/kptdev/kpt/pkg/printer"
	"github.com/spf13/cobra"
)

// The version of the module, which the build says.
var version = "unknown"

func main() {
	ctx := printer.WithContext(context.Background(), printer.New(os.Stdout, os.Stderr))
	kpt := &cobra.Command{Use: "kpt", Version: version, SilenceUsage: true, SilenceErrors: true}
	kpt.AddCommand(fn.GetCommand(ctx, "kpt"), pkg.GetCommand(ctx, "kpt"))
	err := kpt.Execute()
	if err == nil {
		return
	}
	if known, ok := resolver.ResolveError(err); ok {
		fmt.Fprintln(os.Stderr, known.Message)
		os.Exit(known.ExitCode)
	}
	// Behind the names of kpt's own functions.
	var traced *errors.Error
	if errors.As(err, &traced) {
		if cause, ok := errors.UnwrapErrors(traced); ok {
			err = cause
		}
	}
	fmt.Fprintln(os.Stderr, "Error:", err)
	os.Exit(1)
}
