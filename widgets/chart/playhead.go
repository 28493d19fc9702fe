package chart

import (
	"image"
	"math"

	"gioui.org/f32"
	"gioui.org/io/key"
	"gioui.org/io/pointer"

	"strata/render"
	"strata/widgets/kit"
)

// A Playhead is the moment that is broken down, drawn as a line with a handle in the strip of the axis.
type Playhead struct {
	Shown    bool
	At       float64 // on the axis
	Chosen   bool    // by the person; else it follows the view
	Compared bool    // with Against, where another line is
	Against  float64
}

// A PlayheadMove is where a press or a drag in the strip of the axis puts the playhead; with Shift held it is compared
// with where the drag began.
type PlayheadMove struct {
	At       float64
	Compared bool
	Against  float64
}

// playing says what a drag in the strip does.
type playing uint8

const (
	notPlaying playing = iota
	moving
	comparing
)

// inStrip reports whether a place is in the strip of the axis, below the picture.
func (tl *Timeline) inStrip(p f32.Point) bool {
	const reach = 4 // beyond the ends of the axis
	strip := image.Rect(tl.plot.Min.X-reach, tl.plot.Max.Y, tl.plot.Max.X+reach, tl.size.Y)
	return image.Pt(int(p.X), int(p.Y)).In(strip)
}

// pressStrip begins to move the playhead; it reports whether the press was in the strip.
func (tl *Timeline) pressStrip(p pointer.Event, e *TimelineEvent) bool {
	if tl.button != 0 || !p.Buttons.Contain(pointer.ButtonPrimary) || !tl.inStrip(p.Position) {
		return false
	}
	tl.button, tl.pressed, tl.playing = p.Buttons, p.Position, moving
	if p.Modifiers.Contain(key.ModShift) {
		tl.playing = comparing
		return true
	}
	e.Moment = &PlayheadMove{At: tl.axisAt(e.View, p.Position)}
	return true
}

// dragStrip moves the playhead; it reports whether it is being moved.
func (tl *Timeline) dragStrip(gtx C, p pointer.Event, e *TimelineEvent) bool {
	if tl.playing == notPlaying {
		return false
	}
	if !tl.moved {
		tl.moved = true
		gtx.Execute(pointer.GrabCmd{Tag: tl, ID: p.PointerID})
	}
	e.Moment = &PlayheadMove{At: tl.axisAt(e.View, p.Position)}
	if tl.playing == comparing {
		e.Moment.Compared, e.Moment.Against = true, tl.axisAt(e.View, tl.pressed)
	}
	return true
}

// axisAt is a place on the axis.
func (tl *Timeline) axisAt(v render.View, p f32.Point) float64 {
	return v.XAt(tl.plotX(p), tl.plot.Dx())
}

// playhead draws the moment, or the two with the stretch between them tinted.
func (tl *Timeline) playhead(gtx C, th *kit.Theme, v render.View) {
	h := &tl.Playhead
	if !h.Shown {
		return
	}
	if h.Compared {
		from, to := tl.pixelOf(v, min(h.At, h.Against)), tl.pixelOf(v, max(h.At, h.Against))
		tint := image.Rect(from, tl.plot.Min.Y, to, tl.plot.Max.Y).Intersect(tl.plot)
		kit.Fill(gtx.Ops, tint, kit.WithAlpha(th.Accent, 12))
		tl.moment(gtx, th, v, h.Against, "A")
		tl.moment(gtx, th, v, h.At, "B")
		return
	}
	tl.moment(gtx, th, v, h.At, "")
}

func (tl *Timeline) pixelOf(v render.View, at float64) int {
	return tl.plot.Min.X + int(math.Round(v.XPixel(at, tl.plot.Dx())))
}

// moment draws the line of a moment and its handle, if it is in view.
func (tl *Timeline) moment(gtx C, th *kit.Theme, v render.View, at float64, name string) {
	x, y := tl.pixelOf(v, at), tl.plot.Max.Y
	if x < tl.plot.Min.X || x > tl.plot.Max.X {
		return
	}
	c := th.Accent
	if !tl.Playhead.Chosen {
		c = kit.WithAlpha(th.Quiet, 200)
	}
	kit.Fill(gtx.Ops, image.Rect(x, tl.plot.Min.Y, x+1, y), kit.WithAlpha(c, 150))
	kit.Triangle(gtx, th, image.Pt(x, y+gtx.Dp(1)), true, c)
	if name == "" {
		return
	}
	label := kit.Label{Face: kit.Strong, Size: kit.SmallSize, Colour: th.Accent, Text: name}
	tl.label(gtx, th, label, func(d image.Point) image.Point {
		return image.Pt(min(x+gtx.Dp(4), tl.plot.Max.X-d.X), y-d.Y-gtx.Dp(2))
	})
}
