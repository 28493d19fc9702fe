package panel

import (
	"image"
	"image/color"

	"gioui.org/gesture"
	"gioui.org/io/pointer"
	"gioui.org/io/semantic"
	giolayout "gioui.org/layout"
	"gioui.org/op/clip"
	"gioui.org/widget"

	"strata/layout/units"
	"strata/widgets/kit"
)

// Groups lists the largest groups of memory at a moment, or the largest differences between two.
type Groups struct {
	list   widget.List
	moment kit.Button
	by     kit.Button
	more   kit.Button
	rows   []groupRow
}

// A groupRow is a row on screen.
type groupRow struct {
	hover gesture.Hover
	click widget.Clickable
}

// A Group is a row of Groups.
type Group struct {
	ID     int32 // NoGroup for the rest
	Colour color.NRGBA
	Name   string
	Bytes  int64   // held, or the difference
	Note   string  // small, below the bytes
	Part   float64 // of the whole, -1 to 1: the bar
}

// NoGroup is no group of a breakdown.
const NoGroup int32 = -1

// GroupsState is what the list shows.
type GroupsState struct {
	Title  string
	Moment string // "peak in view · step 26,112 · 20.2 GiB"
	Chosen bool   // the moment is the person's choice
	By     string // "call site"
	Groups []Group
	Lit    int32  // the group that is lit, NoGroup for none
	Busy   bool   // it is not known yet
	Signed bool   // bytes are differences
	Hint   string // below the groups
	Empty  string
	Key    string // that opens the table
}

// GroupsEvent is what the user did in the list.
type GroupsEvent struct {
	Hovered int32 // the group under the pointer, NoGroup for none
	Clicked int32 // NoGroup: none
	Moment  bool  // wants to choose another moment
	By      bool  // wants to group by something else
	More    bool  // wants the whole table
}

// Update reads the list's events.
func (g *Groups) Update(gtx C, s *GroupsState) GroupsEvent {
	e := GroupsEvent{Hovered: NoGroup, Clicked: NoGroup, Moment: g.moment.Clicked(gtx), By: g.by.Clicked(gtx),
		More: g.more.Clicked(gtx)}
	for i := range min(len(g.rows), len(s.Groups)) {
		r := &g.rows[i]
		if r.hover.Update(gtx.Source) {
			e.Hovered = s.Groups[i].ID
		}
		if r.click.Clicked(gtx) {
			e.Clicked = s.Groups[i].ID
		}
	}
	return e
}

// Reveal scrolls to a row.
func (g *Groups) Reveal(row int) { kit.Reveal(&g.list, row) }

// Layout draws the panel.
func (g *Groups) Layout(gtx C, th *kit.Theme, s *GroupsState) D {
	size := gtx.Constraints.Max
	defer clip.Rect{Max: size}.Push(gtx.Ops).Pop()
	for len(g.rows) < len(s.Groups) {
		g.rows = append(g.rows, groupRow{})
	}
	gtx.Constraints.Min = image.Point{}
	semantic.LabelOp("What held the memory").Add(gtx.Ops)
	giolayout.Inset{Left: 12, Right: 4, Top: 8, Bottom: 4}.Layout(gtx, kit.InColumn(
		giolayout.Rigid(g.head(th, s)),
		kit.Gap(2),
		giolayout.Rigid(g.chip(th, s)),
		kit.Gap(6),
		giolayout.Flexed(1, func(gtx C) D { return g.body(gtx, th, s) })))
	return D{Size: size}
}

func (g *Groups) head(th *kit.Theme, s *GroupsState) giolayout.Widget {
	by := kit.ButtonLook{Label: "by", Text: s.By, Small: true, Trailing: kit.IconDown, HintLeft: true,
		Hint: "Group by something else"}
	all := kit.ButtonLook{Text: "All", Small: true, Colour: th.Link, HintLeft: true,
		Hint: "All groups in a table, with their course", Key: s.Key}
	return kit.InRow(
		giolayout.Flexed(1, kit.Wide(th.Strong(s.Title).Line(th))),
		giolayout.Rigid(g.by.Look(th, by)),
		giolayout.Rigid(g.more.Look(th, all)),
		kit.Gap(8))
}

