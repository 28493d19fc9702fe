package panel

import (
	"cmp"
	"image"
	"slices"

	giolayout "gioui.org/layout"
	"gioui.org/op/clip"

	"strata/layout/units"
	"strata/snapshot"
	"strata/widgets/kit"
)

// A StatusLine shows the file's figures, the view's range, and chips with what there is to say about the file.
type StatusLine struct{ chips [statusChips]kit.Button }

// A StatusChip names a chip of the status line.
type StatusChip uint8

// The chips, in their order.
const (
	NoChip       StatusChip = iota
	FindingsChip            // leads to what was noticed in the file
	ChangedChip             // the file is another than the one that was read
	EntriesChip             // not all allocations are drawn
	statusChips
)

// StatusLineHeight is the line's height.
const StatusLineHeight = 28

// Status is what the status line shows.
type Status struct {
	Figures  []string // "22,332 events", …; the most wanted first
	View     string   // "view: whole run"
	Here     string   // annotation in force under the pointer
	Findings []snapshot.Finding
	Changed  string // text of the ChangedChip, "" for none
	Entries  string // text of the EntriesChip, "" for none
	Right    string // "opened in 1.4 s", a short notice
}

// Update returns the chip that was clicked.
func (l *StatusLine) Update(gtx C) StatusChip {
	for i := range l.chips {
		if l.chips[i].Clicked(gtx) {
			return StatusChip(i)
		}
	}
	return NoChip
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
			x = l.chip(gtx, th, x, size, ChangedChip, s.Changed, snapshot.Notice)
			x = l.chip(gtx, th, x, size, EntriesChip, s.Entries, snapshot.Info)
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
func (l *StatusLine) findings(gtx C, th *kit.Theme, x int, size image.Point, fs []snapshot.Finding) int {
	if len(fs) == 0 {
		return x
	}
	worst := slices.MaxFunc(fs, func(a, b snapshot.Finding) int { return cmp.Compare(a.Severity, b.Severity) })
	text := worst.Title
	if n := len(fs) - 1; n > 0 {
		text += "  +" + units.Count(n)
	}
	return l.chip(gtx, th, x, size, FindingsChip, text, worst.Severity)
}

// chip draws a chip at x and returns where what follows begins.
func (l *StatusLine) chip(gtx C, th *kit.Theme, x int, size image.Point, which StatusChip, text string,
	severity snapshot.Severity,
) int {
	if text == "" {
		return x
	}
	colour, ground := th.Text, th.Raised
	if severity >= snapshot.Notice {
		colour, ground = th.Warning, th.WarningGround
	}
	chip := func(gtx C) D { return l.chips[which].LayoutChip(gtx, th, text, colour, ground) }
	return kit.Middle(gtx, chip, x, size.Y) + gtx.Dp(18)
}
