package panel

import (
	"image"

	giolayout "gioui.org/layout"

	"strata/widgets/kit"
)

// A DrawerTab is a page of the drawer below the chart.
type DrawerTab uint8

// The pages; NoDrawer is a closed drawer.
const (
	NoDrawer DrawerTab = iota
	BreakdownTab
	FlameTab
	GrowthTab
	AllocatorTab
	SQLTab
	drawerTabs
)

var drawerNames = [drawerTabs]string{BreakdownTab: "Breakdown", FlameTab: "Flame", GrowthTab: "Growth",
	AllocatorTab: "Allocator", SQLTab: "SQL"}

// A DrawerHead is the row above a page of the drawer: the pages' names, then what the page puts there, and the button
// that closes it.
type DrawerHead struct {
	tabs  [drawerTabs]kit.Button
	close kit.Button
}

// DrawerState is which page shows, and the keys of the pages.
type DrawerState struct {
	Tab  DrawerTab
	Keys [drawerTabs]string
}

// Update reads the row's events: the page that is wanted, NoDrawer to close, and whether there is such a wish.
func (d *DrawerHead) Update(gtx C) (tab DrawerTab, chosen bool) {
	chosen = d.close.Clicked(gtx)
	for t := range d.tabs {
		if d.tabs[t].Clicked(gtx) {
			tab, chosen = DrawerTab(t), true
		}
	}
	return tab, chosen
}

// headDrawer is the height of the row.
const headDrawer = 36

// Row draws the names and the close button, and returns the row for what else stands in it.
func (d *DrawerHead) Row(gtx C, th *kit.Theme, s *DrawerState) kit.Row {
	size := image.Pt(gtx.Constraints.Max.X, gtx.Dp(headDrawer))
	gtx.Constraints = giolayout.Constraints{Max: size}
	kit.Fill(gtx.Ops, image.Rect(0, 0, size.X, 1), th.Line)
	x := kit.Before(gtx, d.close.Look(th, kit.ButtonLook{Icon: kit.IconClose, Small: true, Colour: th.Quiet,
		Hint: "Close the drawer", Key: s.Keys[s.Tab], HintLeft: true, HintAbove: true}), size.X-gtx.Dp(8), size.Y)
	r := kit.Row{Gtx: gtx, X: gtx.Dp(8), End: x - gtx.Dp(4), Height: size.Y}
	for t := BreakdownTab; t < drawerTabs; t++ {
		look := kit.ButtonLook{Text: drawerNames[t], Small: true, Colour: th.Quiet, Key: s.Keys[t], HintAbove: true,
			Hint: drawerHints[t]}
		if t == s.Tab {
			look.Ground, look.Colour, look.Face = th.Raised, th.Text, kit.Strong
		}
		r.Add(d.tabs[t].Look(th, look), 2)
	}
	r.X += gtx.Dp(10)
	return r
}

var drawerHints = [drawerTabs]string{BreakdownTab: "All groups that held memory at the moment",
	FlameTab:  "What each call held, below its callers: a flame graph",
	GrowthTab: "What grows with each repetition", SQLTab: "Ask in SQL",
	AllocatorTab: "Segments, blocks and what is free between them: reserved memory and fragmentation"}
