package beside

import (
	"context"
	"fmt"
	"image"
	"image/draw"
	"strings"

	giolayout "gioui.org/layout"
	"gioui.org/op/clip"
	"gioui.org/unit"

	"strata/app/cli/report"
	"strata/app/pages"
	"strata/app/session"
	"strata/app/tables"
	"strata/layout/breakdown"
	"strata/layout/query"
	"strata/layout/units"
	"strata/render/colour"
	"strata/render/picture"
	"strata/widgets/flame"
	"strata/widgets/kit"
	"strata/widgets/panel"
)

// Layout draws the page.
func (b *Pair) Layout(gtx giolayout.Context, env *Env, p *pages.Pair) {
	size := gtx.Constraints.Max
	defer clip.Rect{Max: size}.Push(gtx.Ops).Pop()
	p.Refresh()
	b.arrange(gtx, env, p, size)
	b.drawHead(gtx, env, p)
	if p.Made() == nil {
		return
	}
	b.refreshTable(env, p)
	state := b.chartState(gtx, env, p)
	b.compose(gtx, env, p)
	for i := range state.Sides {
		state.Sides[i].Picture, state.Sides[i].Names = b.pictureOf(i), b.scenes[i].names
	}
	in(gtx, b.plots, func(gtx giolayout.Context) { b.chart.Layout(gtx, env.Theme, state) })
	in(gtx, b.tableAt, func(gtx giolayout.Context) { b.drawLower(gtx, env, p) })
	if grip := gtx.Dp(kit.Grip); !b.tableAt.Empty() {
		edge := image.Rect(0, b.tableAt.Min.Y-grip/2, size.X, b.tableAt.Min.Y-grip/2+grip)
		in(gtx, edge, func(gtx giolayout.Context) { b.edge.Layout(gtx, env.Theme) })
	}
}

// LayoutTip draws the tooltip over the page, in the coordinates of the window.
func (b *Pair) LayoutTip(gtx giolayout.Context, env *Env, p *pages.Pair) {
	if p.Made() == nil || env.Menu.Showing() {
		return
	}
	b.chart.LayoutTip(gtx, env.Theme, b.area.Min.Add(b.plots.Min), b.tip(p))
	if b.lower == flamePage && b.state != nil && !b.tableAt.Empty() {
		b.graph.LayoutTooltip(gtx, env.Theme, b.area.Min.Add(b.tableAt.Min).Add(image.Pt(gtx.Dp(8), gtx.Dp(8))),
			b.state)
	}
}

// tip says what is under the pointer: the group there, in both.
func (b *Pair) tip(p *pages.Pair) []string {
	side, at, ok := b.chart.Pointer()
	if !ok || b.courses == nil {
		return nil
	}
	size := b.chart.Plot(side).Size()
	group := b.courses.Bands[side].At(p.View, size, at)
	var held, total [2]int64
	title := "all others"
	groups := [2]int32{breakdown.Excluded, breakdown.Excluded}
	for _, m := range b.courses.Groups {
		if of := [2]int32{m.A, m.B}; of[side] == group && group != breakdown.Excluded {
			title, groups = p.Made().Groups.Label(m), of
			if m.Rule != 0 {
				title += " (" + m.Rule.String() + ")"
			}
		}
	}
	for i := range held {
		held[i], total[i] = b.courses.Bands[i].Held(groups[i], p.View, at.X, size.X)
	}
	if b.courses.Bands[side].At(p.View, size, at) == breakdown.Excluded &&
		at.Y < int(p.View.YPixel(float64(total[side]), size.Y)) {
		title, held = "here", total
	}
	return []string{title, fmt.Sprintf("A %s, B %s: %s", units.Bytes(held[0]), units.Bytes(held[1]),
		units.SignedBytes(held[1]-held[0])), fmt.Sprintf("of %s and %s", units.Bytes(total[0]), units.Bytes(total[1]))}
}

