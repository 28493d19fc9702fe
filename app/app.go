// Package app runs the window of Strata.
package app

import (
	"fmt"
	"os"
	"runtime"

	"strata/app/diag"
	"strata/app/options"
	"strata/app/platform"
	"strata/app/platform/display"
	"strata/app/window"
)

// Run opens the window and returns when it is closed. It must be called from the main goroutine. On macOS, where that
// goroutine belongs to the system, it ends the process itself.
func Run(opt options.Options) error {
	if err := display.Choose(opt.Backend); err != nil {
		return err
	}
	frames, err := diag.NewFrameLog(opt.TraceFrames)
	if err != nil {
		return err
	}
	w := window.New(opt)
	if runtime.GOOS != "darwin" {
		err := w.Run(frames)
		if err != nil {
			platform.ShowError(err)
		}
		return err
	}
	go func() {
		if err := w.Run(frames); err != nil {
			fmt.Fprintln(os.Stderr, "strata:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}()
	platform.Main(w.FromSystem)
	return nil
}
