package beside

import (
	"fmt"
	"image"
	"image/color"
	"strings"

	"gioui.org/io/key"
	giolayout "gioui.org/layout"
	"gioui.org/op/clip"

	"strata/app/options"
	"strata/app/pages"
	"strata/app/session"
	"strata/app/tables"
	"strata/layout"
	"strata/layout/breakdown"
	"strata/layout/query"
	"strata/layout/units"
	"strata/widgets/kit"
	"strata/widgets/panel"
	"strata/widgets/wall"
)

// A Wall draws a pages.Wall. Its zero value is ready.
type Wall struct {
	grid  wall.Grid
	table kit.Table
	edge  kit.Splitter

	order, by, axis, rows, copy, compare, cancel kit.Button
	at                                           map[*kit.Button]image.Point

	noTable bool
	height  int // of the table, dp; 0 as at first

	of      *pages.Shown
	shown   *tables.Wall
	most    int64      // of all curves
	longest [2]float64 // of all ranks, by layout.Axis
	timed   bool       // all ranks with events have times
	area    image.Rectangle
	cards   image.Rectangle
	tableAt image.Rectangle
}

// arrange finds where everything lies in a page of a size.
func (b *Wall) arrange(gtx giolayout.Context, env *Env, w *pages.Wall, size image.Point) {
	head := gtx
	head.Constraints = giolayout.Constraints{Max: image.Pt(max(0, size.X-gtx.Dp(24)), 1<<20)}
	_, d := kit.Measure(head, env.Theme.Strong(b.sentence(w)).Wrapped(env.Theme))
	top := min(gtx.Dp(10)+d.Size.Y, size.Y/3) + gtx.Dp(rowOfButtons)
	height := b.height
	if height == 0 {
		height = firstLower
	}
	lower := min(gtx.Dp(1)*height, size.Y-top-gtx.Dp(leastChart))
	if b.noTable || lower < gtx.Dp(leastLower) || b.shown == nil {
		lower = 0
	}
	b.cards = image.Rect(0, top, size.X, max(top, size.Y-lower))
	b.tableAt = image.Rect(0, b.cards.Max.Y, size.X, size.Y)
}

// sentence is the first line.
func (b *Wall) sentence(w *pages.Wall) string {
	read, all, reading := w.Reading()
	parts := []string{}
	if note := w.Note(); note != "" {
		parts = append(parts, note)
	}
	switch s := w.Shown(); {
	case s != nil:
		parts = append([]string{s.Sentence(s.Names)}, parts...)
	case reading && all == 0:
		parts = append(parts, "Looking for snapshots…")
	case reading:
		parts = append(parts, "Reading…")
	}
	if reading && all > 0 {
		parts = append(parts, fmt.Sprintf("%s of %s read", units.Count(read), units.Count(all)))
	}
	return strings.Join(parts, "  ·  ")
}

// follow takes what has arrived.
func (b *Wall) follow(w *pages.Wall) {
	s := w.Shown()
	if s == b.of {
		return
	}
	b.of, b.most, b.longest, b.timed = s, 0, [2]float64{}, true
	for i := range s.Ranks {
		d := s.Ranks[i].Digest
		if d == nil {
			continue
		}
		b.most = max(b.most, d.Peak)
		b.longest[layout.Events] = max(b.longest[layout.Events], float64(d.Steps))
		b.longest[layout.Time] = max(b.longest[layout.Time], d.Duration)
		b.timed = b.timed && (d.Events == 0 || d.Curves[layout.Time] != nil)
	}
	sorted, down := -1, false
	if b.shown != nil {
		sorted, down = b.shown.Sorted, b.shown.Down
	}
	fresh := b.shown == nil || len(b.shown.Heads()) != len(s.Ranks)+5
	b.shown = tables.NewWall(s.Wall, s.Names)
	if fresh {
		b.table.ShowRows(wallRows{b})
		b.table.Paint = b.paint
		b.table.Lit = func(int) bool { return false }
	}
	if sorted >= 0 && sorted < len(b.shown.Heads()) {
		b.shown.Sort(sorted)
		if b.shown.Down != down {
			b.shown.Sort(sorted)
		}
	}
}

