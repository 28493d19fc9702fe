package panel

import (
	"image"
	"strings"

	"gioui.org/gesture"
	"gioui.org/io/pointer"
	"gioui.org/io/semantic"
	giolayout "gioui.org/layout"
	"gioui.org/op/clip"
	"gioui.org/widget"

	"strata/layout"
	"strata/layout/units"
	"strata/snapshot"
	"strata/widgets/describe"
	"strata/widgets/kit"
)

// A Stack shows the call stack of the allocation the panels describe.
type Stack struct {
	// HideFramework leaves out frames of PyTorch, Python and C++.
	HideFramework bool

	// fixed: the pointer can come here and the stack stays, so its texts can be
	// selected. To make them ready for that takes longer than the rest of a
	// frame, too long while the pointer goes over one allocation after the other.
	fixed bool

	list        widget.List
	copy        kit.Button
	hide        kit.Button
	alloc, free kit.Button
	wantFree    bool // the free's stack is asked for

	key     stackKey // what rows was made for
	stack   snapshot.StackID
	extras  describe.Extras
	frames  int // of rows, those that are frames
	hasFree bool
	before  bool // the allocation was live before recording
	rows    []stackRow
	spare   []*shownRow // of stacks before
	hidden  int
}

// stackKey says what the rows depend on.
type stackKey struct {
	timeline *layout.Timeline
	id       layout.ID
	failed   *layout.OOM // in place of id
	hide     bool
	free     bool
}

// A stackRow is a frame, or a note about the allocation.
type stackRow struct {
	place, function string
	title           string // of a row that is no frame; its text is in place
	own             bool
	frame           snapshot.FrameID
	*shownRow       // nil until it is on screen
}

// A shownRow is a row on screen, whose texts can be selected. It takes a
// hundred times the memory of its texts, and most of a long stack is never
// scrolled to.
type shownRow struct {
	lines         [2]string // place and function
	texts         [2]widget.Selectable
	area          gesture.Hover
	find, without kit.Button
}

// maxShaped is how many bytes of a frame's line are shown: names from C++
// templates have thousands, of which shaping each takes its time.
const maxShaped = 400

// show prepares a row for the screen. Notes wrap and are shown whole.
func (p *Stack) show(r *stackRow) {
	if r.shownRow != nil {
		return
	}
	if n := len(p.spare); n > 0 {
		r.shownRow, p.spare = p.spare[n-1], p.spare[:n-1]
	} else {
		r.shownRow = new(shownRow)
	}
	for i, text := range [...]string{r.place, r.function} {
		if r.title == "" && len(text) > maxShaped {
			text = strings.ToValidUTF8(text[:maxShaped], "") + "…"
		}
		r.lines[i] = text
		r.texts[i].SetText(text)
		r.texts[i].ClearSelection()
	}
}

// StackEvent is what the user did in the stack panel.
type StackEvent struct {
	Copy   bool             // wants the whole stack on the clipboard
	Toggle bool             // switched HideFramework
	Find   snapshot.FrameID // a frame to search for, 0: none
	Hide   snapshot.FrameID // a frame whose allocations shall not match, 0: none
}

// Update reads the panel's events.
func (p *Stack) Update(gtx giolayout.Context) StackEvent {
	var e StackEvent
	if p.copy.Clicked(gtx) {
		e.Copy = true
	}
	if p.hide.Clicked(gtx) {
		p.HideFramework = !p.HideFramework
		e.Toggle = true
	}
	if p.alloc.Clicked(gtx) {
		p.wantFree = false
	}
	if p.free.Clicked(gtx) {
		p.wantFree = true
	}
	for i := range p.rows {
		r := &p.rows[i]
		if r.shownRow == nil {
			continue
		}
		if r.find.Clicked(gtx) {
			e.Find = r.frame
		}
		if r.without.Clicked(gtx) {
			e.Hide = r.frame
		}
	}
	return e
}

// Stack is the stack on screen, 0 when there is none.
func (p *Stack) Stack() snapshot.StackID { return p.stack }

// SelectedText is text selected in the panel by hand: copying prefers it.
func (p *Stack) SelectedText(gtx giolayout.Context) string {
	for i := range p.rows {
		if p.rows[i].shownRow == nil {
			continue
		}
		for k := range p.rows[i].texts {
			if s := &p.rows[i].texts[k]; s.SelectionLen() > 0 && gtx.Focused(s) {
				return s.SelectedText()
			}
		}
	}
	return ""
}

