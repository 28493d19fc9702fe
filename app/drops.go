package app

import (
	"io"
	"os"
	"path/filepath"
	"slices"

	"gioui.org/io/clipboard"
	"gioui.org/io/transfer"
	giolayout "gioui.org/layout"

	"strata/app/platform"
	"strata/layout/units"
	"strata/widgets"
)

// A held is what is held over the window.
type held struct {
	over  bool
	paths []string // nil where the source tells them only after the drop
	text  string   // what letting go will do
}

// fromSystem takes what the desktop does with files; it may be called on any
// goroutine.
func (w *window) fromSystem(e platform.Event) {
	w.mail.post(func() {
		if e.Kind != platform.Hover {
			w.held = held{}
		}
		switch e.Kind {
		case platform.Hover:
			w.hover(e.Paths)
		case platform.Drop, platform.Open:
			w.openFiles(e.Paths)
		case platform.Failed:
			w.problem = &widgets.Problem{Title: "The dropped file could not be taken", What: sentence(e.Err.Error())}
		}
	})
}

// hover shows what letting go of files will do.
func (w *window) hover(paths []string) {
	if w.held.over && slices.Equal(w.held.paths, paths) {
		return
	}
	w.held = held{over: true, paths: paths, text: dropText(paths, false)}
	if len(paths) != 1 {
		return
	}
	w.work.Go(func() { // a folder on another machine may take its time to say so
		if info, err := os.Stat(paths[0]); err == nil && info.IsDir() {
			w.mail.post(func() {
				if w.held.over && slices.Equal(w.held.paths, paths) {
					w.held.text = dropText(paths, true)
				}
			})
		}
	})
}

// dropText says what dropping files will do.
func dropText(paths []string, folder bool) string {
	switch {
	case len(paths) == 0:
		return "Drop to open"
	case len(paths) > 1:
		return "Open " + units.Count(len(paths)) + " snapshots"
	case folder:
		return "Open the snapshots in " + filepath.Base(paths[0])
	}
	return "Open " + filepath.Base(paths[0])
}

// paste asks for what is on the clipboard; it comes to takePasted in a later frame.
func (w *window) paste(gtx giolayout.Context) {
	gtx.Execute(clipboard.ReadCmd{Tag: w})
}

// maxPasted is how much of the clipboard's text is looked at, in bytes.
const maxPasted = 1 << 20

// takePasted opens the files whose paths were on the clipboard.
func (w *window) takePasted(gtx giolayout.Context) {
	for {
		ev, ok := gtx.Event(transfer.TargetFilter{Target: w, Type: "application/text"})
		if !ok {
			return
		}
		e, ok := ev.(transfer.DataEvent)
		if !ok {
			continue
		}
		r := e.Open()
		data, err := io.ReadAll(io.LimitReader(r, maxPasted))
		_ = r.Close()
		if paths := platform.ParseText(string(data)); err == nil && len(paths) > 0 {
			w.openFiles(paths)
		} else {
			w.say("The clipboard holds no path of a file")
		}
	}
}