// Update reads what was done. area is where the page lies in the window.
func (b *Wall) Update(gtx giolayout.Context, env *Env, w *pages.Wall, area image.Rectangle) {
	w.Refresh()
	b.area = area
	if b.cancel.Clicked(gtx) {
		w.Cancel()
	}
	if w.Shown() == nil {
		return
	}
	b.follow(w)
	gtx.Constraints = giolayout.Exact(area.Size())
	b.arrange(gtx, env, w, area.Size())
	switch e := b.grid.Update(gtx); {
	case e.Select >= 0 && e.Select < len(b.of.Ranks):
		w.Select(b.of.Sorts[w.Order()][e.Select])
	case e.Open >= 0 && e.Open < len(b.of.Ranks):
		r := b.of.Ranks[b.of.Sorts[w.Order()][e.Open]]
		device := options.AnyDevice
		if r.Digest != nil {
			device = r.Digest.Device
		}
		env.Open(r.File.Name, device)
		return
	}
	switch {
	case b.order.Clicked(gtx):
		env.Menu.Open("wall-order", b.area.Min.Add(b.at[&b.order]), orderMenu(w))
	case b.by.Clicked(gtx):
		env.Menu.Open("wall-by", b.area.Min.Add(b.at[&b.by]), byMenu(env, func(by breakdown.By) bool {
			return by <= breakdown.ByPool // what files tell of memory that are no traces
		}))
	case b.axis.Clicked(gtx):
		b.turn(env)
	case b.rows.Clicked(gtx):
		b.noTable = !b.noTable
	case b.copy.Clicked(gtx):
		env.Copy(gtx, b.shown.Text(), "Table copied")
	case b.compare.Clicked(gtx):
		b.compareTwo(env, w)
	}
	if moved, _ := b.edge.Update(gtx); moved != 0 && !b.tableAt.Empty() {
		b.height = max(leastLower, int(gtx.Metric.PxToDp(b.tableAt.Dy()))-int(moved))
	}
	if e := b.table.Update(gtx); e.Sort >= 0 {
		b.shown.Sort(e.Sort)
	}
}

// turn shows steps or time, where all ranks have both.
func (b *Wall) turn(env *Env) {
	if !b.timed {
		env.Say("Not all of these files tell times")
		return
	}
	env.Turn()
}

func (b *Wall) compareTwo(env *Env, w *pages.Wall) {
	if x, y, ok := w.Two(); ok {
		env.Compare(x, y)
	}
}

// UpdateKeys reads the keys of the page, before they are commands.
func (b *Wall) UpdateKeys(gtx giolayout.Context, env *Env, w *pages.Wall) {
	if w.Shown() == nil {
		return
	}
	const page = 3
	for name, do := range map[key.Name]func(){
		"M": func() { b.turn(env) }, "E": func() { b.noTable = !b.noTable },
		"P":          func() { w.SetOrder((w.Order() + 1) % pages.Order(len(pages.Orders()))) },
		key.NameHome: b.grid.Top, key.NamePageDown: func() { b.grid.Page(page) },
		key.NamePageUp:  func() { b.grid.Page(-page) },
		key.NameUpArrow: func() { b.grid.Page(-1) }, key.NameDownArrow: func() { b.grid.Page(1) },
	} {
		for range kit.Pressed(gtx, key.Filter{Name: name}) {
			do()
		}
	}
	for range kit.Pressed(gtx, key.Filter{Name: "K", Required: key.ModShortcut}) {
		b.compareTwo(env, w)
	}
}

// Escape takes back what was chosen, or stops reading; it reports whether there was something.
func (b *Wall) Escape(w *pages.Wall) bool {
	if _, _, reading := w.Reading(); reading {
		w.Cancel()
		return true
	}
	return w.Unselect()
}

// Layout draws the page.
func (b *Wall) Layout(gtx giolayout.Context, env *Env, w *pages.Wall) {
	size := gtx.Constraints.Max
	defer clip.Rect{Max: size}.Push(gtx.Ops).Pop()
	w.Refresh()
	if w.Shown() != nil {
		b.follow(w)
	}
	b.arrange(gtx, env, w, size)
	b.drawHead(gtx, env, w)
	if b.of == nil || w.Shown() == nil {
		return
	}
	state := &wall.State{Len: len(b.of.Ranks), Most: b.most, Card: func(i int) wall.Card {
		return b.cardOf(env, w,
			i)
	}}
	in(gtx, b.cards, func(gtx giolayout.Context) { b.grid.Layout(gtx, env.Theme, state) })
	in(gtx, b.tableAt, func(gtx giolayout.Context) {
		body := image.Rectangle{Max: gtx.Constraints.Max}.Inset(gtx.Dp(8))
		in(gtx, body, func(gtx giolayout.Context) {
			b.table.Layout(gtx, env.Theme, b.shown.Sorted, b.shown.Down)
			kit.Border(gtx.Ops, image.Rectangle{Max: body.Size()}, env.Theme.Line)
		})
	})
	if grip := gtx.Dp(kit.Grip); !b.tableAt.Empty() {
		edge := image.Rect(0, b.tableAt.Min.Y-grip/2, size.X, b.tableAt.Min.Y-grip/2+grip)
		in(gtx, edge, func(gtx giolayout.Context) { b.edge.Layout(gtx, env.Theme) })
	}
}

