// Package app is the window: its state, its commands, the loading of files,
// and what it needs of the platform. What can happen in the program is the
// list of commands in commands.go.
package app

import (
	"fmt"
	"os"
	"runtime"

	"strata/app/diag"
	"strata/app/options"
	"strata/app/platform"
)

// AnyDevice and Options are those of package options.
const AnyDevice = options.AnyDevice

// Options is options.Options.
type Options = options.Options

// Run opens the window and returns when it is closed. It must be called from
// the main goroutine. On macOS, where that goroutine belongs to the system,
// it ends the process itself.
func Run(opt Options) error {
	if err := platform.Choose(opt.Backend); err != nil {
		return err
	}
	w := newWindow(opt)
	var err error
	if w.frames, err = diag.NewFrameLog(opt.TraceFrames); err != nil {
		return err
	}
	if runtime.GOOS != "darwin" {
		err := w.run()
		if err != nil {
			platform.ShowError(err)
		}
		return err
	}
	go func() {
		if err := w.run(); err != nil {
			fmt.Fprintln(os.Stderr, "strata:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}()
	platform.Main(w.fromSystem)
	return nil
}
