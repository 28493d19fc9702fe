package sheet

import (
	"image"

	giolayout "gioui.org/layout"

	"strata/snapshot"
	"strata/widgets/kit"
)

// Findings lists what there is to say about a file.
type Findings struct {
	modal kit.Modal
}

// Update reports that the sheet was closed.
func (f *Findings) Update(gtx C) bool {
	return f.modal.Update(gtx)
}

// Layout draws the sheet over the window.
func (f *Findings) Layout(gtx C, th *kit.Theme, findings []snapshot.Finding) {
	item := func(gtx C, i int) D { return findingRow(gtx, th, &findings[i]) }
	f.modal.Layout(gtx, th, 560, "About this file", giolayout.Rigid(f.modal.List(th, len(findings), item)))
}

func findingRow(gtx C, th *kit.Theme, f *snapshot.Finding) D {
	icon, colour := kit.IconInfo, th.Quiet
	if f.Severity == snapshot.Warning {
		icon, colour = kit.IconWarning, th.Warning
	}
	return giolayout.Inset{Bottom: 14, Right: 8}.Layout(gtx, func(gtx C) D {
		return giolayout.Flex{}.Layout(gtx,
			giolayout.Rigid(th.Picture(icon, 18, colour)),
			kit.Gap(10),
			giolayout.Flexed(1, func(gtx C) D {
				gtx.Constraints.Min = image.Point{}
				return giolayout.Flex{Axis: giolayout.Vertical}.Layout(gtx,
					giolayout.Rigid(th.Strong(f.Title).Wrapped(th)),
					kit.Gap(2),
					giolayout.Rigid(th.Body(f.Explain).Wrapped(th)),
					giolayout.Rigid(func(gtx C) D {
						if f.Advice == "" {
							return D{}
						}
						return giolayout.Inset{Top: 2}.Layout(gtx, kit.Label{Colour: th.Quiet,
							Text: f.Advice}.Wrapped(th))
					}),
				)
			}),
		)
	})
}
