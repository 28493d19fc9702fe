package panel

import (
	"image"

	giolayout "gioui.org/layout"
	"gioui.org/op"
	"gioui.org/op/clip"

	"strata/widgets/kit"
)

// A GroupTable is a page of the drawer with a table of groups.
type GroupTable struct {
	Table kit.Table

	moment, by, copy, save kit.Button
	momentAt, byAt, saveAt image.Point
}

// GroupTableState is what the page shows.
type GroupTableState struct {
	Moment string // of a breakdown, "" where there is none to choose
	Chosen bool
	By     string
	Note   string
	Empty  string // what to say in place of a table, "" where there is one
	Save   bool   // the table can be written to a file
	Sorted int
	Down   bool
}

// GroupTableEvent is what the user did in the page.
type GroupTableEvent struct {
	Table            kit.TableEvent
	Moment, By, Save bool        // a menu is wanted
	At               image.Point // its lower left corner, in the page
	Copy             bool
}

// Update reads the page's events.
func (p *GroupTable) Update(gtx C) GroupTableEvent {
	e := GroupTableEvent{Table: p.Table.Update(gtx), Copy: p.copy.Clicked(gtx)}
	switch {
	case p.moment.Clicked(gtx):
		e.Moment, e.At = true, p.momentAt
	case p.by.Clicked(gtx):
		e.By, e.At = true, p.byAt
	case p.save.Clicked(gtx):
		e.Save, e.At = true, p.saveAt
	}
	return e
}

// Layout draws the page below its head.
func (p *GroupTable) Layout(gtx C, th *kit.Theme, head *DrawerHead, d *DrawerState, s *GroupTableState) D {
	size := gtx.Constraints.Max
	defer clip.Rect{Max: size}.Push(gtx.Ops).Pop()
	r := head.Row(gtx, th, d)
	button := func(b *kit.Button, at *image.Point, look kit.ButtonLook) {
		if at != nil {
			*at = image.Pt(r.X, 0)
		}
		look.Small, look.HintAbove = true, true
		r.Add(b.Look(th, look), 4)
	}
	if s.Moment != "" {
		button(&p.moment, &p.momentAt, momentLook(th, s.Moment, s.Chosen))
	}
	button(&p.by, &p.byAt, kit.ButtonLook{Label: "by", Text: s.By, Trailing: kit.IconDown,
		Hint: "Group by something else"})
	if s.Empty == "" {
		button(&p.copy, nil, kit.ButtonLook{Icon: kit.IconCopy, Text: "Copy", Colour: th.Quiet,
			Hint: "Copy the table, for a spreadsheet"})
		if s.Save {
			button(&p.save, &p.saveAt, kit.ButtonLook{Text: "Export", Trailing: kit.IconDown, Colour: th.Quiet,
				Hint: "Write it to a file: CSV, JSON, collapsed stacks, pprof"})
		}
	}
	r.X += gtx.Dp(6)
	if room := r.End - r.X; room > gtx.Dp(60) {
		r.Gtx.Constraints.Max.X = room
		r.Add(th.Small(s.Note).Line(th), 0)
	}
	body := image.Rect(gtx.Dp(8), gtx.Dp(headDrawer), size.X-gtx.Dp(8), size.Y-gtx.Dp(8))
	if body.Empty() {
		return D{Size: size}
	}
	defer op.Offset(body.Min).Push(gtx.Ops).Pop()
	gtx.Constraints = giolayout.Exact(body.Size())
	if s.Empty != "" {
		gtx.Constraints.Min = image.Point{}
		giolayout.Inset{Top: 6, Left: 4}.Layout(gtx, th.Aside(s.Empty).Wrapped(th))
		return D{Size: size}
	}
	p.Table.Layout(gtx, th, s.Sorted, s.Down)
	kit.Border(gtx.Ops, image.Rectangle{Max: body.Size()}, th.Line)
	return D{Size: size}
}

// momentLook is the button that says which moment it is.
func momentLook(th *kit.Theme, moment string, chosen bool) kit.ButtonLook {
	look := kit.ButtonLook{Text: moment, Ground: th.Raised, Trailing: kit.IconDown, Hint: "Another moment"}
	if chosen {
		look.Ground = th.Selected
	}
	return look
}
