package sheet

import (
	"image"

	giolayout "gioui.org/layout"
	"gioui.org/op/clip"

	"strata/layout/units"
	"strata/widgets/describe"
	"strata/widgets/kit"
)

// ProgressCard shows how far a file has been read.
type ProgressCard struct {
	cancel kit.Button
}

// Update reports that the user cancels.
func (b *ProgressCard) Update(gtx C) bool { return b.cancel.Clicked(gtx) }

// Layout draws the bar as a card.
func (b *ProgressCard) Layout(gtx C, th *kit.Theme, l *describe.Progress) D {
	return card(gtx, th, th.Accent, cardWidth, kit.InColumn(
		giolayout.Rigid(kit.InRow(
			giolayout.Flexed(1, kit.Wide(th.Strong(l.Phase+" "+l.Name).Line(th))),
			kit.Gap(8),
			giolayout.Rigid(b.cancel.Look(th, kit.ButtonLook{Text: "Cancel", Small: true, Ground: th.Raised,
				Hint: "Stop; what was open stays", Key: "Esc", HintLeft: true})))),
		kit.Gap(10),
		giolayout.Rigid(func(gtx C) D { return progress(gtx, th, l) }),
		kit.Gap(8),
		giolayout.Rigid(th.Figures(progressText(l)).Line(th))))
}

// progressText is the progress in figures.
func progressText(l *describe.Progress) string {
	s := units.Bytes(l.Done)
	if l.Total > 0 {
		s += " of " + units.Bytes(l.Total)
	}
	if l.Rate > 0 {
		s += "   " + units.Bytes(int64(l.Rate)) + "/s"
	}
	return s
}

func progress(gtx C, th *kit.Theme, l *describe.Progress) D {
	size := image.Pt(gtx.Constraints.Max.X, gtx.Dp(4))
	defer clip.UniformRRect(image.Rectangle{Max: size}, size.Y/2).Push(gtx.Ops).Pop()
	kit.Fill(gtx.Ops, image.Rectangle{Max: size}, th.Raised)
	if l.Total > 0 {
		part := min(1, float64(l.Done)/float64(l.Total))
		kit.Fill(gtx.Ops, image.Rect(0, 0, int(part*float64(size.X)), size.Y), th.Accent)
	}
	return D{Size: size}
}
