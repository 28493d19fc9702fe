package kit

import (
	"image"

	"gioui.org/io/event"
	giolayout "gioui.org/layout"
	"gioui.org/op"
	"gioui.org/op/clip"
	"gioui.org/unit"
	"gioui.org/widget"
	"gioui.org/widget/material"
)

type (
	// C is a context, named as in Gio's own examples.
	C = giolayout.Context
	// D is the dimensions of a widget, named as in Gio's own examples.
	D = giolayout.Dimensions
)

// Measure lays a widget out without drawing it yet.
func Measure(gtx C, w giolayout.Widget) (op.CallOp, D) {
	m := op.Record(gtx.Ops)
	d := w(gtx)
	return m.Stop(), d
}

// Place draws a recorded widget at a point.
func Place(ops *op.Ops, at image.Point, c op.CallOp) {
	defer op.Offset(at).Push(ops).Pop()
	c.Add(ops)
}

// Middle draws a widget at x in the middle of a height and returns where it ends.
func Middle(gtx C, w giolayout.Widget, x, height int) int {
	c, d := Measure(gtx, w)
	Place(gtx.Ops, image.Pt(x, (height-d.Size.Y)/2), c)
	return x + d.Size.X
}

// Before is Middle for a widget that ends at x; it returns where it begins.
func Before(gtx C, w giolayout.Widget, x, height int) int {
	c, d := Measure(gtx, w)
	x -= d.Size.X
	Place(gtx.Ops, image.Pt(x, (height-d.Size.Y)/2), c)
	return x
}

// Wide makes a widget take all the width there is, so that what follows it in a row stands at the right.
func Wide(w giolayout.Widget) giolayout.Widget {
	return func(gtx C) D {
		d := w(gtx)
		d.Size.X = max(d.Size.X, gtx.Constraints.Max.X)
		return d
	}
}

// A Row places widgets from left to right as long as they fit.
type Row struct {
	Gtx            C
	X, End, Height int
	full           bool
}

// Fits reports whether a widget has room, without drawing it.
func (r *Row) Fits(w giolayout.Widget) bool {
	_, d := Measure(r.Gtx, w)
	return r.X+d.Size.X <= r.End
}

// Add draws a widget, or nothing if it, or one before it, has no room.
func (r *Row) Add(w giolayout.Widget, gap float32) {
	if r.full {
		return
	}
	c, d := Measure(r.Gtx, w)
	if r.X+d.Size.X > r.End {
		r.full = true
		return
	}
	Place(r.Gtx.Ops, image.Pt(r.X, (r.Height-d.Size.Y)/2), c)
	r.X += d.Size.X + r.Gtx.Dp(unit.Dp(gap))
}

// InRow makes a widget of children beside one another, each in the middle of the row's height.
func InRow(children ...giolayout.FlexChild) giolayout.Widget {
	return func(gtx C) D { return giolayout.Flex{Alignment: giolayout.Middle}.Layout(gtx, children...) }
}

// InColumn makes a widget of children under one another.
func InColumn(children ...giolayout.FlexChild) giolayout.Widget {
	return func(gtx C) D { return giolayout.Flex{Axis: giolayout.Vertical}.Layout(gtx, children...) }
}

// Noted makes a widget of a text with a sign before it, at the height of its first line.
func Noted(sign giolayout.Widget, gap unit.Dp, text giolayout.Widget) giolayout.Widget {
	return func(gtx C) D {
		return giolayout.Flex{}.Layout(gtx, giolayout.Rigid(sign), Gap(gap), giolayout.Flexed(1, text))
	}
}

// Titled is lines of text of which the first is a title.
func (th *Theme) Titled(lines []string) giolayout.Widget {
	children := []giolayout.FlexChild{giolayout.Rigid(th.Strong(lines[0]).Wrapped(th))}
	for _, line := range lines[1:] {
		children = append(children, giolayout.Rigid(th.Aside(line).Wrapped(th)))
	}
	return InColumn(children...)
}

// Padded puts room around a widget.
func Padded(room giolayout.Inset, w giolayout.Widget) giolayout.Widget {
	return func(gtx C) D { return room.Layout(gtx, w) }
}

// Gap is room between two children of a Flex.
func Gap(size unit.Dp) giolayout.FlexChild {
	return giolayout.Rigid(giolayout.Spacer{Width: size, Height: size}.Layout)
}

// Float draws what was measured in a box that floats over the window at a point. With a tag, the pointer does not reach
// what lies under it.
func Float(gtx C, th *Theme, at image.Point, c op.CallOp, d D, tag event.Tag) {
	defer op.Offset(at).Push(gtx.Ops).Pop()
	r := image.Rectangle{Max: d.Size}
	Shadow(gtx, th, r)
	Box(gtx, th, r, th.Line, th.Card)
	if tag != nil {
		defer clip.Rect(r).Push(gtx.Ops).Pop()
		event.Op(gtx.Ops, tag)
	}
	c.Add(gtx.Ops)
}

// FloatBeside is Float beside the pointer, within room, and returns where that is.
func FloatBeside(gtx C, th *Theme, pointer, room image.Point, c op.CallOp, d D) image.Rectangle {
	edge, away := gtx.Dp(4), gtx.Dp(16)
	most := room.Sub(image.Pt(edge, edge)).Sub(d.Size)
	box := pointer.Add(image.Pt(away, away))
	if box.X > most.X {
		box.X = pointer.X - away - d.Size.X
	}
	if box.Y > most.Y {
		box.Y = pointer.Y - away - d.Size.Y
	}
	box.X, box.Y = max(edge, min(box.X, most.X)), max(edge, box.Y)
	Float(gtx, th, box, c, d, nil)
	return image.Rectangle{Min: box, Max: box.Add(d.Size)}
}

// List is the style of a vertical list with a scroll bar beside it.
func (th *Theme) List(l *widget.List) material.ListStyle {
	l.Axis = giolayout.Vertical
	style := material.List(th.mat, l)
	style.Indicator.Color = WithAlpha(th.Quiet, 120)
	return style
}

// OverlayList is the style of a vertical list whose scroll bar, width wide, lies over its right edge.
func (th *Theme) OverlayList(l *widget.List, width unit.Dp) material.ListStyle {
	style := th.List(l)
	style.AnchorStrategy = material.Overlay
	style.Indicator.HoverColor = WithAlpha(th.Quiet, 200)
	style.Indicator.MinorWidth, style.Track.MinorPadding = width, 1
	return style
}

// Reveal scrolls a list no further than it takes for a row to be seen whole.
func Reveal(list *widget.List, row int) {
	switch p := &list.Position; {
	case row <= p.First:
		p.First, p.Offset, p.BeforeEnd = row, 0, true
	case row >= p.First+p.Count-1:
		p.First, p.Offset, p.BeforeEnd = max(0, row-max(2, p.Count)+2), 0, true
	}
}
