package widgets

import (
	"image"

	giolayout "gioui.org/layout"
	"gioui.org/widget"
	"gioui.org/widget/material"

	"strata/snapshot"
)

// FindingsSheet lists what there is to say about a file.
type FindingsSheet struct {
	modal modal
	close Button
	list  widget.List
}

// Update reports that the sheet was closed.
func (f *FindingsSheet) Update(gtx giolayout.Context) bool {
	return f.modal.update(gtx) || f.close.Clicked(gtx)
}

// Layout draws the sheet over the window.
func (f *FindingsSheet) Layout(gtx giolayout.Context, th *Theme, findings []snapshot.Finding) {
	f.modal.layout(gtx, th, 560, func(gtx giolayout.Context) giolayout.Dimensions {
		return giolayout.Inset{Top: 12, Bottom: 12, Left: 20, Right: 8}.Layout(gtx, func(gtx giolayout.Context) giolayout.Dimensions {
			return giolayout.Flex{Axis: giolayout.Vertical}.Layout(gtx,
				giolayout.Rigid(func(gtx giolayout.Context) giolayout.Dimensions {
					return sheetTitle(gtx, th, "About this file", &f.close)
				}),
				giolayout.Rigid(func(gtx giolayout.Context) giolayout.Dimensions {
					f.list.Axis = giolayout.Vertical
					style := material.List(th.mat, &f.list)
					style.Indicator.Color = withAlpha(th.Quiet, 120)
					gtx.Constraints.Min.Y = 0
					return style.Layout(gtx, len(findings), func(gtx giolayout.Context, i int) giolayout.Dimensions {
						return findingRow(gtx, th, &findings[i])
					})
				}),
			)
		})
	})
}

func findingRow(gtx giolayout.Context, th *Theme, f *snapshot.Finding) giolayout.Dimensions {
	icon, colour := IconInfo, th.Quiet
	if f.Severity == snapshot.Warning {
		icon, colour = IconWarning, th.Warning
	}
	return giolayout.Inset{Bottom: 14, Right: 8}.Layout(gtx, func(gtx giolayout.Context) giolayout.Dimensions {
		return giolayout.Flex{}.Layout(gtx,
			giolayout.Rigid(func(gtx giolayout.Context) giolayout.Dimensions { return th.icon(gtx, icon, 18, colour) }),
			giolayout.Rigid(giolayout.Spacer{Width: 10}.Layout),
			giolayout.Flexed(1, func(gtx giolayout.Context) giolayout.Dimensions {
				gtx.Constraints.Min = image.Point{}
				return giolayout.Flex{Axis: giolayout.Vertical}.Layout(gtx,
					giolayout.Rigid(Label{Face: Strong, Colour: th.Text, Text: f.Title}.paragraph(th)),
					giolayout.Rigid(giolayout.Spacer{Height: 2}.Layout),
					giolayout.Rigid(th.Body(f.Explain).paragraph(th)),
					giolayout.Rigid(func(gtx giolayout.Context) giolayout.Dimensions {
						if f.Advice == "" {
							return giolayout.Dimensions{}
						}
						return giolayout.Inset{Top: 2}.Layout(gtx, Label{Colour: th.Quiet, Text: f.Advice}.paragraph(th))
					}),
				)
			}),
		)
	})
}
