// Package panel draws the parts the window is divided into: toolbar, tabs, search field, call stack, matches, SQL,
// bottom bar and status line.
package panel

import (
	"cmp"
	"image"

	giolayout "gioui.org/layout"
	"gioui.org/op"
	"gioui.org/op/clip"
	"gioui.org/unit"

	"strata/layout"
	"strata/widgets/kit"
)

type (
	// C is a context, named as in Gio's own examples.
	C = giolayout.Context
	// D is the dimensions of a widget, named as in Gio's own examples.
	D = giolayout.Dimensions
)

// ToolbarHeight is the bar's height.
const ToolbarHeight = 44

// A Toolbar is the row of controls at the top of the window.
type Toolbar struct {
	file, device, colour kit.Button
	events, time         kit.Button
	help, settings       kit.Button
	theme, sql           kit.Button
	short                shortName
	anchors              [toolbarMenus]image.Point // where each menu belongs, from the last layout
}

// A ToolbarMenu names a menu that a button of the toolbar opens.
type ToolbarMenu uint8

// The toolbar's menus.
const (
	NoMenu ToolbarMenu = iota
	FileMenu
	DeviceMenu
	ColourMenu
	SettingsMenu
	toolbarMenus
)

// ToolbarState is what the toolbar shows.
type ToolbarState struct {
	Title   string // of the file that is open or about to be; "" when there is none
	File    string // its name without the folder once it is open
	Device  string // "GPU 0"; "" when none
	Devices int    // how many can be chosen
	Axis    layout.Axis
	HasTime bool
	Colour  string // the colouring's name
	Key     func(command string) string

	// Search draws the search field as wide as it is given room; it is in use
	// while Searching and then comes before other controls.
	Search    giolayout.Widget
	Searching bool
}

// ToolbarEvent is what the user did in the toolbar.
type ToolbarEvent struct {
	Menu    ToolbarMenu
	At      image.Point // where the menu belongs
	SetAxis bool
	Axis    layout.Axis
	Help    bool
	Theme   bool
	SQL     bool
}

// Update reads the toolbar's events.
func (b *Toolbar) Update(gtx C) ToolbarEvent {
	var e ToolbarEvent
	for menu, button := range [toolbarMenus]*kit.Button{FileMenu: &b.file, DeviceMenu: &b.device, ColourMenu: &b.colour,
		SettingsMenu: &b.settings} {
		if button != nil && button.Clicked(gtx) {
			e.Menu, e.At = ToolbarMenu(menu), b.anchors[menu]
		}
	}
	if b.events.Clicked(gtx) {
		e.SetAxis, e.Axis = true, layout.Events
	}
	if b.time.Clicked(gtx) {
		e.SetAxis, e.Axis = true, layout.Time
	}
	e.Help = b.help.Clicked(gtx)
	e.Theme = b.theme.Clicked(gtx)
	e.SQL = b.sql.Clicked(gtx)
	return e
}

// Layout draws the toolbar. In narrow windows the least needed goes first.
func (b *Toolbar) Layout(gtx C, th *kit.Theme, s *ToolbarState) D {
	size := image.Pt(gtx.Constraints.Max.X, gtx.Dp(ToolbarHeight))
	gtx.Constraints = giolayout.Constraints{Max: size}
	defer clip.Rect{Max: size}.Push(gtx.Ops).Pop()
	kit.Fill(gtx.Ops, image.Rect(0, size.Y-1, size.X, size.Y), th.Line)

	// What is at the right is measured first and added last: Tab goes through
	// the controls in the order they are added.
	m := op.Record(gtx.Ops)
	right := b.right(gtx, th, size, s)
	icons, search := m.Stop(), op.CallOp{}
	if s.File != "" && s.Search != nil {
		m := op.Record(gtx.Ops)
		right = b.search(gtx, size, right, s)
		search = m.Stop()
	}
	r := kit.Row{Gtx: gtx, X: gtx.Dp(10), End: right - gtx.Dp(8), Height: size.Y}
	name := cmp.Or(s.Title, s.File, "Open a snapshot")
	maxName := min(280, max(104, float32(size.X)/gtx.Metric.PxPerDp-330))
	b.anchors[FileMenu] = image.Pt(r.X, size.Y)
	if s.File == "" { // nothing else needs the room
		maxName = min(280, float32(r.End-r.X)/gtx.Metric.PxPerDp)
	}
	text := name
	if s.Title != "" || s.File != "" { // the end of a file's name matters
		const around = 34 // the button's edges and its arrow, dp
		text = b.short.fit(gtx, th, kit.Label{Text: name}, gtx.Dp(unit.Dp(maxName))-gtx.Dp(around))
	}
	r.Add(b.file.Look(th, kit.ButtonLook{Text: text, Trailing: kit.IconDown, Ground: th.Raised,
		MaxWidth: unit.Dp(maxName), Hint: "Open, close, recent files"}), 8)
	if s.File != "" {
		b.controls(&r, th, s, size)
		search.Add(gtx.Ops)
	}
	icons.Add(gtx.Ops)
	return D{Size: size}
}

