// Package beside draws the pages of tabs that are not of one file: two runs side by side, and the wall of ranks.
package beside

import (
	"fmt"
	"image"
	"image/color"
	"strings"

	"gioui.org/io/key"
	giolayout "gioui.org/layout"
	"gioui.org/op"

	"strata/app/pages"
	"strata/app/session"
	"strata/app/tables"
	"strata/layout"
	"strata/layout/breakdown"
	"strata/layout/compare"
	"strata/layout/units"
	"strata/render"
	"strata/render/picture"
	"strata/render/tiles"
	"strata/widgets/flame"
	"strata/widgets/kit"
	"strata/widgets/pair"
)

// An Env is what a page needs of the window.
type Env struct {
	Theme *kit.Theme
	Menu  *kit.Menu
	Frame bool // framework frames are shown in flame graphs
	// Copy puts a text on the clipboard and says so; Save asks where to write a PNG and writes it.
	Copy func(gtx giolayout.Context, text, notice string)
	Save func(name string, draw func() (image.Image, error))
	By   func(breakdown.By) // groups memory by something else
	Now  breakdown.By       // what it is grouped by
	Axis layout.Axis        // of the window
	Turn func()             // to the other axis
	Say  func(notice string)
	// Open opens a file as a tab that shows a device.
	Open func(path string, device int)
	// Compare opens two files side by side.
	Compare func(a, b string)
}

// lowerPage is what shows below the timelines.
type lowerPage uint8

const (
	tablePage lowerPage = iota
	flamePage
	noPage
)

// A Pair draws a pages.Pair. Its zero value is ready.
type Pair struct {
	chart pair.Chart
	table kit.Table
	graph flame.Graph
	edge  kit.Splitter

	copy, swap, align, by, moment, device, save, rows, flame kit.Button
	at                                                       map[*kit.Button]image.Point // where buttons are

	lower    lowerPage
	height   int // of what is below, dp; 0 as at first
	leavesUp bool

	shown    *tables.Pair
	version  int
	made     *pages.Made
	scenes   [2]scene
	flamed   *pages.Stacks
	state    *flame.State
	area     image.Rectangle // of the page in the window
	plots    image.Rectangle // in the page
	tableAt  image.Rectangle
	gutter   int
	courses  *pages.Courses
	hoverRow int
}

// noGroup is no group, not even all others: its light dims all.
const noGroup int32 = -2

// scene is the picture of one side.
type scene struct {
	of      *picture.Bands
	view    render.View
	size    image.Point
	dark    bool
	lit     int32
	picture *tiles.Picture
	names   []pair.Name
}

// The measures of the page, dp.
const (
	rowOfButtons = 34
	leastChart   = 190 // height of the two timelines, by what is below
	leastLower   = 110
	firstLower   = 250
)

// arrange finds where everything lies in a page of a size.
func (b *Pair) arrange(gtx giolayout.Context, env *Env, p *pages.Pair, size image.Point) {
	top := b.headHeight(gtx, env, p, size.X)
	height := b.height
	if height == 0 {
		height = firstLower
	}
	lower := min(gtx.Dp(1)*height, size.Y-top-gtx.Dp(leastChart))
	if b.lower == noPage || lower < gtx.Dp(leastLower) {
		lower = 0
	}
	b.plots = image.Rect(0, top, size.X, max(top, size.Y-lower))
	b.tableAt = image.Rect(0, b.plots.Max.Y, size.X, size.Y)
}

// headHeight is the height of the sentence and the buttons.
func (b *Pair) headHeight(gtx giolayout.Context, env *Env, p *pages.Pair, width int) int {
	gtx.Constraints = giolayout.Constraints{Max: image.Pt(max(0, width-gtx.Dp(24)), 1<<20)}
	_, d := kit.Measure(gtx, env.Theme.Strong(b.sentence(p)).Wrapped(env.Theme))
	return gtx.Dp(10) + d.Size.Y + gtx.Dp(rowOfButtons)
}

// sentence is the first line.
func (b *Pair) sentence(p *pages.Pair) string {
	if text := p.Waiting(); text != "" {
		return text
	}
	return strings.Join(append([]string{p.Sentence()}, p.Made().Groups.Notes()...), ".  ")
}

// Update reads what was done. area is where the page lies in the window.
func (b *Pair) Update(gtx giolayout.Context, env *Env, p *pages.Pair, area image.Rectangle) {
	p.Refresh()
	b.area = area
	if p.Made() == nil {
		return
	}
	gtx.Constraints = giolayout.Exact(area.Size())
	b.arrange(gtx, env, p, area.Size())
	b.updateChart(gtx, env, p)
	b.updateButtons(gtx, env, p)
	moved, _ := b.edge.Update(gtx)
	if moved != 0 && !b.tableAt.Empty() {
		b.height = max(leastLower, int(gtx.Metric.PxToDp(b.tableAt.Dy()))-int(moved))
	}
	if b.lower == tablePage && b.shown != nil {
		if e := b.table.Update(gtx); e.Sort >= 0 {
			b.shown.Sort(e.Sort)
		}
		b.hoverRow = b.table.Hovered()
	}
	if b.lower == flamePage && b.state != nil {
		b.graph.Update(gtx, b.state)
	}
}