// set chooses the stack of what is selected and prepares its rows.
func (p *Stack) set(t *layout.Timeline, sel describe.Selection) {
	id := sel.Shown()
	key := stackKey{t, id, nil, p.HideFramework, p.wantFree}
	if sel.Pinned < 0 {
		key.failed = sel.Failed
	}
	if key == p.key {
		return
	}
	old := p.key
	p.key = key
	var stack snapshot.StackID
	var extras describe.Extras
	p.hasFree, p.before = false, false
	switch {
	case t == nil:
	case key.failed != nil:
		ev := &t.Device.Events
		stack = ev.Stack[key.failed.Event]
		if ev.Meta != nil {
			extras.Meta = ev.Meta[key.failed.Event]
		}
	case id >= 0:
		a := t.At(id)
		extras = describe.ExtrasOf(t, &a)
		stack, p.before = a.Stack, a.BeforeRecording
		if a.FreeEvent >= 0 && a.AllocEvent >= 0 && a.FreeStack != 0 {
			p.hasFree = true
			if p.wantFree {
				stack = a.FreeStack
			}
		}
	}
	if t == old.timeline && stack == p.stack && extras == p.extras && old.hide == p.HideFramework {
		return // another allocation of the same place: keep the rows and where they are scrolled to
	}
	p.stack, p.extras = stack, extras
	p.list.Position = giolayout.Position{BeforeEnd: true}
	p.makeRows(t)
}

// makeRows puts the frames of the stack into words.
func (p *Stack) makeRows(t *layout.Timeline) {
	for i := range p.rows {
		if r := p.rows[i].shownRow; r != nil {
			p.spare = append(p.spare, r)
		}
	}
	p.rows, p.hidden, p.frames = nil, 0, 0
	if t == nil {
		return
	}
	s := t.Snapshot
	frames := s.Stacks.Of(p.stack)
	hide := p.hides(s, frames)
	p.rows = notesAbove(make([]stackRow, 0, len(frames)), p.extras, s)
	for _, f := range frames {
		fx, known := fxRow(s, f)
		if hide(f) && !known {
			p.hidden++
			continue
		}
		fr := describe.FrameAt(s, f)
		under := fr.Function
		if fr.Folder != "" {
			if under != "" {
				under += "  ·  "
			}
			under += fr.Folder
		}
		p.rows = append(p.rows, stackRow{place: fr.Place, function: under, own: !s.IsFramework(f), frame: f})
		p.frames++
		if known {
			p.rows = append(p.rows, fx)
		}
	}
	if len(p.rows) > 0 && p.frames == 0 && p.hidden == 0 {
		p.rows = append(p.rows, noteRow("Stack", "not recorded"))
	}
	p.rows = notesBelow(p.rows, p.extras, s)
}

// hides says which frames are left out: those of the framework, or, in a
// stack that has no others, those that say nothing about who asked. An empty
// panel would help nobody.
func (p *Stack) hides(s *snapshot.Snapshot, frames []snapshot.FrameID) func(snapshot.FrameID) bool {
	if !p.HideFramework {
		return func(snapshot.FrameID) bool { return false }
	}
	for _, hide := range [...]func(snapshot.FrameID) bool{s.IsFramework, s.IsNoise} {
		for _, f := range frames {
			if !hide(f) {
				return hide
			}
		}
	}
	return func(snapshot.FrameID) bool { return false }
}

// Layout draws the panel for what is pinned, else hovered.
func (p *Stack) Layout(gtx giolayout.Context, th *kit.Theme, t *layout.Timeline, sel describe.Selection, copyKey string) giolayout.Dimensions {
	size := gtx.Constraints.Max
	defer clip.Rect{Max: size}.Push(gtx.Ops).Pop()
	p.set(t, sel)
	p.fixed = sel.Pinned >= 0 || sel.Failed != nil
	gtx.Constraints.Min = image.Point{}
	giolayout.Inset{Left: 12, Right: 4, Top: 8, Bottom: 4}.Layout(gtx, func(gtx giolayout.Context) giolayout.Dimensions {
		return giolayout.Flex{Axis: giolayout.Vertical}.Layout(gtx,
			giolayout.Rigid(func(gtx giolayout.Context) giolayout.Dimensions { return p.head(gtx, th) }),
			giolayout.Rigid(func(gtx giolayout.Context) giolayout.Dimensions { return p.tools(gtx, th, copyKey) }),
			kit.Gap(4),
			giolayout.Flexed(1, func(gtx giolayout.Context) giolayout.Dimensions { return p.body(gtx, th, sel) }),
		)
	})
	return giolayout.Dimensions{Size: size}
}

