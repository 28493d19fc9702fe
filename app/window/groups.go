package window

import (
	"image"
	"image/color"
	"strconv"

	"gioui.org/io/key"
	giolayout "gioui.org/layout"

	"strata/layout"
	"strata/layout/breakdown"
	"strata/layout/units"
	"strata/render/colour"
	"strata/render/picture"
	"strata/widgets/chart"
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
	t.groups.Lit, t.groups.By = t.litGroup(), w.opt.GroupBy.String()
	return t.groups
}

func (w *Window) groupsKey(t *tab) groupsKey {
	against, two := t.Against()
	t.Rows()
	state, from := t.BrokenDown()
	var bands *picture.Bands
	if t.bands != nil {
		bands = t.bands.of.bands
	}
	return groupsKey{t.Grouping(), state, from, t.Doc.Stage.Colouring, t.Moment(), against, two, t.Matches() != nil,
		t.View.Axis, w.opt.Offset, bands}
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
	total := int64(0)
	for _, r := range rows {
		total += r.Bytes
	}
	share := func(bytes, blocks int64) string {
		return strconv.FormatFloat(100*float64(bytes)/float64(max(1, total)), 'f', 1, 64) + " %  ·  " +
			units.Plural(blocks, "block")
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
}

// groupColour is a group's colour in the timeline, transparent where its allocations have several.
func (w *Window) groupColour(t *tab, g *breakdown.Grouping, group int32) color.NRGBA {
	if t.bands != nil && g == t.Grouping() {
		return color.NRGBA(t.bands.of.bands.Colour(group))
	}
	c := t.Doc.Stage.Colouring
	if mode, same := sameMeaning[g.By]; !same || mode != c.Mode {
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
		w.menu.OpenLeft("group-by", at.Add(image.Pt(px(gtx, -12), px(gtx, 32))), w.groupMenu())
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
func (w *Window) groupMenu() []kit.MenuItem {
	items := []kit.MenuItem{heading("Group by")}
	for _, by := range breakdown.All() {
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

// updateLit searches for what is in the lit group when Enter is pressed. It takes the key only while a group is lit:
// else it belongs to what has the focus.
func (w *Window) updateLit(gtx giolayout.Context, t *tab) {
	if t.litGroup() == panel.NoGroup || w.typing(gtx) || w.menu.Showing() || w.sheet != nil {
		return
	}
	for e := range kit.Events[key.Event](gtx, key.Filter{Name: key.NameReturn}, key.Filter{Name: key.NameEnter}) {
		if e.State == key.Press {
			t.searchLit()
		}
	}
}

// searchLit searches for what is in the lit group.
func (t *tab) searchLit() {
	if term, ok := t.GroupTerm(t.litGroup()); ok {
		t.Search(term)
		return
	}
	t.Say("The search has no term for a group of this kind")
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