func (b *Pair) updateChart(gtx giolayout.Context, env *Env, p *pages.Pair) {
	e := b.chart.Update(gtx, b.chartState(gtx, env, p))
	if e.Changed {
		p.Look(e.View)
	}
	if e.Fit {
		p.Fit()
	}
	if m := e.Moment; m != nil {
		p.Choose(m.Side, m.At, m.Alone)
	}
}

// below is where a menu of a button opens.
func (b *Pair) below(button *kit.Button) image.Point { return b.area.Min.Add(b.at[button]) }

func (b *Pair) updateButtons(gtx giolayout.Context, env *Env, p *pages.Pair) {
	switch {
	case b.copy.Clicked(gtx):
		env.Menu.Open("pair-copy", b.below(&b.copy), b.copyMenu(env, p))
	case b.swap.Clicked(gtx):
		p.Swap()
	case b.align.Clicked(gtx):
		env.Menu.Open("align", b.below(&b.align), alignMenu(p))
	case b.by.Clicked(gtx):
		env.Menu.Open("pair-by", b.below(&b.by), byMenu(env, func(by breakdown.By) bool {
			t := p.Made().Timelines
			return by.In(t[0].Snapshot) && by.In(t[1].Snapshot)
		}))
	case b.moment.Clicked(gtx):
		env.Menu.Open("pair-moment", b.below(&b.moment), momentMenu(p))
	case b.device.Clicked(gtx):
		env.Menu.Open("pair-device", b.below(&b.device), deviceMenu(p))
	case b.save.Clicked(gtx):
		b.SavePicture(env, p)
	case b.rows.Clicked(gtx):
		b.turnTo(tablePage)
	case b.flame.Clicked(gtx):
		b.turnTo(flamePage)
	}
}

func (b *Pair) turnTo(page lowerPage) {
	if b.lower == page {
		page = noPage
	}
	b.lower = page
}

// UpdateKeys reads the keys of the page, before they are commands.
func (b *Pair) UpdateKeys(gtx giolayout.Context, env *Env, p *pages.Pair) {
	if p.Made() == nil {
		return
	}
	if b.lower == flamePage && b.state != nil {
		b.graph.UpdateKeys(gtx, b.state)
	}
	v := p.View
	width, height := v.X1-v.X0, v.Y1-v.Y0
	middle := (v.X0 + v.X1) / 2
	const zoom, pan = 1.5, .15
	for name, do := range map[key.Name]func(){
		"0": p.Whole, "F": p.Fit, "X": p.Swap, "P": func() { p.Peaks() },
		"E": func() { b.turnTo(tablePage) }, "K": func() { b.turnTo(flamePage) },
		"J": func() { b.leavesUp = !b.leavesUp },
		"M": func() { nextAlign(p) },
		"W": func() { p.Look(v.ZoomX(middle, zoom)) }, "S": func() { p.Look(v.ZoomX(middle, 1/zoom)) },
		"+": func() { p.Look(v.ZoomX(middle, zoom)) }, "-": func() { p.Look(v.ZoomX(middle, 1/zoom)) },
		"A": func() { p.Look(v.Pan(-pan*width, 0)) }, "D": func() { p.Look(v.Pan(pan*width, 0)) },
		key.NameLeftArrow:  func() { p.Look(v.Pan(-pan*width, 0)) },
		key.NameRightArrow: func() { p.Look(v.Pan(pan*width, 0)) },
		key.NameUpArrow:    func() { p.Look(v.Pan(0, pan*height)) }, key.NameDownArrow: func() {
			p.Look(v.Pan(0,
				-pan*height))
		},
		key.NameEnd: func() { p.ChooseNamed("end") }, key.NameHome: func() { p.ChooseNamed("start") },
	} {
		for range kit.Pressed(gtx, key.Filter{Name: name}) {
			do()
		}
	}
	for range kit.Pressed(gtx, key.Filter{Name: "C", Required: key.ModShortcut}) {
		env.Copy(gtx, p.Sentence(), "Sentence copied")
	}
	for range kit.Pressed(gtx, key.Filter{Name: "E", Required: key.ModShortcut}) {
		b.SavePicture(env, p)
	}
}

// Escape takes back what was chosen; it reports whether there was something.
func (b *Pair) Escape(p *pages.Pair) bool {
	return b.lower == flamePage && b.graph.Home() || p.Made() != nil && p.Peaks()
}

// nextAlign ties the axes in the next way that is possible.
func nextAlign(p *pages.Pair) {
	for i := 1; i <= 3; i++ {
		if a := (p.Align() + pages.Align(i)) % 3; p.CanAlign(a) {
			p.SetAlign(a)
			return
		}
	}
}