// head is the title and, where there is one, the switch to the free's stack.
func (p *Stack) head(gtx giolayout.Context, th *kit.Theme) giolayout.Dimensions {
	gtx.Constraints.Min.X = gtx.Constraints.Max.X
	return giolayout.Flex{Alignment: giolayout.Middle}.Layout(gtx,
		giolayout.Flexed(1, kit.Wide(kit.Label{Face: kit.Strong, Colour: th.Text, Text: "Stack trace"}.Line(th))),
		giolayout.Rigid(func(gtx giolayout.Context) giolayout.Dimensions {
			if !p.hasFree {
				return giolayout.Dimensions{Size: image.Pt(0, gtx.Dp(24))}
			}
			return giolayout.Flex{}.Layout(gtx,
				giolayout.Rigid(p.alloc.Look(th, tab(th, "Alloc", "Where it was allocated", !p.wantFree))),
				kit.Gap(2),
				giolayout.Rigid(p.free.Look(th, tab(th, "Free", "Where it was freed", p.wantFree))),
				kit.Gap(8),
			)
		}),
	)
}

func tab(th *kit.Theme, text, hint string, on bool) kit.ButtonLook {
	look := kit.ButtonLook{Text: text, Hint: hint, HintLeft: true, Small: true, Colour: th.Quiet}
	if on {
		look.Ground, look.Colour = th.Raised, th.Text
	}
	return look
}

// tools is the row of buttons.
func (p *Stack) tools(gtx giolayout.Context, th *kit.Theme, copyKey string) giolayout.Dimensions {
	if p.frames == 0 && p.hidden == 0 {
		return giolayout.Dimensions{}
	}
	box := kit.IconUnchecked
	if p.HideFramework {
		box = kit.IconChecked
	}
	return giolayout.Inset{Top: 4, Right: 8}.Layout(gtx, func(gtx giolayout.Context) giolayout.Dimensions {
		return giolayout.Flex{Alignment: giolayout.Middle}.Layout(gtx,
			giolayout.Rigid(p.copy.Look(th, kit.ButtonLook{Icon: kit.IconCopy, Text: "Copy", Small: true, Ground: th.Raised, Hint: "Copy the whole stack as text", Key: copyKey})),
			kit.Gap(8),
			giolayout.Flexed(1, p.hide.Look(th, kit.ButtonLook{Icon: box, Text: "Hide framework frames", Small: true, Colour: th.Quiet,
				Hint: "Show only your own code: no PyTorch, Python or C++ frames", HintLeft: true})),
		)
	})
}

func (p *Stack) body(gtx giolayout.Context, th *kit.Theme, sel describe.Selection) giolayout.Dimensions {
	if text := p.emptyText(sel); text != "" {
		return giolayout.Inset{Top: 8, Right: 12}.Layout(gtx, kit.Label{Colour: th.Quiet, Text: text}.Wrapped(th))
	}
	style := th.OverlayList(&p.list, 6)
	n := len(p.rows)
	if p.hidden > 0 {
		n++
	}
	return style.Layout(gtx, n, func(gtx giolayout.Context, i int) giolayout.Dimensions {
		if i == len(p.rows) {
			return giolayout.Inset{Top: 8, Bottom: 8}.Layout(gtx, th.Small(units.Plural(p.hidden, "framework frame")+" hidden").Line(th))
		}
		return p.row(gtx, th, &p.rows[i])
	})
}

// emptyText is what to say instead of a stack.
func (p *Stack) emptyText(sel describe.Selection) string {
	switch id := sel.Shown(); {
	case len(p.rows) > 0 || p.hidden > 0:
		return ""
	case id == layout.Rest:
		return "This band sums up many small allocations; it has no single stack."
	case id >= 0 && p.before:
		return "No stack was recorded: this memory was allocated before recording began. Start recording earlier to see where it comes from."
	case id >= 0:
		return "No stack was recorded for this allocation."
	case sel.Failed != nil:
		return "No stack was recorded of this request."
	}
	return "Point at an allocation to see which line of code asked for it. Click to pin it."
}

