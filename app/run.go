// Package app is the window: its state, its commands, the loading of files,
// and what it needs of the platform. What can happen in the program is the
// list of commands in commands.go.
package app

import (
	"fmt"
	"os"
	"runtime"

	"strata/app/platform"
	"strata/layout"
	"strata/layout/capacity"
	"strata/render"
	"strata/snapshot"
)

// AnyDevice is Options.Device for the first device that has events.
const AnyDevice = -2

// Options are what the command line says about the window.
type Options struct {
	Files      []string // each in a tab, folders with all snapshots in them
	Device     int      // as PyTorch numbers them, -1 host memory, or AnyDevice
	Axis       layout.Axis
	AxisGiven  bool // else the axis is the one chosen last
	MaxEntries int
	Theme      string          // "dark", "light", "system", or "" for what was chosen last
	Backend    string          // "x11", "wayland", or "" for the better one
	NoCache    bool            // read files themselves, and keep nothing of them
	Limits     snapshot.Limits // what reading a file may cost

	GPU       capacity.Capacity // whose memory is drawn as a line; zero for what was chosen last
	Offset    int64             // bytes added to every total
	Model     string            // whose dimensions shapes are named by, for hub.Client.Load
	VocabSize int64             // in place of the model's own; 0 leaves it
	Quantized bool              // consider elements of 8 and 4 bits

	Colour      render.ColourMode // what colours mean, if ColourGiven; else what was chosen last
	ColourGiven bool

	AllAnnotations   bool   // show the framework's own too
	AnnotationFilter string // for layout.MatchNames
	Verbose          bool   // say on the terminal what opening a file is made of

	TraceFrames string // file for what each frame takes, "" for none
}

// Run opens the window and returns when it is closed. It must be called from
// the main goroutine. On macOS, where that goroutine belongs to the system,
// it ends the process itself.
func Run(opt Options) error {
	if err := platform.Choose(opt.Backend); err != nil {
		return err
	}
	w := newWindow(opt)
	var err error
	if w.frames, err = newFrameLog(opt.TraceFrames); err != nil {
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
