// Strata shows what held the memory of a GPU: it opens PyTorch CUDA memory
// snapshots in a window, and has subcommands that need none.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"strata/app"
	"strata/app/cli"
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
		err = window(command)
	}
	os.Exit(cli.Fail(os.Stderr, err))
}

// window opens the window and returns when it is closed.
func window(c cli.Command) error {
	return app.Run(app.Options{Files: c.Files, Device: c.Show.Device, Axis: c.Show.Axis, AxisGiven: c.Show.AxisGiven, MaxEntries: c.Show.MaxEntries, Theme: c.Show.Theme, NoCache: c.NoCache, Limits: c.Limits, Verbose: c.Verbose, TraceFrames: c.TraceFrames, Backend: c.Backend,
		GPU: c.Show.GPU, Offset: c.Show.Offset, Model: c.Show.Model, VocabSize: c.Show.VocabSize, Quantized: c.Show.Quantized,
		Colour: c.Show.Colour, ColourGiven: c.Show.ColourGiven, AllAnnotations: c.Show.AllAnnotations, AnnotationFilter: c.Show.AnnotationFilter})
}
