package window

import (
	"image"
	"image/color"
	"slices"
	"strconv"

	"gioui.org/io/key"
	giolayout "gioui.org/layout"

	"strata/layout"
	"strata/layout/breakdown"
	"strata/layout/units"
	"strata/render/colour"
	"strata/render/picture"
	"strata/widgets/chart"
	"strata/widgets/describe"
	"strata/widgets/kit"
	"strata/widgets/panel"
)

// panelGroups is how many groups the panel at the right lists.
const panelGroups = 10

// groupsShow reports whether the panel at the right lists groups: nothing is hovered or pinned that it could describe.
func (t *tab) groupsShow() bool {
	return t.Doc != nil && t.selection().Shown() == layout.None && t.Failed == nil
}

// groupsKey is what a panel.GroupsState is made of.
type groupsKey struct {
	grouping   *breakdown.Grouping
	known      bool  // what it holds
	state      int32 // that is broken down: it may lie behind the moment
	from       int32
	colouring  *colour.Colouring
	at         breakdown.Moment
	against    breakdown.Moment
	two, match bool
	axis       layout.Axis
	offset     int64
	bands      *picture.Bands
}

// groupsState is what the panel at the right shows of the breakdown.
func (w *Window) groupsState(t *tab) *panel.GroupsState {
	key := w.groupsKey(t)
	if t.groups == nil || t.groupsOf != key {
		t.groups, t.groupsOf = w.newGroupsState(t), key
	}
	t.groups.Lit, t.groups.By, t.groups.Hint = t.litGroup(), w.groupedBy(t).String(), describe.PointAt(t.Timeline())
	return t.groups
}

func (w *Window) groupsKey(t *tab) groupsKey {
	against, two := t.Against()
	_, known := t.Rows()
	if two {
		_, known = t.Changes()
	}
	state, from := t.BrokenDown()
	var bands *picture.Bands
	if t.bands != nil {
		bands = t.bands.of.bands
	}
	return groupsKey{t.Grouping(), known, state, from, t.Doc.Stage.Colouring, t.Moment(), against, two,
		t.Matches() != nil, t.View.Axis, w.opt.Offset, bands}
}

func (w *Window) newGroupsState(t *tab) *panel.GroupsState {
	s := &panel.GroupsState{Title: "Held by", Key: keyOf("breakdown"), Chosen: t.MomentChosen(),
		Moment: w.momentText(t), Empty: "Nothing is held at this moment."}
	if t.Matches() != nil {
		s.Title = "Matches, held by"
	}
	if _, two := t.Against(); two {
		s.Title, s.Signed, s.Empty = "Changed", true, "Nothing differs between the two moments."
		changes, ok := t.Changes()
		s.Busy = !ok
		w.listChanges(t, s, changes)
		return s
	}
	rows, ok := t.Rows()
	s.Busy = !ok
	w.listRows(t, s, rows)
	return s
}

// listRows lists the largest groups and the rest.
func (w *Window) listRows(t *tab, s *panel.GroupsState, rows []breakdown.Row) {
	g := t.Grouping()
	if len(rows) == 0 {
		return
	}
	at, _ := t.BrokenDown()
	total := t.Timeline().Total[at]
	share := func(bytes, blocks int64) string {
		part := strconv.FormatFloat(100*float64(bytes)/float64(max(1, total)), 'f', 1, 64) + " %"
		if t.Timeline().Banded() {
			return part
		}
		return part + "  ·  " + units.Plural(blocks, "block")
	}
	for i, r := range rows {
		if i == panelGroups {
			s.Groups = append(s.Groups, panel.Group{ID: panel.NoGroup, Name: units.Plural(len(rows)-i, "other")})
			break
		}
		s.Groups = append(s.Groups, panel.Group{ID: r.Group, Name: g.Label(r.Group), Bytes: r.Bytes,
			Note: share(r.Bytes, int64(r.Blocks)), Colour: w.groupColour(t, g, r.Group),
			Part: float64(r.Bytes) / float64(max(1, rows[0].Bytes))})
	}
	if len(rows) > panelGroups {
		rest, blocks := &s.Groups[panelGroups], int64(0)
		for _, r := range rows[panelGroups:] {
			rest.Bytes += r.Bytes
			blocks += int64(r.Blocks)
		}
		rest.Note, rest.Part = share(rest.Bytes, blocks), float64(rest.Bytes)/float64(max(1, rows[0].Bytes))
	}
}