func (p *Stack) row(gtx giolayout.Context, th *kit.Theme, r *stackRow) giolayout.Dimensions {
	return giolayout.Inset{Right: 12}.Layout(gtx, func(gtx giolayout.Context) giolayout.Dimensions {
		gtx.Constraints.Min = image.Point{}
		p.show(r)
		if r.title != "" {
			return r.note(gtx, th)
		}
		width := gtx.Constraints.Max.X
		colour, face := th.Text, kit.MonoStrong
		if !r.own {
			colour, face = th.Quiet, kit.Mono
		}
		y := gtx.Dp(5)
		line := func(i int, l kit.Label) {
			l.Text = r.lines[i]
			m, d := kit.Measure(gtx, func(gtx giolayout.Context) giolayout.Dimensions {
				if p.fixed {
					// It is there to be selected; what is seen is the label.
					r.texts[i].MaxLines = 1
					l.Selectable(gtx, th, &r.texts[i], false)
				}
				return l.Layout(gtx, th)
			})
			area := clip.Rect{Min: image.Pt(0, y), Max: image.Pt(d.Size.X, y+d.Size.Y)}.Push(gtx.Ops)
			semantic.LabelOp(l.Text).Add(gtx.Ops)
			kit.Place(gtx.Ops, image.Pt(0, y), m)
			area.Pop()
			y += d.Size.Y
		}
		line(0, kit.Label{Face: face, Colour: colour})
		if r.function != "" {
			line(1, kit.Label{Size: kit.SmallSize, Colour: th.Quiet})
		}
		y += gtx.Dp(5)
		kit.Fill(gtx.Ops, image.Rect(0, y, width, y+1), kit.WithAlpha(th.Line, 160))
		size := image.Pt(width, y+1)
		r.actions(gtx, th, size)
		return giolayout.Dimensions{Size: size}
	})
}

// actions are the buttons of the row under the pointer: search for the frame,
// or leave out what came through it.
func (r *stackRow) actions(gtx giolayout.Context, th *kit.Theme, size image.Point) {
	defer clip.Rect{Max: size}.Push(gtx.Ops).Pop()
	pass := pointer.PassOp{}.Push(gtx.Ops)
	r.area.Add(gtx.Ops)
	pass.Pop()
	if !r.area.Update(gtx.Source) {
		return
	}
	c, d := kit.Measure(gtx, func(gtx giolayout.Context) giolayout.Dimensions {
		return giolayout.Flex{}.Layout(gtx,
			giolayout.Rigid(r.find.Look(th, kit.ButtonLook{Icon: kit.IconSearch, Small: true, Colour: th.Quiet, HintLeft: true, Hint: "Search for all that came through this line"})),
			giolayout.Rigid(r.without.Look(th, kit.ButtonLook{Icon: kit.IconHide, Small: true, Colour: th.Quiet, HintLeft: true, Hint: "Search without what came through this line"})))
	})
	at := image.Pt(size.X-d.Size.X, (size.Y-d.Size.Y)/2)
	kit.FillRound(gtx, th, image.Rectangle{Min: at, Max: at.Add(d.Size)}, th.Raised)
	kit.Place(gtx.Ops, at, c)
}

// note draws a row that is no frame.
func (r *stackRow) note(gtx giolayout.Context, th *kit.Theme) giolayout.Dimensions {
	width := gtx.Constraints.Max.X
	c, d := kit.Measure(gtx, kit.Label{Size: kit.SmallSize, Colour: th.Link, Text: r.title}.Line(th))
	y := gtx.Dp(5)
	kit.Place(gtx.Ops, image.Pt(0, y), c)
	y += d.Size.Y + gtx.Dp(1)
	c, d = kit.Measure(gtx, func(gtx giolayout.Context) giolayout.Dimensions {
		return kit.Label{Face: kit.Mono, Size: kit.SmallSize, Colour: th.Text}.Selectable(gtx, th, &r.texts[0], true)
	})
	kit.Place(gtx.Ops, image.Pt(0, y), c)
	y += d.Size.Y + gtx.Dp(5)
	kit.Fill(gtx.Ops, image.Rect(0, y, width, y+1), kit.WithAlpha(th.Line, 160))
	return giolayout.Dimensions{Size: image.Pt(width, y+1)}
}

func noteRow(title, text string) stackRow {
	return stackRow{title: title, place: text}
}

// fxRow makes a row of what torch.fx knows of a frame; false if nothing.
func fxRow(s *snapshot.Snapshot, f snapshot.FrameID) (stackRow, bool) {
	node, code := s.FX(f)
	if node == "" && len(code) == 0 {
		return stackRow{}, false
	}
	if node != "" {
		code = append([]string{node}, code...)
	}
	return noteRow("From torch.fx, with the model's own code", strings.Join(code, "\n")), true
}

// notesAbove makes rows of what stands above the frames.
func notesAbove(rows []stackRow, e describe.Extras, s *snapshot.Snapshot) []stackRow {
	for _, n := range describe.MetaNotes(s, e.Meta) {
		rows = append(rows, noteRow(n[0], n[1]))
	}
	return rows
}

// notesBelow makes rows of what stands under the frames.
func notesBelow(rows []stackRow, e describe.Extras, s *snapshot.Snapshot) []stackRow {
	if lines := describe.ForwardLines(s, e.Forward); len(lines) > 0 {
		rows = append(rows, noteRow("Forward pass that led here", strings.Join(lines, "\n")))
	}
	return rows
}
