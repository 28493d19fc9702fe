package chart

import (
	"image"
	"math"
	"strconv"

	giolayout "gioui.org/layout"
	"gioui.org/unit"

	"strata/layout/units"
	"strata/widgets/describe"
	"strata/widgets/kit"
)

// laneLevels are the levels of nesting that a lane has rows for: all of them, or as many as there are rows, from a
// level on that buttons beside the rows change.
type laneLevels struct {
	first    int // the level of the first row
	last     int // the greatest that first can be
	part     float64
	up, down kit.Button
}

// keep brings first to where there are levels, and returns it.
func (n *laneLevels) keep(d *describe.Annotations) int {
	full, thin := laneRowsOf(d)
	n.last = max(0, d.Phases.Depth()-full-thin)
	n.first = min(n.first, n.last)
	return n.first
}

// update reads the buttons.
func (n *laneLevels) update(gtx C) {
	if n.up.Clicked(gtx) {
		n.move(-laneRows)
	}
	if n.down.Clicked(gtx) {
		n.move(laneRows)
	}
}

func (n *laneLevels) move(by int) { n.first = max(0, min(n.first+by, n.last)) }

// scroll goes deeper by notches of the wheel; parts of them add up.
func (n *laneLevels) scroll(notches float64) {
	whole := math.Trunc(n.part + notches)
	n.part += notches - whole
	n.move(int(whole))
}

// ShowLevel lets the lane have a row with a label for a level of nesting.
func (l *Lane) ShowLevel(level int) {
	n := &l.levels
	if n.last > 0 && (level < n.first || level >= n.first+laneRows) {
		n.first = 0
		n.move(level - laneRows + 1)
	}
}

// layout draws the buttons left of the rows, with what levels these show, where there are more.
func (n *laneLevels) layout(gtx C, th *kit.Theme, d *describe.Annotations, origin int, below bool) {
	if n.last == 0 || origin < gtx.Dp(40) {
		return
	}
	depth := d.Phases.Depth()
	y := gtx.Dp(24)
	if below {
		y = gtx.Dp(laneFilterHeight)
	}
	right := origin - gtx.Dp(6)
	put := func(w giolayout.Widget, gap float32) {
		c, dims := kit.Measure(gtx, w)
		kit.Place(gtx.Ops, image.Pt(right-dims.Size.X, y), c)
		y += dims.Size.Y + gtx.Dp(unit.Dp(gap))
	}
	deeper := depth - n.first - laneRows - laneThins
	put(n.up.Look(th, kit.ButtonLook{Icon: kit.IconUp, Small: true, Colour: th.Quiet, Disabled: n.first == 0,
		Hint: "Annotations further out"}), -2)
	put(th.Small(strconv.Itoa(n.first+1)+"–"+strconv.Itoa(n.first+laneRows+laneThins)+" of "+
		strconv.Itoa(depth)).Line(th), -2)
	put(n.down.Look(th, kit.ButtonLook{Icon: kit.IconDownward, Small: true, Colour: th.Link, Disabled: deeper <= 0,
		Hint: units.Plural(deeper, "level") + " of nesting more", Key: "Shift+scroll"}), 0)
}