// listChanges lists the largest differences and the rest.
func (w *Window) listChanges(t *tab, s *panel.GroupsState, changes []breakdown.Change) {
	g := t.Grouping()
	note := func(added, gone int64) string {
		if t.Timeline().Banded() {
			return ""
		}
		return "+" + units.Count(added) + "  −" + units.Count(gone) + " blocks"
	}
	most := int64(1)
	rest := panel.Group{ID: panel.NoGroup}
	var added, gone, others int64
	for i := range changes {
		c := &changes[i]
		switch {
		case c.Difference() == 0 && c.New == 0 && c.Gone == 0: // only churn
		case len(s.Groups) < panelGroups:
			most = max(most, c.Difference(), -c.Difference())
			s.Groups = append(s.Groups, panel.Group{ID: c.Group, Name: g.Label(c.Group), Bytes: c.Difference(),
				Note: note(int64(c.New), int64(c.Gone)), Colour: w.groupColour(t, g, c.Group),
				Part: float64(c.Difference()) / float64(most)})
		default:
			others++
			rest.Bytes += c.Difference()
			added += int64(c.New)
			gone += int64(c.Gone)
		}
	}
	if others > 0 {
		rest.Name, rest.Note = units.Plural(others, "other"), note(added, gone)
		rest.Part = float64(rest.Bytes) / float64(most)
		s.Groups = append(s.Groups, rest)
	}
}

// sameMeaning tells which colour mode means what a grouping groups by.
var sameMeaning = map[breakdown.By]colour.Mode{
	breakdown.ByCallSite: colour.BySite, breakdown.ByStream: colour.ByStream, breakdown.ByPool: colour.ByPool,
	breakdown.ByCategory: colour.ByCategory,
}

// groupColour is a group's colour in the timeline, transparent where its allocations have several.
func (w *Window) groupColour(t *tab, g *breakdown.Grouping, group int32) color.NRGBA {
	if t.bands != nil && g == t.Grouping() {
		return color.NRGBA(t.bands.of.bands.Colour(group))
	}
	c := t.Doc.Stage.Colouring
	if mode, same := sameMeaning[g.By]; t.Timeline().Banded() || !same || mode != c.Mode || group == panel.NoGroup {
		return color.NRGBA{}
	}
	return color.NRGBA(c.Colour(g.First(group)))
}

// momentText says which moment is broken down.
func (w *Window) momentText(t *tab) string {
	tl, m := t.Timeline(), t.Moment()
	text := w.placeText(t, m)
	if against, two := t.Against(); two {
		return w.placeText(t, against) + " → " + text + "  ·  " +
			units.SignedBytes(tl.Total[m.State]-tl.Total[against.State])
	}
	return text + "  ·  " + units.Bytes(tl.Total[m.State]+w.opt.Offset)
}

// placeText is a moment's name and where it is on the axis.
func (w *Window) placeText(t *tab, m breakdown.Moment) string {
	at := "step " + units.Count(max(0, m.Step))
	if t.View.Axis == layout.Time {
		at = units.Duration(t.Timeline().X(layout.Time, m.State))
	}
	switch {
	case m.Name == "step":
		return at
	case m.Name == "start" || m.Name == "end":
		return m.Name
	}
	if _, two := t.Against(); two {
		return m.Name
	}
	return m.Name + "  ·  " + at
}

// updateGroups reads what was done in the list of groups.
func (w *Window) updateGroups(gtx giolayout.Context, t *tab, r *panelRects) {
	if !t.groupsShow() || r.stack.Empty() {
		return
	}
	e := t.groupList.Update(gtx, w.groupsState(t))
	if e.Hovered != panel.NoGroup {
		t.hoveredGroup = e.Hovered
	}
	if e.Clicked != panel.NoGroup {
		gtx.Execute(key.FocusCmd{}) // Enter searches for it
	}
	switch {
	case e.Clicked != panel.NoGroup && e.Clicked == t.lit:
		t.lit = panel.NoGroup
	case e.Clicked != panel.NoGroup:
		t.lit = e.Clicked
	case e.More:
		t.toggleDrawer(gtx, panel.BreakdownTab)
	case e.Moment:
		w.menu.Open("moment", r.stack.Min.Add(image.Pt(px(gtx, 12), px(gtx, 56))), w.momentMenu(t))
	case e.By:
		at := r.stack.Min
		at.X = r.stack.Max.X
		w.menu.OpenLeft("group-by", at.Add(image.Pt(px(gtx, -12), px(gtx, 32))), w.groupMenu(t))
	}
}

// momentMenu lists moments and pairs that have names.
func (w *Window) momentMenu(t *tab) []kit.MenuItem {
	doc := t.Doc
	moments, pairs := t.NamedMoments()
	items := []kit.MenuItem{heading("What held the memory at"),
		choice("The peak in view", "Esc", !t.MomentChosen(), func() { t.FollowView() })}
	for _, m := range moments {
		tick := t.MomentChosen() && t.Moment() == m.At
		detail := units.Bytes(t.Timeline().Total[m.At.State])
		items = append(items, kit.MenuItem{Text: m.Text, Detail: detail, Ticked: tick, Do: func(gtx giolayout.Context) {
			if t.Doc == doc {
				t.GoToMoment(m.At, gtx.Now)
			}
		}})
	}
	items = append(items, rule, heading("What changed"))
	for _, p := range pairs {
		items = append(items, choice(p.Text, "", false, func() {
			if t.Doc == doc {
				t.Compare(*p.Against, p.At)
			}
		}))
	}
	return items
}

