package window

import (
	"encoding/json"
	"image"
	"os"

	"strata/layout"
	"strata/render"
)

// A stateDump writes what each frame of the real window shows to a file, one JSON object a line.
type stateDump struct {
	file *os.File
	last string
}

// shownState is a line of the dump.
type shownState struct {
	File    string
	Loading bool
	Problem string
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
	Help    bool
	Notice  string
	Tabs    []shownTab
}

// shownTab is a tab in the dump.
type shownTab struct {
	Name, State string
	Active      bool
}

// frame writes the state when it differs from the last one written.
func (d *stateDump) frame(w *Window, r *panelRects) {
	t := w.tab()
	s := shownState{Loading: t.Loading != nil, View: t.View, Hovered: t.hovered, Pinned: t.Pinned,
		Shown: t.detailsOf.id, Bottom: t.details.Exact, Tip: t.tip.Exact, Stack: uint32(t.stack.Stack()),
		Help: w.sheet == openSheet(helpSheet{}), Notice: t.Notice, Sharp: t.scene != nil && t.scene.Sharp()}
	for _, other := range w.sessions.All {
		s.Tabs = append(s.Tabs, shownTab{other.Title(), other.State().String(), other == w.sessions.Active})
	}
	if t.Doc != nil {
		s.File = t.Doc.Path
		s.Plot = t.timeline.Plot().Add(r.timeline.Min)
		s.Tooltip = t.timeline.ShowsTooltip(t.hovered)
	}
	if t.Problem != nil {
		s.Problem = t.Problem.What
	}
	s.Pointer, s.Inside = t.timeline.Pointer()
	if t.scene != nil && s.Hovered >= 0 {
		s.Outline = len(t.scene.Outline(s.Hovered))
	}
	line, err := json.Marshal(s)
	if err != nil || string(line) == d.last {
		return
	}
	d.last = string(line)
	_, _ = d.file.Write(append(line, '\n'))
}
