package sheet

import (
	giolayout "gioui.org/layout"

	"strata/snapshot"
	"strata/widgets/kit"
)

// Findings lists what there is to say about a file.
type Findings struct{ kit.Modal }

// Layout draws the sheet over the window.
func (f *Findings) Layout(gtx C, th *kit.Theme, findings []snapshot.Finding) {
	item := func(gtx C, i int) D { return findingRow(gtx, th, &findings[i]) }
	f.Modal.Layout(gtx, th, 560, "About this file", giolayout.Rigid(f.List(th, len(findings), item)))
}

func findingRow(gtx C, th *kit.Theme, f *snapshot.Finding) D {
	icon, colour := kit.IconInfo, th.Quiet
	if f.Severity == snapshot.Warning {
		icon, colour = kit.IconWarning, th.Warning
	}
	text := []giolayout.FlexChild{giolayout.Rigid(th.Strong(f.Title).Wrapped(th)), kit.Gap(2),
		giolayout.Rigid(th.Body(f.Explain).Wrapped(th))}
	if f.Advice != "" {
		text = append(text, kit.Gap(2), giolayout.Rigid(th.Aside(f.Advice).Wrapped(th)))
	}
	return giolayout.Inset{Bottom: 14, Right: 8}.Layout(gtx,
		kit.Noted(th.Picture(icon, 18, colour), 10, kit.InColumn(text...)))
}