// groupMenu lists what memory can be grouped by.
func (w *Window) groupMenu(t *tab) []kit.MenuItem {
	items := []kit.MenuItem{heading("Group by")}
	for _, by := range breakdown.All() {
		if !by.In(t.Doc.Snapshot) {
			continue
		}
		items = append(items, choice(by.String(), "", by == w.opt.GroupBy, func() { w.setGroupBy(by) }))
	}
	return items
}

// setGroupBy groups memory by something else, and remembers it.
func (w *Window) setGroupBy(by breakdown.By) {
	w.opt.GroupBy, w.settings.GroupBy = by, by.String()
	w.save()
}

// litGroup is the group whose allocations are lit: the one under the pointer, else the one that was clicked.
func (t *tab) litGroup() int32 {
	if g := t.Grouping(); g == nil || g != t.litOf {
		t.lit, t.hoveredGroup, t.litOf = panel.NoGroup, panel.NoGroup, g
	}
	if t.hoveredGroup != panel.NoGroup {
		return t.hoveredGroup
	}
	return t.lit
}

// lightsRow reports whether a table's row about a group, or an allocation of it, stands out: it is lit, or the
// allocation that is hovered or pinned belongs to it.
func (t *tab) lightsRow(group int32, id layout.ID) bool {
	shown, lit := t.selection().Shown(), t.litGroup()
	switch g := t.Grouping(); {
	case id != layout.None:
		return id == shown
	case group == panel.NoGroup || g == nil:
		return false
	case lit == panel.NoGroup && shown >= 0:
		return g.Of[shown] == group
	}
	return group == lit
}

// listsGroups reports whether there is a list or table of groups to go along.
func (t *tab) listsGroups() bool {
	return t.drawer.page == panel.BreakdownTab || t.drawer.page == panel.GrowthTab || t.groupsShow()
}

// stepLit lights the next group of the table that is open, else of the list at the right, or the one before.
func (t *tab) stepLit(by int) {
	var groups, rows []int32 // each group once, and where it stands
	add := func(count int, group func(int) int32) {
		seen := map[int32]bool{panel.NoGroup: true}
		for i := range count {
			if g := group(i); !seen[g] {
				seen[g] = true
				groups, rows = append(groups, g), append(rows, int32(i))
			}
		}
	}
	reveal := t.groupList.Reveal
	switch d := &t.drawer; {
	case t.Grouping() == nil:
		return
	case d.page == panel.BreakdownTab && d.breakdown != nil:
		add(d.breakdown.Len(), d.breakdown.Group)
		reveal = d.groups.Table.Reveal
	case d.page == panel.GrowthTab && d.grown != nil:
		add(d.grown.Len(), d.grown.Group)
		reveal = d.growth.Table.Reveal
	case t.groups != nil:
		add(len(t.groups.Groups), func(i int) int32 { return t.groups.Groups[i].ID })
	}
	if len(groups) == 0 {
		return
	}
	next := slices.Index(groups, t.lit) + by
	if t.lit == panel.NoGroup && by < 0 {
		next = len(groups) - 1
	}
	next = max(0, min(next, len(groups)-1))
	t.lit = groups[next]
	reveal(int(rows[next]))
}

func (t *tab) hasLit() bool { return t.Doc != nil && t.litGroup() != panel.NoGroup }

// openLit opens or closes the lit group in the table.
func (t *tab) openLit() {
	b := t.drawer.breakdown
	for i := range b.Len() {
		if b.Group(i) == t.litGroup() {
			b.Toggle(i)
			return
		}
	}
}

// canOpenLit reports whether a lit group is in a table that opens it.
func (t *tab) canOpenLit() bool {
	return t.hasLit() && t.drawer.page == panel.BreakdownTab && t.drawer.breakdown != nil
}

// pictureColours is the colours of the picture: with a lit group all others are dimmed.
func (t *tab) pictureColours() *colour.Colouring {
	if c := t.litStacks(); c != nil {
		return c
	}
	if lit := t.litGroup(); lit != panel.NoGroup {
		return t.Lit(lit)
	}
	return t.Colouring()
}

// playhead is where the moments lie on the axis.
func (t *tab) playhead() chart.Playhead {
	tl, m := t.Timeline(), t.Moment()
	h := chart.Playhead{Shown: tl.Nothing() == "", At: tl.X(t.View.Axis, m.State), Chosen: t.MomentChosen()}
	if against, two := t.Against(); two {
		h.Compared, h.Against = true, tl.X(t.View.Axis, against.State)
	}
	return h
}

// movePlayhead chooses the moment that was pointed at.
func (t *tab) movePlayhead(m *chart.PlayheadMove) {
	if m.Compared {
		t.Compare(t.MomentAt(m.Against), t.MomentAt(m.At))
		return
	}
	t.ChooseMoment(t.MomentAt(m.At))
}

// goTo makes a named moment of the shown session an action of the window.
func goTo(moment func(*layout.Timeline) breakdown.Moment) func(*Window, giolayout.Context) {
	return func(w *Window, gtx giolayout.Context) {
		w.sessions.Active.GoToMoment(moment(w.sessions.Active.Timeline()), gtx.Now)
	}
}