// search draws the search field left of the icons and returns where it begins.
func (b *Toolbar) search(gtx C, size image.Point, right int, s *ToolbarState) int {
	room := right - gtx.Dp(560)
	if s.Searching {
		room = max(room, min(right-gtx.Dp(130), gtx.Dp(300)))
	}
	gtx.Constraints = giolayout.Constraints{Max: image.Pt(max(0, room), size.Y)}
	return kit.Before(gtx, s.Search, right, size.Y) - gtx.Dp(4)
}

// controls are those that need a file.
func (b *Toolbar) controls(r *kit.Row, th *kit.Theme, s *ToolbarState, size image.Point) {
	if s.Device != "" {
		look := kit.ButtonLook{Text: s.Device, Trailing: kit.IconDown, Colour: th.Quiet, Hint: "Device"}
		if s.Devices < 2 {
			look.Trailing, look.Hint = kit.NoIcon, "The only device with data in this file"
		} else {
			look.Colour = th.Text
		}
		b.anchors[DeviceMenu] = image.Pt(r.X, size.Y)
		r.Add(b.device.Look(th, look), 8)
	}
	r.Add(func(gtx C) D { return b.axis(gtx, th, s) }, 8)
	b.anchors[ColourMenu] = image.Pt(r.X, size.Y)
	colour := kit.ButtonLook{Label: "Colour:", Text: s.Colour, Trailing: kit.IconDown, Hint: "What the colours mean",
		Key: s.Key("colour")}
	if !r.Fits(b.colour.Look(th, colour)) {
		colour.Label = ""
	}
	r.Add(b.colour.Look(th, colour), 8)
}

// axis is the switch between the two horizontal axes.
func (b *Toolbar) axis(gtx C, th *kit.Theme, s *ToolbarState) D {
	look := func(text, hint string, on bool) kit.ButtonLook {
		l := kit.ButtonLook{Text: text, Small: true, Colour: th.Quiet, Hint: hint, Key: s.Key("axis")}
		if on {
			l.Ground, l.Colour = th.Selected, th.Text
		}
		return l
	}
	events := look("Event order", "One step for each allocation and free, as PyTorch's own viewer",
		s.Axis == layout.Events)
	time := look("Time", "Real time", s.Axis == layout.Time)
	time.Disabled = !s.HasTime
	c, d := kit.Measure(gtx, kit.Padded(giolayout.UniformInset(1),
		kit.InRow(giolayout.Rigid(b.events.Look(th, events)), giolayout.Rigid(b.time.Look(th, time)))))
	kit.Box(gtx, th, image.Rectangle{Max: d.Size}, th.Line, th.Panel)
	c.Add(gtx.Ops)
	return d
}

// right draws the icons at the right end and returns where they begin.
func (b *Toolbar) right(gtx C, th *kit.Theme, size image.Point, s *ToolbarState) int {
	var icons []giolayout.FlexChild
	add := func(button *kit.Button, look kit.ButtonLook) {
		look.HintLeft, look.Colour = true, th.Quiet
		icons = append(icons, kit.Gap(4), giolayout.Rigid(button.Look(th, look)))
	}
	if s.File != "" && size.X > gtx.Dp(640) {
		add(&b.sql, kit.ButtonLook{Text: "SQL", Hint: "Ask the snapshot in SQL", Key: s.Key("sql")})
	}
	look := kit.ButtonLook{Icon: kit.IconLight, Hint: "Light theme", Key: s.Key("theme")}
	if !th.Dark {
		look.Icon, look.Hint = kit.IconDark, "Dark theme"
	}
	if size.X > gtx.Dp(480) {
		add(&b.theme, look)
	}
	add(&b.help, kit.ButtonLook{Icon: kit.IconHelp, Hint: "Every key and gesture", Key: s.Key("help")})
	add(&b.settings, kit.ButtonLook{Icon: kit.IconSettings, Hint: "Settings"})
	b.anchors[SettingsMenu] = image.Pt(size.X-gtx.Dp(8), size.Y)
	return kit.Before(gtx, kit.InRow(icons...), size.X-gtx.Dp(8), size.Y)
}