// chartState is what the chart shows.
func (b *Pair) chartState(gtx giolayout.Context, env *Env, p *pages.Pair) *pair.State {
	s := &pair.State{View: p.View, Chosen: p.Chosen()}
	m, ties, names := p.Made(), p.Alignment(), p.Names()
	b.gutter = b.chart.Gutter(gtx, env.Theme, p.View, b.plots.Dy()/2)
	size := b.chart.Prepare(gtx, b.plots.Size(), b.gutter)
	wide := int(gtx.Metric.PxToDp(size.X))
	for i, t := range m.Timelines {
		x0, x1 := p.View.X0, p.View.X1
		if i == 1 {
			x0, x1 = ties.ToB(x0), ties.ToB(x1)
		}
		at := p.Moment(i)
		side := pair.Side{
			Title: fmt.Sprintf("%s · %s · %s at %s", names[i], session.DeviceName(t.Device),
				units.Bytes(t.Total[at.State]), place(t, at, p.Axis())),
			Moment: p.PlaceOf(i, at.State), Peak: p.PlaceOf(i, t.PeakState), PeakBytes: t.PeakBytes,
			PeakText: units.Bytes(t.PeakBytes), End: t.Extent(p.Axis()), Axis: "step",
			Picture: b.pictureOf(i), Names: b.scenes[i].names,
		}
		if p.Axis() == layout.Time {
			side.Axis, side.Ticks = "time", render.TimeTicks(x0, x1, wide)
		} else {
			side.Ticks = render.StepTicks(t, x0, x1, wide)
		}
		if i == 1 {
			side.End = ties.ToA(side.End)
			for k := range side.Ticks {
				side.Ticks[k].At = ties.ToA(side.Ticks[k].At)
			}
			if n := ties.Pieces(); p.Align() == pages.ByAnnotations {
				side.Title += fmt.Sprintf(" · stretched in %s so that annotations lie below those of A",
					units.Plural(n, "piece"))
			}
		}
		s.Sides[i] = side
	}
	return s
}

// place is where a moment is, in words.
func place(t *layout.Timeline, m breakdown.Moment, axis layout.Axis) string {
	at := "step " + units.Count(max(0, m.Step))
	if axis == layout.Time {
		at = units.Duration(t.X(layout.Time, m.State))
	}
	if m.Name == "step" {
		return at
	}
	return m.Name + ", " + at
}

func (b *Pair) pictureOf(side int) pair.Picture {
	if b.scenes[side].picture == nil {
		return nil
	}
	return b.scenes[side].picture
}

// compose brings the pictures up to date.
func (b *Pair) compose(gtx giolayout.Context, env *Env, p *pages.Pair) {
	size := b.chart.Plot(0).Size()
	c := p.Courses(size.X, env.Theme.Dark)
	b.courses = c
	if c == nil {
		b.scenes = [2]scene{}
		return
	}
	lit := b.litMatch(p)
	for i := range b.scenes {
		s := &b.scenes[i]
		group := breakdown.Excluded
		if lit != nil {
			if group = [2]int32{lit.A, lit.B}[i]; group == breakdown.Excluded {
				group = noGroup
			}
		}
		now := scene{of: c.Bands[i], view: p.View, size: size, dark: env.Theme.Dark, lit: group}
		if s.picture != nil && s.of == now.of && s.view == now.view && s.size == size && s.dark == now.dark &&
			s.lit == group {
			continue
		}
		img := image.NewRGBA(image.Rectangle{Max: size})
		now.of.Paint(img, now.view, session.Palette(now.dark).Background, group)
		now.picture = tiles.NewPicture(img)
		if lit == nil {
			width := func(text string) int {
				return env.Theme.Width(gtx, kit.Label{Size: kit.SmallSize, Text: text})
			}
			for _, n := range now.of.Names(now.view, size, width, gtx.Dp(15)) {
				now.names = append(now.names, pair.Name{Text: n.Text, X: n.X, Mid: n.Mid})
			}
		}
		*s = now
	}
}

// litMatch is the group of the row under the pointer, nil for none.
func (b *Pair) litMatch(p *pages.Pair) *compare.Match {
	if b.lower != tablePage || b.shown == nil || b.hoverRow < 0 || b.hoverRow >= b.shown.Len() ||
		b.shown.IsSum(b.hoverRow) || b.made != p.Made() {
		return nil
	}
	return &b.shown.Of(b.hoverRow).Match
}

// colourOf is the colour of a row's band.
func (b *Pair) colourOf(r *compare.Row) color.NRGBA { return color.NRGBA(b.courses.Colour(r.Match)) }

// in lays a widget out in a rectangle.
func in(gtx giolayout.Context, r image.Rectangle, f func(giolayout.Context)) {
	if r.Empty() {
		return
	}
	defer op.Offset(r.Min).Push(gtx.Ops).Pop()
	gtx.Constraints = giolayout.Exact(r.Size())
	f(gtx)
}

// Drawn reports whether the pictures of what is in view are there.
func (b *Pair) Drawn(p *pages.Pair) bool {
	return b.courses != nil && b.scenes[0].picture != nil && b.scenes[1].picture != nil && b.courses.Shows(p)
}

// Flamed reports whether the flame graph shows.
func (b *Pair) Flamed() bool { return b.lower == flamePage && b.state != nil }

// Strip is where the axis of a side lies in the window.
func (b *Pair) Strip(side int) image.Rectangle {
	return b.chart.Strip(side).Add(b.plots.Min).Add(b.area.Min)
}