// chip is the moment, to be changed.
func (g *Groups) chip(th *kit.Theme, s *GroupsState) giolayout.Widget {
	look := kit.ButtonLook{Text: s.Moment, Small: true, Ground: th.Raised, Trailing: kit.IconDown,
		Hint: "Another moment. Or click in the strip below the picture; Shift+drag there compares two"}
	if s.Chosen {
		look.Ground = th.Selected
	}
	return kit.InRow(giolayout.Rigid(g.moment.Look(th, look)))
}

func (g *Groups) body(gtx C, th *kit.Theme, s *GroupsState) D {
	if len(s.Groups) == 0 {
		if s.Busy {
			return D{}
		}
		return giolayout.Inset{Top: 8, Right: 12}.Layout(gtx, th.Aside(s.Empty).Wrapped(th))
	}
	g.list.Axis = giolayout.Vertical
	return th.OverlayList(&g.list, 6).Layout(gtx, len(s.Groups)+1, func(gtx C, i int) D {
		if i == len(s.Groups) {
			return giolayout.Inset{Top: 10, Right: 12, Bottom: 8}.Layout(gtx, th.Small(s.Hint).Wrapped(th))
		}
		return g.rows[i].layout(gtx, th, &s.Groups[i], s)
	})
}

// layout draws a row: the name over a bar, bytes and share at the right.
func (r *groupRow) layout(gtx C, th *kit.Theme, g *Group, s *GroupsState) D {
	width, height := max(0, gtx.Constraints.Max.X-gtx.Dp(12)), gtx.Dp(40)
	size := image.Pt(width, height)
	gtx.Constraints = giolayout.Constraints{Max: size}
	defer clip.Rect{Max: size}.Push(gtx.Ops).Pop()
	r.hover.Add(gtx.Ops)
	draw := func(gtx C) D {
		if g.ID != NoGroup {
			pointer.CursorPointer.Add(gtx.Ops)
		}
		if g.ID != NoGroup && g.ID == s.Lit {
			kit.Fill(gtx.Ops, image.Rectangle{Max: size}, th.Selected)
		}
		bytes := units.Bytes(g.Bytes)
		if s.Signed {
			bytes = units.SignedBytes(g.Bytes)
		}
		right := func(l kit.Label, y int) int {
			c, d := kit.Measure(gtx, l.Line(th))
			kit.Place(gtx.Ops, image.Pt(width-d.Size.X, y), c)
			return width - d.Size.X
		}
		swatch := image.Rect(0, gtx.Dp(7), gtx.Dp(9), gtx.Dp(16))
		if g.Colour.A != 0 {
			kit.FillRound(gtx, th, swatch, g.Colour)
		}
		end := right(th.MonoText(bytes), gtx.Dp(3))
		end = min(end, right(th.Figures(g.Note), gtx.Dp(19)))
		name := gtx
		name.Constraints.Max.X = max(0, end-gtx.Dp(15+10))
		label := th.Body(g.Name)
		if g.ID == NoGroup {
			label = th.Aside(g.Name)
		}
		c, _ := kit.Measure(name, label.Line(th))
		kit.Place(gtx.Ops, image.Pt(gtx.Dp(15), gtx.Dp(3)), c)
		r.bar(gtx, th, g, width-gtx.Dp(150))
		return D{Size: size}
	}
	if g.ID == NoGroup {
		draw(gtx)
	} else {
		r.click.Layout(gtx, draw)
	}
	return D{Size: image.Pt(width+gtx.Dp(12), height)}
}

// bar draws the part of the whole below the name, as far as end at most, so that bars of all rows compare.
func (r *groupRow) bar(gtx C, th *kit.Theme, g *Group, end int) {
	from, y := gtx.Dp(15), gtx.Dp(25)
	room := max(0, end-from)
	kit.Fill(gtx.Ops, image.Rect(from, y, from+room, y+gtx.Dp(3)), kit.WithAlpha(th.Line, 120))
	c := th.Curve
	if g.Part < 0 {
		c = kit.WithAlpha(th.Shape, 170)
	}
	length := int(float64(room)*min(1, max(g.Part, -g.Part)) + .5)
	kit.Fill(gtx.Ops, image.Rect(from, y, from+length, y+gtx.Dp(3)), c)
}
