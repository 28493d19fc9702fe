package panel

import (
	"image"
	"slices"

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
	// Why says why the request that is pinned failed, nil while that is not known.
	Why *describe.Reasons

	// fixed: the pointer can come here and the stack stays, so its texts can be selected. To make them ready for that
	// takes longer than the rest of a frame, too long while the pointer goes over one allocation after the other.
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
	pending bool // the free was asked for, but is not complete
	before  bool // the allocation was live before recording
	rows    []stackRow
	hidden  int
}

// stackKey says what the rows depend on.
type stackKey struct {
	timeline *layout.Timeline
	id       layout.ID
	failed   *layout.OOM // in place of id
	hide     bool
	free     bool
	why      *describe.Reasons // of failed
}

// StackEvent is what the user did in the stack panel.
type StackEvent struct {
	Copy   bool             // wants the whole stack on the clipboard
	Toggle bool             // switched HideFramework
	Find   snapshot.FrameID // a frame to search for, 0: none
	Hide   snapshot.FrameID // a frame whose allocations shall not match, 0: none
	Link   int              // a describe.Note.Link to follow, 0: none
}

// Update reads the panel's events.
func (p *Stack) Update(gtx C) StackEvent {
	var e StackEvent
	e.Copy, e.Toggle = p.copy.Clicked(gtx), p.hide.Clicked(gtx)
	p.HideFramework = p.HideFramework != e.Toggle
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
			if e.Find = r.frame; r.link > 0 {
				e.Link = r.link
			}
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
func (p *Stack) SelectedText(gtx C) string {
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
	key := stackKey{t, id, nil, p.HideFramework, p.wantFree, nil}
	if sel.Pinned < 0 && sel.Failed != nil {
		key.failed, key.why = sel.Failed, p.Why
	}
	if key == p.key {
		return
	}
	old := p.key
	p.key = key
	var stack snapshot.StackID
	var extras describe.Extras
	p.hasFree, p.pending, p.before = false, false, false
	switch {
	case t == nil:
	case key.failed != nil:
		ev := &t.Device.Events
		stack = ev.Stack[key.failed.Event]
		if ev.Meta != nil {
			extras.Notes = describe.MetaNotes(t.Snapshot, ev.Meta[key.failed.Event])
		}
		if key.why != nil {
			extras.Notes = slices.Concat(key.why.Notes, extras.Notes)
		}
	case id >= 0:
		a := t.At(id)
		extras = describe.ExtrasOf(t, &a)
		stack, p.before = a.Stack, a.BeforeRecording
		free := describe.FreeStack(t, &a)
		p.hasFree = free != 0
		p.pending = p.hasFree && a.FreeEvent < 0
		if p.hasFree && p.wantFree {
			stack = free
		}
	}
	same := slices.Equal(extras.Notes, p.extras.Notes) && extras.Forward == p.extras.Forward
	if t == old.timeline && stack == p.stack && same && old.hide == p.HideFramework {
		return // another allocation of the same place: keep the rows and where they are scrolled to
	}
	p.stack, p.extras = stack, extras
	p.list.Position = giolayout.Position{BeforeEnd: true}
	p.makeRows(t)
}

// Layout draws the panel for what is pinned, else hovered.
func (p *Stack) Layout(gtx C, th *kit.Theme, t *layout.Timeline, sel describe.Selection, copyKey string) D {
	size := gtx.Constraints.Max
	defer clip.Rect{Max: size}.Push(gtx.Ops).Pop()
	p.set(t, sel)
	p.fixed = sel.Pinned >= 0 || sel.Failed != nil
	gtx.Constraints.Min = image.Point{}
	giolayout.Inset{Left: 12, Right: 4, Top: 8, Bottom: 4}.Layout(gtx, kit.InColumn(
		giolayout.Rigid(p.head(th)),
		giolayout.Rigid(p.tools(th, copyKey)),
		kit.Gap(4),
		giolayout.Flexed(1, func(gtx C) D { return p.body(gtx, th, sel) })))
	return D{Size: size}
}

// head is the title and, where there is one, the switch to the free's stack.
func (p *Stack) head(th *kit.Theme) giolayout.Widget {
	children := []giolayout.FlexChild{giolayout.Flexed(1, kit.Wide(th.Strong("Stack trace").Line(th)))}
	if !p.hasFree {
		return kit.InRow(append(children, kit.Gap(24))...) // as high as with the buttons
	}
	freed := "Where it was freed"
	if p.pending {
		freed = "Where its free was asked for, which is pending"
	}
	return kit.InRow(append(children,
		giolayout.Rigid(p.alloc.Look(th, tab(th, "Alloc", "Where it was allocated", !p.wantFree))),
		kit.Gap(2),
		giolayout.Rigid(p.free.Look(th, tab(th, "Free", freed, p.wantFree))),
		kit.Gap(8))...)
}

func tab(th *kit.Theme, text, hint string, on bool) kit.ButtonLook {
	look := kit.ButtonLook{Text: text, Hint: hint, HintLeft: true, Small: true, Colour: th.Quiet}
	if on {
		look.Ground, look.Colour = th.Raised, th.Text
	}
	return look
}

// tools is the row of buttons.
func (p *Stack) tools(th *kit.Theme, copyKey string) giolayout.Widget {
	if p.frames == 0 && p.hidden == 0 {
		return kit.InRow()
	}
	box := kit.IconUnchecked
	if p.HideFramework {
		box = kit.IconChecked
	}
	return kit.Padded(giolayout.Inset{Top: 4, Right: 8}, kit.InRow(
		giolayout.Rigid(p.copy.Look(th, kit.ButtonLook{Icon: kit.IconCopy, Text: "Copy", Small: true,
			Ground: th.Raised, Hint: "Copy the stack as it is shown", Key: copyKey})),
		kit.Gap(8),
		giolayout.Flexed(1, p.hide.Look(th, kit.ButtonLook{Icon: box, Text: "Hide framework frames", Small: true,
			Colour: th.Quiet, Hint: "Show only your own code: no PyTorch, Python or C++ frames", HintLeft: true}))))
}

func (p *Stack) body(gtx C, th *kit.Theme, sel describe.Selection) D {
	if text := p.emptyText(sel); text != "" {
		return giolayout.Inset{Top: 8, Right: 12}.Layout(gtx, th.Aside(text).Wrapped(th))
	}
	n := len(p.rows)
	if p.hidden > 0 {
		n++
	}
	return th.OverlayList(&p.list, 6).Layout(gtx, n, func(gtx C, i int) D {
		if i == len(p.rows) {
			note := th.Small(units.Plural(p.hidden, "framework frame") + " hidden")
			return giolayout.Inset{Top: 8, Bottom: 8}.Layout(gtx, note.Line(th))
		}
		return p.row(gtx, th, &p.rows[i])
	})
}

// emptyText is what to say instead of a stack.
func (p *Stack) emptyText(sel describe.Selection) string {
	of := describe.Stacked(p.key.timeline)
	switch id := sel.Shown(); {
	case len(p.rows) > 0 || p.hidden > 0:
		return ""
	case id == layout.Rest:
		return "This band sums up many small allocations; it has no single stack."
	case id >= 0 && p.before && of == "segment":
		return "No stack was recorded: this segment was there before recording began."
	case id >= 0 && p.before:
		return "No stack was recorded: this memory was allocated before recording began. Start recording earlier to " +
			"see where it comes from."
	case id >= 0:
		return "No stack was recorded for this " + of + "."
	case sel.Failed != nil:
		return "No stack was recorded of this request."
	}
	return describe.PointAt(p.key.timeline)
}
