package panel

import (
	"image"
	"image/color"

	giolayout "gioui.org/layout"
	"gioui.org/op/clip"

	"strata/layout/units"
	"strata/snapshot"
	"strata/widgets/kit"
)

// A StatusLine shows the file's figures, the view's range, and what there is
// to say about the file as a chip that can be opened.
type StatusLine struct {
	chip  kit.Button
	chipX int // where the chip was drawn last, for the list to open at
}

// StatusLineHeight is the line's height.
const StatusLineHeight = 28

// Status is what the status line shows.
type Status struct {
	Figures  []string // "22,332 events", …; the most wanted first
	View     string   // "view: whole run"
	Here     string   // annotation in force under the pointer
	Findings []snapshot.Finding
	Right    string // "opened in 1.4 s", a short notice
}

// Update reports that the findings' chip was clicked, and where their list
// belongs: its lower left corner, relative to the status line.
func (l *StatusLine) Update(gtx C) (image.Point, bool) {
	return image.Pt(l.chipX, 0), l.chip.Clicked(gtx)
}

// Layout draws the line.
func (l *StatusLine) Layout(gtx C, th *kit.Theme, s *Status) D {
	size := image.Pt(gtx.Constraints.Max.X, gtx.Dp(StatusLineHeight))
	gtx.Constraints = giolayout.Constraints{Max: size}
	defer clip.Rect{Max: size}.Push(gtx.Ops).Pop()
	kit.Fill(gtx.Ops, image.Rect(0, 0, size.X, 1), th.Line)
	x := gtx.Dp(14)
	text := func(t string) {
		c, d := kit.Measure(gtx, th.Small(t).Line(th))
		if x+d.Size.X > size.X {
			x = size.X
			return
		}
		kit.Place(gtx.Ops, image.Pt(x, (size.Y-d.Size.Y)/2), c)
		x += d.Size.X + gtx.Dp(18)
	}
	for i, f := range s.Figures {
		if i == 1 { // the warnings must not be what a narrow window cuts off
			x = l.findings(gtx, th, x, size, s.Findings)
		}
		text(f)
	}
	text(s.View)
	if s.Here != "" {
		text("in " + s.Here)
	}
	if s.Right != "" {
		c, d := kit.Measure(gtx, th.Small(s.Right).Line(th))
		if at := size.X - d.Size.X - gtx.Dp(14); at >= x {
			kit.Place(gtx.Ops, image.Pt(at, (size.Y-d.Size.Y)/2), c)
		}
	}
	return D{Size: size}
}

// findings draws the chip: the gravest finding, and how many more there are.
func (l *StatusLine) findings(gtx C, th *kit.Theme, x int, size image.Point,
	fs []snapshot.Finding) int {
	if len(fs) == 0 {
		return x
	}
	worst := fs[0]
	for _, f := range fs {
		if f.Severity > worst.Severity {
			worst = f
		}
	}
	text := worst.Title
	if n := len(fs) - 1; n > 0 {
		text += "  +" + units.Count(n)
	}
	colour, ground := findingColours(th, worst.Severity)
	l.chipX = x
	c, d := kit.Measure(gtx, func(gtx C) D { return l.chip.LayoutChip(gtx, th, text, colour, ground) })
	kit.Place(gtx.Ops, image.Pt(x, (size.Y-d.Size.Y)/2), c)
	return x + d.Size.X + gtx.Dp(18)
}

// findingColours are a severity's text and ground.
func findingColours(th *kit.Theme, s snapshot.Severity) (text, ground color.NRGBA) {
	if s >= snapshot.Notice {
		return th.Warning, th.WarningGround
	}
	return th.Text, th.Raised
}
