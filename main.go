// Strata shows what held the memory of a GPU: it opens PyTorch CUDA memory snapshots in a window, and has subcommands
// that need none.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"strata/app/cli"
	"strata/app/start"
)

func main() {
	command, err := cli.Parse(os.Args[1:])
	if err == nil && command.Kind != cli.Window {
		// The first Ctrl+C cancels, the second ends the program at once.
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		context.AfterFunc(ctx, stop)
		os.Exit(command.Run(ctx, os.Stdout, os.Stderr))
	}
	if err == nil {
		var remove func()
		if remove, err = command.Prepare(os.Stdin, os.Stderr); err == nil {
			err = start.Window(command.Options)
		}
		remove()
	}
	os.Exit(cli.Fail(os.Stderr, err))
}