// drawHead draws the sentence and the buttons.
func (b *Pair) drawHead(gtx giolayout.Context, env *Env, p *pages.Pair) {
	th, size := env.Theme, gtx.Constraints.Max
	left := gtx.Dp(12)
	text := gtx
	text.Constraints = giolayout.Constraints{Max: image.Pt(max(0, size.X-2*left), size.Y)}
	call, d := kit.Measure(text, th.Strong(b.sentence(p)).Wrapped(th))
	kit.Place(gtx.Ops, image.Pt(left, gtx.Dp(8)), call)
	if p.Made() == nil {
		return
	}
	top := gtx.Dp(10) + d.Size.Y
	b.at = map[*kit.Button]image.Point{}
	in(gtx, image.Rect(0, top, size.X, top+gtx.Dp(rowOfButtons)), func(gtx giolayout.Context) {
		gtx.Constraints.Min = image.Point{}
		r := kit.Row{Gtx: gtx, X: gtx.Dp(8), End: size.X - gtx.Dp(8), Height: gtx.Dp(rowOfButtons)}
		add := func(button *kit.Button, look kit.ButtonLook) {
			look.Small = true
			b.at[button] = image.Pt(r.X, top+gtx.Dp(rowOfButtons))
			r.Add(button.Look(th, look), 4)
		}
		toggle := func(button *kit.Button, page lowerPage, look kit.ButtonLook) {
			look.Colour = th.Quiet
			if b.lower == page {
				look.Ground, look.Colour = th.Raised, th.Text
			}
			add(button, look)
		}
		moments := "both peaks"
		if p.Chosen() {
			moments = "chosen moments"
		}
		add(&b.moment, kit.ButtonLook{Label: "at", Text: moments, Trailing: kit.IconDown,
			Hint: "Compare other moments"})
		add(&b.align, kit.ButtonLook{Label: "tied by", Text: p.Align().String(), Trailing: kit.IconDown,
			Hint: "What lies above what", Key: "M"})
		add(&b.by, kit.ButtonLook{Label: "by", Text: p.Made().Groups.A.By.String(), Trailing: kit.IconDown,
			Hint: "Group by something else"})
		if len(p.Made().Devices) > 1 {
			add(&b.device, kit.ButtonLook{Text: session.DeviceName(p.Made().Timelines[0].Device),
				Trailing: kit.IconDown,
				Hint:     "Another device"})
		}
		toggle(&b.rows, tablePage, kit.ButtonLook{Text: "Table", Hint: "What the groups hold in both", Key: "E"})
		toggle(&b.flame, flamePage, kit.ButtonLook{Text: "Flame",
			Hint: "What each call holds: wide as B, coloured by the difference",
			Key:  "K"})
		add(&b.swap, kit.ButtonLook{Text: "Swap", Hint: "Make A of B and B of A", Key: "X"})
		add(&b.copy, kit.ButtonLook{Icon: kit.IconCopy, Text: "Copy", Trailing: kit.IconDown,
			Hint: "The sentence, the table or the command line"})
		add(&b.save, kit.ButtonLook{Text: "Picture", Hint: "Save the picture of both", HintLeft: true})
	})
}

// refreshTable brings the table and the flame graph up to date.
func (b *Pair) refreshTable(env *Env, p *pages.Pair) {
	rows, version := p.Rows()
	if b.shown == nil || b.version != version || b.made != p.Made() {
		b.shown = tables.NewPair(p.Made().Groups, rows, b.shown)
		if b.made != p.Made() || b.version == 0 {
			b.table.ShowRows(pairRows{b})
			b.table.Least = []unit.Dp{0: 220, 6: 560} // for names, and for what matched in full
		}
		b.made, b.version = p.Made(), version
		b.table.Lit = func(int) bool { return false }
		b.table.Paint = b.paint
	}
	if b.lower != flamePage {
		return
	}
	s := p.Stacks(breakdown.TreeOptions{LeavesUp: b.leavesUp, Frames: env.Frame})
	if s != b.flamed {
		b.flamed, b.state = s, nil
		if s != nil {
			b.state = &flame.State{Tree: s.Tree, Held: s.Held, Before: s.Before}
		}
	}
}

// pairRows is the rows of now: the table keeps its widths and where it is scrolled to when they change.
type pairRows struct{ b *Pair }

func (r pairRows) Heads() []query.Column { return r.b.shown.Heads() }
func (r pairRows) Len() int              { return r.b.shown.Len() }

// Row says in full what matched where the pointer is.
func (r pairRows) Row(i int) []query.Value {
	cells := r.b.shown.Row(i)
	if i == r.b.hoverRow && !r.b.shown.IsSum(i) {
		rule := r.b.shown.Of(i).Rule
		cells[len(cells)-1].Text = rule.String() + ": " + rule.Explain()
	}
	return cells
}

func (r pairRows) Leads(i int) query.Target { return r.b.shown.Leads(i) }

// paint draws the cells that are more than text.
func (b *Pair) paint(gtx giolayout.Context, th *kit.Theme, cell image.Rectangle, row, col int) bool {
	switch {
	case b.shown.IsSum(row):
	case col == 0:
		panel.NameCell(gtx, th, cell, b.colourOf(b.shown.Of(row)), b.shown.Name(row), false)
		return true
	case col == 3:
		panel.BarCell(gtx, th, cell, b.shown.Part(row))
	}
	return false
}

// drawLower draws the table or the flame graph.
func (b *Pair) drawLower(gtx giolayout.Context, env *Env, p *pages.Pair) {
	th, size := env.Theme, gtx.Constraints.Max
	body := image.Rectangle{Max: size}.Inset(gtx.Dp(8))
	in(gtx, body, func(gtx giolayout.Context) {
		switch {
		case b.lower == tablePage:
			b.table.Layout(gtx, th, b.shown.Sorted, b.shown.Down)
			kit.Border(gtx.Ops, image.Rectangle{Max: body.Size()}, th.Line)
		case b.state == nil:
			gtx.Constraints.Min = image.Point{}
			th.Aside("Working it out…").Layout(gtx, th)
		default:
			b.graph.Layout(gtx, th, b.state, flame.None)
		}
	})
}

