package panel

import (
	"image"
	"testing"

	giolayout "gioui.org/layout"

	"strata/layout"
	"strata/render"
	"strata/snapshot"
	"strata/widgets/chart"
	"strata/widgets/describe"
	"strata/widgets/kit"
	"strata/widgets/sheet"
	"strata/widgets/widgettest"
)

// TestEveryWidgetAtEverySize lays everything out in windows from nothing to large, in both themes: nothing may panic.
func TestEveryWidgetAtEverySize(t *testing.T) {
	tl := widgettest.Open(t, widgettest.Sample)
	findings := []snapshot.Finding{{Severity: snapshot.Warning, Title: "w", Explain: "e", Advice: "a"}, {Title: "n"}}
	for _, size := range []image.Point{{}, {1, 1}, {50, 20}, {400, 300}, {900, 600}, {3000, 2000}} {
		for _, dark := range []bool{true, false} {
			h, th := widgettest.New(size), kit.NewTheme(true)
			th.SetDark(dark)
			var (
				bar   Toolbar
				stack Stack
				line  StatusLine
				foot  BottomBar
				help  sheet.Help
				list  sheet.Findings
				start sheet.Start
				guide sheet.Recording
				card  sheet.ProblemCard
				load  sheet.ProgressCard
				ask   sheet.Path
				plot  chart.Timeline
				over  chart.Minimap
			)
			d := describe.Allocation(tl, describe.About{}, 0, layout.Events)
			v := render.Whole(tl, layout.Events)
			sel := describe.Selection{Hovered: 1, Pinned: 0}
			h.Draw = func(gtx giolayout.Context) {
				bar.Layout(gtx, th, &ToolbarState{File: "a.pickle", Device: "GPU 0", Devices: 2, Colour: "call site",
					Key: func(string) string { return "K" }})
				stack.Layout(gtx, th, tl, sel, "Ctrl+C")
				line.Layout(gtx, th, &Status{Figures: []string{"1 event", "1 allocation"}, View: "view",
					Findings: findings, Right: "notice"})
				foot.Layout(gtx, th, &d, sel, true, nil)
				foot.Layout(gtx, th, &d, describe.NoSelection, false, []kit.KeyHint{{Key: "K", Text: "does"}})
				help.Layout(gtx, th, []sheet.HelpSection{{Title: "A", Rows: []kit.KeyHint{{Key: "K  L", Text: "does"}}},
					{Title: "B", Rows: []kit.KeyHint{{Key: "M", Text: "does"}}}}, "F2")
				list.Layout(gtx, th, findings)
				start.Layout(gtx, th, sheet.StartLook{OpenKey: "K", RecordKey: "F2", Recent: []sheet.RecentFile{
					{Path: "/a/b", Name: "b", Folder: "/a", Size: "1 MiB"}, {Path: "/a/c", Name: "c", Missing: true}}})
				start.Layout(gtx, th, sheet.StartLook{Note: "in place of the field"})
				guide.Layout(gtx, th)
				card.Layout(gtx, th, &describe.Problem{Title: "t", What: "w", Advice: "a", Path: "p"})
				load.Layout(gtx, th, &describe.Progress{Name: "n", Done: 5, Total: 3})
				ask.Layout(gtx, th, sheet.PathLook{Note: "note"})
				plot.Prepare(gtx, size, plot.Gutter(gtx, th, v, size.Y))
				plot.Layout(gtx, th, tl, v, nil, sel)
				plot.LayoutTooltip(gtx, th, image.Point{}, &d)
				over.Layout(gtx, th, tl, v)
				sheet.DropOverlay(gtx, th, "Open a.pickle")
			}
			h.Frame()
			h.Frame()
		}
	}
}
