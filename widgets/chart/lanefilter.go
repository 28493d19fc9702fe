package chart

import (
	"image"
	"slices"
	"strings"

	giolayout "gioui.org/layout"

	"strata/layout/units"
	"strata/widgets/describe"
	"strata/widgets/kit"
)

// A LaneFilter is the row above the bars of a lane, which says what annotations
// are shown; closed, it is a button beside them.
type LaneFilter struct {
	kit.Field
	Open bool
	All  bool   // those of the framework itself too
	Err  string // what is wrong with the text

	button kit.Button
	toggle kit.Button
	close  kit.Button
}

// laneFilterHeight is the height of the row, dp.
const laneFilterHeight = 32

// FilterEvent is what the user did with the filter.
type FilterEvent struct {
	OpenFilter  bool // opened or closed it
	ToggleAll   bool
	CloseFilter bool
	Text        string
	Typed       bool // Text is new
}

func (f *LaneFilter) update(gtx C) FilterEvent {
	e := FilterEvent{OpenFilter: f.button.Clicked(gtx), ToggleAll: f.toggle.Clicked(gtx),
		CloseFilter: f.close.Clicked(gtx)}
	e.Typed, _ = f.Field.Update(gtx)
	e.Text = f.Text()
	return e
}

// layout draws the button in the gutter, and the row if it is open.
func (f *LaneFilter) layout(gtx C, th *kit.Theme, d *describe.Annotations, origin, width int, bars []laneBar) {
	look := kit.ButtonLook{Icon: kit.IconFilter, Small: true, Colour: th.Quiet,
		Hint: strings.TrimSuffix("Filter the annotations; "+d.Hidden(f.All), "; ")}
	if f.Text() != "" || f.All {
		look.Colour = th.Link
	}
	if !f.Open {
		c, dims := kit.Measure(gtx, f.button.Look(th, look))
		kit.Place(gtx.Ops, image.Pt(max(0, origin-dims.Size.X-gtx.Dp(6)), 0), c)
		f.note(gtx, th, d, image.Rect(origin, 0, origin+width, gtx.Dp(laneRow+4)), bars)
		return
	}
	row := gtx.Dp(laneFilterHeight - 4)
	right := origin + width
	button := func(b *kit.Button, look kit.ButtonLook) {
		look.Small, look.HintLeft = true, true
		right = kit.Before(gtx, b.Look(th, look), right, row) - gtx.Dp(6)
	}
	button(&f.close, kit.ButtonLook{Icon: kit.IconClose, Colour: th.Quiet, Hint: "Close the filter", Key: "Esc"})
	if d.Internal > 0 {
		icon := kit.IconUnchecked
		if f.All {
			icon = kit.IconChecked
		}
		text := "Framework's own"
		if width < gtx.Dp(420) {
			text = "Own"
		}
		button(&f.toggle, kit.ButtonLook{Icon: icon, Text: text,
			Hint: "Show what dynamo, inductor, autotuning and the profiler annotate themselves"})
	}
	says, colour := units.Plural(len(d.Phases.All), "annotation"), th.Quiet
	if f.Err != "" {
		says, colour = f.Err, th.Red
	}
	g := gtx
	g.Constraints.Max = image.Pt(max(0, (right-origin)/2), row)
	label := kit.Label{Size: kit.SmallSize, Colour: colour, Text: says}
	right = kit.Before(g, label.Line(th), right-gtx.Dp(4), row)
	if r := image.Rect(origin, gtx.Dp(1), right-gtx.Dp(10), row-gtx.Dp(1)); r.Dx() >= gtx.Dp(40) {
		f.Layout(gtx, th, r, kit.FieldLook{Hint: "Filter annotations: text, or /regex/", Ground: th.Card,
			Wrong: f.Err != "", Pad: 8})
	}
}

// note says why the lane is empty, or what of it is hidden where no bar is in the way.
func (f *LaneFilter) note(gtx C, th *kit.Theme, d *describe.Annotations, r image.Rectangle, bars []laneBar) {
	hidden := d.Hidden(f.All)
	text, show := "no annotation matches the filter", f.Text() == "" && hidden != ""
	switch {
	case show:
		text = hidden
	case len(d.Phases.All) > 0:
		return
	}
	gtx.Constraints = giolayout.Constraints{Max: r.Size()}
	children := []giolayout.FlexChild{giolayout.Rigid(th.Small(text).Line(th))}
	if show {
		children = append(children, giolayout.Rigid(f.toggle.Look(th, kit.ButtonLook{Text: "Show", Small: true,
			Colour: th.Link, Hint: "They are of dynamo, inductor, autotuning and the profiler", HintLeft: true})))
	}
	c, dims := kit.Measure(gtx, kit.InRow(children...))
	if len(d.Phases.All) == 0 {
		kit.Place(gtx.Ops, r.Min, c)
		return
	}
	full, _ := laneRowsOf(d)
	for row := range full { // at the right end of the first row that has room there
		box := image.Rectangle{Max: dims.Size}.Add(image.Pt(r.Max.X-dims.Size.X, row*gtx.Dp(laneRow+laneGap)))
		in := box.Inset(gtx.Dp(3)) // a button is a little higher than a row
		if !slices.ContainsFunc(bars, func(b laneBar) bool { return b.rect.Overlaps(in) }) {
			kit.Place(gtx.Ops, box.Min, c)
			return
		}
	}
}