// SavePicture asks where to and saves both timelines as one picture.
func (b *Pair) SavePicture(env *Env, p *pages.Pair) {
	if p.Made() == nil {
		return
	}
	m, ties, v, dark, sentence := p.Made(), p.Alignment(), p.View, env.Theme.Dark, p.Sentence()
	names := p.Names()
	name := panel.Stem(p.Of[0].Title()) + "-against-" + panel.Stem(p.Of[1].Title()) + ".png"
	env.Save(name, func() (image.Image, error) {
		const width, height = 1600, 500
		whole := image.NewRGBA(image.Rect(0, 0, width, 2*height))
		for i, t := range m.Timelines {
			view, title := v, "A: "+names[0]+" · "+sentence
			if i == 1 {
				view.X0, view.X1 = ties.ToB(v.X0), ties.ToB(v.X1)
				title = "B: " + names[1]
			}
			groups := [2]*breakdown.Grouping{m.Groups.A, m.Groups.B}[i]
			img, err := picture.Draw(context.Background(), t, view, picture.Options{W: width, H: height, Scale: 1,
				Palette: session.Palette(dark), Colouring: colour.NewWith(t, colour.BySite, session.Palette(dark),
					nil),
				Bands: groups, Title: title})
			if err != nil {
				return nil, err
			}
			draw.Draw(whole, image.Rect(0, i*height, width, (i+1)*height), img, image.Point{}, draw.Src)
		}
		return whole, nil
	})
}

// The menus of the page.

// copyMenu lists what of the comparison can be copied.
func (b *Pair) copyMenu(env *Env, p *pages.Pair) []kit.MenuItem {
	var items []kit.MenuItem
	names := [...][2]string{{"The sentence", "Ctrl+C"}, {"The table, for a spreadsheet"},
		{"The table as Markdown, for a pull request"}, {"The command line that prints the same"}}
	for i, name := range names {
		items = append(items, kit.MenuItem{Text: name[0], Detail: name[1],
			Do: func(gtx giolayout.Context) { env.Copy(gtx, b.Texts(p)[i], "Copied") }})
	}
	return items
}

// Texts is what can be copied: the sentence, the table, the table as Markdown, the command line.
func (b *Pair) Texts(p *pages.Pair) [4]string {
	return [4]string{p.Sentence(), b.shown.Text(), markdown(p), p.Command()}
}

// markdown is the largest differences as strata compare --markdown prints them.
func markdown(p *pages.Pair) string {
	const most = 20
	c := report.NewComparison(p.Names(), p.Made().Groups, [2]breakdown.Moment{p.Moment(0), p.Moment(1)})
	c.Limit(most)
	var out strings.Builder
	c.Markdown(&out)
	return out.String()
}

func alignMenu(p *pages.Pair) []kit.MenuItem {
	notes := [...]string{"step by step", "the same time since the start",
		"the n-th annotation of a name above the n-th; between them B is stretched"}
	var items []kit.MenuItem
	for a := pages.BySteps; a <= pages.ByAnnotations; a++ {
		text := a.String()
		items = append(items, kit.MenuItem{Text: strings.ToUpper(text[:1]) + text[1:], Note: notes[a],
			Ticked:   p.Align() == a,
			Disabled: !p.CanAlign(a), Do: func(giolayout.Context) { p.SetAlign(a) }})
	}
	return items
}

// byMenu lists what can be grouped by: what tells is asked whether there is that.
func byMenu(env *Env, tells func(breakdown.By) bool) []kit.MenuItem {
	items := []kit.MenuItem{{Heading: true, Text: "Group by"}}
	for _, by := range breakdown.All() {
		if !tells(by) {
			continue
		}
		items = append(items, kit.MenuItem{Text: by.String(), Ticked: by == env.Now,
			Do: func(giolayout.Context) { env.By(by) }})
	}
	return items
}

func momentMenu(p *pages.Pair) []kit.MenuItem {
	items := []kit.MenuItem{{Heading: true, Text: "Compare at"},
		{Text: "Both peaks", Detail: "P", Ticked: !p.Chosen(), Do: func(giolayout.Context) { p.Peaks() }}}
	add := func(text, name string) {
		ok := p.Finds(name)
		items = append(items, kit.MenuItem{Text: text, Disabled: !ok,
			Do: func(giolayout.Context) { p.ChooseNamed(name) }})
	}
	add("Both starts", "start")
	add("Both ends", "end")
	add("The last request out of memory of each", "oom")
	if names := p.Common(); len(names) > 0 {
		items = append(items, kit.MenuItem{Rule: true}, kit.MenuItem{Heading: true, Text: "The peak within"})
		for _, name := range names {
			add(units.Clip(name, 60), "phase:"+name)
		}
	}
	return append(items, kit.MenuItem{Rule: true},
		kit.MenuItem{Legend: true, Text: "Drag below a timeline for others, with Shift in one alone"})
}

func deviceMenu(p *pages.Pair) []kit.MenuItem {
	var items []kit.MenuItem
	for _, d := range p.Made().Devices {
		items = append(items, kit.MenuItem{Text: session.DeviceName(d[0]),
			Ticked: d[0] == p.Made().Timelines[0].Device,
			Do:     func(giolayout.Context) { p.SetDevice(d[0].Index) }})
	}
	return items
}
