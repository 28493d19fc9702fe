package app

import (
	"encoding/json"
	"image"
	"os"

	"strata/layout"
	"strata/render"
)

// A tracer writes what each frame shows to a file, one JSON object a line,
// so that tests of the real window can see what a person sees. It does
// nothing unless STRATA_DUMP_STATE names the file.
type tracer struct {
	file *os.File
	last string
}

func newTracer(path string) *tracer {
	if path == "" {
		return nil
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o644)
	if err != nil {
		return nil
	}
	return &tracer{file: f}
}

// frameState is a line of the trace.
type frameState struct {
	File    string
	Loading bool
	Problem string
	Device  int
	View    render.View
	Plot    image.Rectangle // of the picture, in the window
	Sharp   bool            // the picture is that of the view, not a stretched one
	Pointer image.Point     // in the picture
	Inside  bool
	Hovered layout.ID
	Pinned  layout.ID
	Tooltip bool
	Tip     string // size in the tooltip
	Shown   layout.ID
	Bottom  string // size in the bottom bar
	Stack   uint32
	Outline int // columns of the hovered outline
	Theme   string
	Help    bool
	Notice  string
	Tabs    []tabTrace
}

// tabTrace is a tab in the trace.
type tabTrace struct {
	Name, State string
	Active      bool
}

// frame writes the state when it differs from the last one written.
func (tr *tracer) frame(w *window, p *places) {
	if tr == nil {
		return
	}
	s := frameState{Loading: w.loading != nil, View: w.view, Hovered: w.selection.Hovered, Pinned: w.selection.Pinned,
		Shown: w.shownOf.id, Bottom: w.shown.Exact, Tip: w.tip.Exact, Stack: uint32(w.panels.stack.Stack()),
		Theme: w.themeName(), Help: w.help, Notice: w.notice, Sharp: w.scene != nil && w.scene.Sharp()}
	for _, t := range w.tabs {
		s.Tabs = append(s.Tabs, tabTrace{t.title(), t.state().String(), t == w.active})
	}
	if w.doc != nil {
		s.File = w.doc.path
		s.Device = w.doc.devices[w.doc.stage.device].Index
		s.Plot = w.panels.timeline.Plot().Add(p.timeline.Min)
	}
	if w.problem != nil {
		s.Problem = w.problem.What
	}
	s.Pointer, s.Inside = w.panels.timeline.Pointer()
	s.Tooltip = w.doc != nil && w.panels.timeline.ShowsTooltip(w.selection.Hovered)
	if w.scene != nil && s.Hovered >= 0 {
		s.Outline = len(w.scene.Outline(s.Hovered))
	}
	line, err := json.Marshal(s)
	if err != nil || string(line) == tr.last {
		return
	}
	tr.last = string(line)
	_, _ = tr.file.Write(append(line, '\n'))
}
