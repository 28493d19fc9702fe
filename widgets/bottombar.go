package widgets

import (
	"image"

	giolayout "gioui.org/layout"
	"gioui.org/op/clip"

	"strata/layout"
)

// A BottomBar says in one line what the pinned, else hovered, allocation is.
type BottomBar struct {
	Bring Button // brings a pinned allocation that is out of view back
	unpin Button
}

// BottomBarHeight is the bar's height.
const BottomBarHeight = 56

// BottomEvent is what the user did in the bottom bar.
type BottomEvent struct{ Bring, Unpin bool }

// Update reads the bar's events.
func (b *BottomBar) Update(gtx giolayout.Context) BottomEvent {
	return BottomEvent{Bring: b.Bring.Clicked(gtx), Unpin: b.unpin.Clicked(gtx)}
}

// field is a title over a value.
type field struct {
	title string
	value Label
	aside string // quiet, after the value
}

// Layout draws the bar. offView tells that the pinned allocation is not in
// the view. With nothing selected it gives hints.
func (b *BottomBar) Layout(gtx giolayout.Context, th *Theme, d *Details, sel Selection, offView bool, hints []KeyHint) giolayout.Dimensions {
	size := image.Pt(gtx.Constraints.Max.X, gtx.Dp(BottomBarHeight))
	gtx.Constraints = giolayout.Constraints{Max: size}
	defer clip.Rect{Max: size}.Push(gtx.Ops).Pop()
	fill(gtx.Ops, image.Rectangle{Max: size}, th.Card)
	fill(gtx.Ops, image.Rect(0, 0, size.X, 1), th.Line)
	x := gtx.Dp(14)
	switch {
	case sel.Shown() == layout.None:
		b.hints(gtx, th, x, size, hints)
	case d.Rest:
		x = b.field(gtx, th, x, size, field{"Not drawn apart", Label{Face: MonoStrong, Colour: th.Text, Text: d.Size}, ""})
		b.field(gtx, th, x, size, field{" ", Label{Colour: th.Quiet, Text: d.Note}, ""})
	default:
		right := b.right(gtx, th, size, sel, offView)
		area := clip.Rect{Max: image.Pt(right, size.Y)}.Push(gtx.Ops)
		for _, f := range fields(th, d) {
			if x >= right {
				break
			}
			x = b.field(gtx, th, x, size, f)
		}
		area.Pop()
	}
	return giolayout.Dimensions{Size: size}
}

// fields are what the bar says about an allocation, the most wanted first: a
// narrow window cuts off the last ones.
func fields(th *Theme, d *Details) []field {
	mono := func(s string) Label { return th.MonoText(s) }
	fs := []field{
		{"Allocation", Label{Face: MonoStrong, Colour: th.Text, Text: d.Size}, d.Exact},
		{"Alive", mono(d.Alive), d.Lasted},
		{"Total at alloc → free", mono(d.Totals), ""},
		{"Call site", th.Body(d.Site), ""},
		{"Stream, pool", mono(d.Stream + " · " + d.Pool), ""},
		{"Address", mono(d.Address), ""},
	}
	if d.Phase != "" {
		fs = append(fs[:3], append([]field{{"Phase", Label{Colour: th.Shape, Text: d.Phase}, ""}}, fs[3:]...)...)
	}
	if d.Note != "" {
		fs = append(fs[:2], append([]field{{"Note", Label{Colour: th.Warning, Text: d.Note}, ""}}, fs[2:]...)...)
	}
	return fs
}

// field draws a field at x and returns where the next one begins.
func (b *BottomBar) field(gtx giolayout.Context, th *Theme, x int, size image.Point, f field) int {
	gtx.Constraints = giolayout.Constraints{Max: image.Pt(1<<16, size.Y)}
	t, td := measure(gtx, th.Small(f.title).widget(th))
	v, vd := measure(gtx, f.value.widget(th))
	gap := gtx.Dp(2)
	y := (size.Y - td.Size.Y - vd.Size.Y - gap) / 2
	place(gtx.Ops, image.Pt(x, y), t)
	y += td.Size.Y + gap
	place(gtx.Ops, image.Pt(x, y), v)
	width := vd.Size.X
	if f.aside != "" {
		a, ad := measure(gtx, Label{Face: Mono, Size: SmallSize, Colour: th.Quiet, Text: f.aside}.widget(th))
		width += gtx.Dp(7)
		place(gtx.Ops, image.Pt(x+width, y+ascent(vd)-ascent(ad)), a)
		width += ad.Size.X
	}
	return x + max(width, td.Size.X) + gtx.Dp(24)
}

// right draws what stands at the right end and returns where it begins.
func (b *BottomBar) right(gtx giolayout.Context, th *Theme, size image.Point, sel Selection, offView bool) int {
	if sel.Pinned < 0 || size.X < gtx.Dp(560) {
		return size.X
	}
	c, d := measure(gtx, func(gtx giolayout.Context) giolayout.Dimensions {
		return giolayout.Flex{Alignment: giolayout.Middle}.Layout(gtx,
			giolayout.Rigid(func(gtx giolayout.Context) giolayout.Dimensions {
				if !offView {
					return giolayout.Dimensions{}
				}
				return b.Bring.Layout(gtx, th, ButtonLook{Text: "Show it", Small: true, Ground: th.Raised, Colour: th.Link, Hint: "The pinned allocation is out of view: bring it back", HintLeft: true, HintAbove: true})
			}),
			giolayout.Rigid(giolayout.Spacer{Width: 6}.Layout),
			giolayout.Rigid(func(gtx giolayout.Context) giolayout.Dimensions {
				return b.unpin.Layout(gtx, th, ButtonLook{Icon: IconClose, Text: "Pinned", Small: true, Colour: th.Quiet, Hint: "Unpin", Key: "Esc", HintLeft: true, HintAbove: true})
			}),
		)
	})
	x := size.X - d.Size.X - gtx.Dp(8)
	place(gtx.Ops, image.Pt(x, (size.Y-d.Size.Y)/2), c)
	return x - gtx.Dp(8)
}

// A KeyHint is a key and what it does.
type KeyHint struct{ Key, Text string }

func (b *BottomBar) hints(gtx giolayout.Context, th *Theme, x int, size image.Point, hints []KeyHint) {
	gtx.Constraints = giolayout.Constraints{Max: image.Pt(1<<16, size.Y)}
	for _, h := range hints {
		k, kd := measure(gtx, func(gtx giolayout.Context) giolayout.Dimensions { return keyCap(gtx, th, h.Key) })
		t, td := measure(gtx, Label{Colour: th.Quiet, Text: h.Text}.widget(th))
		end := x + kd.Size.X + gtx.Dp(6) + td.Size.X
		if end > size.X {
			return // a hint cut in half is no hint
		}
		place(gtx.Ops, image.Pt(x, (size.Y-kd.Size.Y)/2), k)
		x += kd.Size.X + gtx.Dp(6)
		place(gtx.Ops, image.Pt(x, (size.Y-td.Size.Y)/2), t)
		x = end + gtx.Dp(20)
	}
}