// drawHead draws the sentence and the buttons.
func (b *Wall) drawHead(gtx giolayout.Context, env *Env, w *pages.Wall) {
	th, size := env.Theme, gtx.Constraints.Max
	left := gtx.Dp(12)
	top := b.cards.Min.Y - gtx.Dp(rowOfButtons)
	area := clip.Rect(image.Rect(0, 0, size.X, top)).Push(gtx.Ops)
	text := gtx
	text.Constraints = giolayout.Constraints{Max: image.Pt(max(0, size.X-2*left), size.Y)}
	call, _ := kit.Measure(text, th.Strong(b.sentence(w)).Wrapped(th))
	kit.Place(gtx.Ops, image.Pt(left, gtx.Dp(8)), call)
	area.Pop()
	_, _, reading := w.Reading()
	b.at = map[*kit.Button]image.Point{}
	in(gtx, image.Rect(0, top, size.X, top+gtx.Dp(rowOfButtons)), func(gtx giolayout.Context) {
		gtx.Constraints.Min = image.Point{}
		r := kit.Row{Gtx: gtx, X: gtx.Dp(8), End: size.X - gtx.Dp(8), Height: gtx.Dp(rowOfButtons)}
		add := func(button *kit.Button, look kit.ButtonLook) {
			look.Small = true
			b.at[button] = image.Pt(r.X, top+gtx.Dp(rowOfButtons))
			r.Add(button.Look(th, look), 4)
		}
		if reading {
			add(&b.cancel, kit.ButtonLook{Icon: kit.IconClose, Text: "Stop reading", Key: "Esc"})
		}
		if w.Shown() == nil {
			return
		}
		if _, _, two := w.Two(); two {
			add(&b.compare, kit.ButtonLook{Text: "Compare these two", Ground: th.Accent, Colour: th.OnAccent,
				Hint: "Side by side in a tab", Key: "Ctrl+K"})
		}
		axis := "steps"
		if b.axisOf(env) == layout.Time {
			axis = "time"
		}
		add(&b.order, kit.ButtonLook{Label: "sorted by", Text: w.Order().String(), Trailing: kit.IconDown,
			Hint: "Sort otherwise",
			Key:  "P"})
		add(&b.axis, kit.ButtonLook{Label: "over", Text: axis, Hint: "Steps or time", Key: "M", Disabled: !b.timed})
		add(&b.by, kit.ButtonLook{Label: "by", Text: env.Now.String(), Trailing: kit.IconDown,
			Hint: "Group by something else"})
		rows := kit.ButtonLook{Text: "Table", Hint: "What each group holds in each rank", Key: "E", Colour: th.Quiet}
		if !b.noTable {
			rows.Ground, rows.Colour = th.Raised, th.Text
		}
		add(&b.rows, rows)
		add(&b.copy, kit.ButtonLook{Icon: kit.IconCopy, Text: "Copy the table", Hint: "For a spreadsheet"})
	})
}

// axisOf is the axis of all charts.
func (b *Wall) axisOf(env *Env) layout.Axis {
	if env.Axis == layout.Time && b.timed {
		return layout.Time
	}
	return layout.Events
}

// cardOf is the card at a place of the order.
func (b *Wall) cardOf(env *Env, w *pages.Wall, at int) wall.Card {
	i := b.of.Sorts[w.Order()][at]
	r := &b.of.Ranks[i]
	name := b.of.Names[i]
	c := wall.Card{Selected: w.Selected(i), Reason: r.Reason, Error: r.File.Error}
	c.Title, c.Device = b.of.Titles(i, name)
	if c.Title != name {
		c.Note = name
	}
	d := r.Digest
	if d == nil {
		return c
	}
	if len(b.of.Clusters) > 1 {
		c.Note = fmt.Sprintf("kind %d · %s", r.Cluster+1, c.Note)
	}
	palette := session.Palette(env.Theme.Dark)
	c.Ink = color.NRGBA(palette.Hues[r.Cluster%len(palette.Hues)])
	axis := b.axisOf(env)
	length := float64(d.Steps)
	if axis == layout.Time {
		length = d.Duration
	}
	c.Curve, c.Part = d.Curves[axis], length/max(1, b.longest[axis])
	c.Lines[0] = fmt.Sprintf("peak %s, end %s", units.Bytes(d.Peak), units.Bytes(d.End))
	var notes []string
	if !d.NoReserved {
		notes = append(notes, "reserved "+units.Bytes(d.Reserved))
	}
	if d.OOMs > 0 {
		notes = append(notes, "out of memory "+units.Plural(d.OOMs, "time"))
	}
	if n := len(d.Findings); n > 0 {
		notes = append(notes, units.Plural(n, "finding"))
	}
	c.Lines[1] = strings.Join(notes, ", ")
	return c
}

// wallRows is the rows of now: the table keeps its widths and where it is scrolled to when they change.
type wallRows struct{ b *Wall }

func (r wallRows) Heads() []query.Column    { return r.b.shown.Heads() }
func (r wallRows) Len() int                 { return r.b.shown.Len() }
func (r wallRows) Row(i int) []query.Value  { return r.b.shown.Row(i) }
func (r wallRows) Leads(i int) query.Target { return r.b.shown.Leads(i) }

// paint draws the cells that are more than text.
func (b *Wall) paint(gtx giolayout.Context, th *kit.Theme, cell image.Rectangle, row, col int) bool {
	if col == 1 {
		panel.BarCell(gtx, th, cell, b.shown.Part(row))
	}
	return b.shown.Unread(col) // there is nothing to say
}

func orderMenu(w *pages.Wall) []kit.MenuItem {
	items := []kit.MenuItem{{Heading: true, Text: "Sort by"}}
	for _, o := range pages.Orders() {
		items = append(items, kit.MenuItem{Text: o.String(), Ticked: o == w.Order(),
			Do: func(giolayout.Context) { w.SetOrder(o) }})
	}
	return items
}
