// Package sheet draws what lies over the window or in its place: help, options, findings, the page on recording, the
// field for a path, cards of problems and of progress, and the start page.
package sheet

import (
	"image"

	giolayout "gioui.org/layout"
	"gioui.org/unit"

	"strata/widgets/kit"
)

type (
	// C is a context, named as in Gio's own examples.
	C = giolayout.Context
	// D is the dimensions of a widget, named as in Gio's own examples.
	D = giolayout.Dimensions
)

// A HelpSection is a titled group of keys and gestures.
type HelpSection struct {
	Title string
	Rows  []kit.KeyHint
}

// Help is the sheet of every key and gesture, printed from the table that binds them.
type Help struct {
	modal  kit.Modal
	record kit.Button
}

// Update reports that the sheet was closed, or that the page on recording is wanted.
func (h *Help) Update(gtx C) (closed, record bool) {
	return h.modal.Update(gtx), h.record.Clicked(gtx)
}

// Layout draws the sheet over the window.
func (h *Help) Layout(gtx C, th *kit.Theme, sections []HelpSection, recordKey string) {
	two := gtx.Constraints.Max.X > gtx.Dp(700)
	width := unit.Dp(420)
	if two {
		width = 820
	}
	record := kit.ButtonLook{Text: "How to record a snapshot…", Small: true, Ground: th.Raised, Colour: th.Link,
		Hint: "A page with code to copy", Key: recordKey, HintAbove: true}
	h.modal.Layout(gtx, th, width, "Keys and gestures",
		giolayout.Flexed(1, h.modal.List(th, 1, func(gtx C, _ int) D {
			gtx.Constraints.Min = image.Point{}
			if !two {
				return helpColumn(gtx, th, sections)
			}
			column := func(sections []HelpSection) giolayout.FlexChild {
				return giolayout.Flexed(1, func(gtx C) D { return helpColumn(gtx, th, sections) })
			}
			half := splitSections(sections)
			return giolayout.Flex{}.Layout(gtx, column(sections[:half]), kit.Gap(24), column(sections[half:]))
		})),
		kit.Gap(8),
		giolayout.Rigid(h.record.Look(th, record)))
}

// splitSections is where the second column begins, so that the longer of the two is as short as can be.
func splitSections(sections []HelpSection) int {
	length := func(of []HelpSection) int {
		n := 0
		for _, s := range of {
			n += len(s.Rows) + 2
		}
		return n
	}
	best, at := length(sections), len(sections)
	for i := range sections {
		if n := max(length(sections[:i]), length(sections[i:])); n < best {
			best, at = n, i
		}
	}
	return at
}

func helpColumn(gtx C, th *kit.Theme, sections []HelpSection) D {
	width := gtx.Constraints.Max.X
	gtx.Constraints.Min = image.Point{}
	keyWidth := gtx.Dp(150)
	y := 0
	for i, s := range sections {
		if i > 0 {
			y += gtx.Dp(10)
		}
		c, d := kit.Measure(gtx, kit.Label{Size: kit.SmallSize, Face: kit.Strong, Colour: th.Link,
			Text: s.Title}.Line(th))
		kit.Place(gtx.Ops, image.Pt(0, y), c)
		y += d.Size.Y + gtx.Dp(5)
		for _, r := range s.Rows {
			k, kd := kit.Measure(gtx, func(gtx C) D { return kit.KeyCaps(gtx, th, r.Key) })
			g := gtx
			at := max(keyWidth, kd.Size.X+gtx.Dp(8))
			g.Constraints.Max.X = max(0, width-at)
			t, td := kit.Measure(g, th.Body(r.Text).Wrapped(th))
			kit.Place(gtx.Ops, image.Pt(0, y), k)
			kit.Place(gtx.Ops, image.Pt(at, y), t)
			y += max(kd.Size.Y, td.Size.Y) + gtx.Dp(5)
		}
	}
	return D{Size: image.Pt(width, y)}
}
