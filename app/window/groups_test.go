package window

import (
	"image"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gioui.org/io/key"

	"strata/app/export"
	"strata/app/options"
	"strata/layout"
	"strata/layout/breakdown"
	"strata/widgets/panel"
)

// withGroups opens the bundled sample and waits until the panel lists what held its memory.
func withGroups(t *testing.T) *driver {
	d := opened(t, options.Options{Files: []string{annotated}, Device: options.AnyDevice, NoCache: true})
	d.move(image.Pt(600, 840)) // nothing is hovered
	d.until("the groups are known", func() bool { return len(d.groupsState(d.tab()).Groups) > 0 })
	return d
}

// group is a place on a row of the list of groups.
func (d *driver) group(row int) image.Point {
	stack := d.arrange(d.gtx(), d.tab()).stack
	return stack.Min.Add(image.Pt(40, 84+40*row))
}

// TestAnswerOnTheFirstScreen: when a file is open the panel says what held the memory at the peak, and the rows with
// the rest sum up to it.
func TestAnswerOnTheFirstScreen(t *testing.T) {
	d := withGroups(t)
	s := d.groupsState(d.tab())
	sum := int64(0)
	for _, g := range s.Groups {
		sum += g.Bytes
	}
	first := s.Groups[0]
	if tl := d.tab().Timeline(); sum != tl.PeakBytes || first.Name != "train.py:112 evaluate" || first.Colour.A == 0 {
		t.Errorf("the rows sum up to %d of %d, the first is %v", sum, tl.PeakBytes, first)
	}
}

// TestRowsLightTheirAllocations: pointing at a row dims all other allocations, a click keeps that, Esc ends it.
func TestRowsLightTheirAllocations(t *testing.T) {
	d := withGroups(t)
	tab := d.tab()
	group := d.groupsState(tab).Groups[1].ID
	lights := func() (own, other bool) {
		c := tab.pictureColours()
		plain := tab.Colouring()
		for id, of := range tab.Grouping().Of {
			same := c.Slot(layout.ID(id)) == plain.Slot(layout.ID(id))
			own, other = own || of == group && same, other || of != group && same
		}
		return own, other
	}
	d.move(d.group(1))
	if own, other := lights(); tab.hoveredGroup != group || !own || other {
		t.Fatalf("under the pointer is group %d, want %d; lit %v, others %v", tab.hoveredGroup, group, own, other)
	}
	d.click(d.group(1))
	d.move(image.Pt(600, 840))
	if own, other := lights(); tab.lit != group || !own || other {
		t.Fatalf("clicked is %d, want %d; lit %v, others %v", tab.lit, group, own, other)
	}
	d.press(key.NameEscape, 0)
	if tab.lit != panel.NoGroup || tab.pictureColours() != tab.Colouring() {
		t.Error("Esc leaves the group lit")
	}
}

// TestPlayheadByKeys: Home, End, P, O and the annotations set the moment; Esc gives it back to the view.
func TestPlayheadByKeys(t *testing.T) {
	d := withGroups(t)
	tl := d.tab().Timeline()
	for _, c := range []struct {
		key   key.Name
		state int32
	}{{key.NameHome, 0}, {key.NameEnd, int32(len(tl.Actions))}, {"P", tl.PeakState}, {"O", tl.OOMs()[0].State}} {
		d.press(c.key, 0)
		if m := d.tab().Moment(); m.State != c.state || !d.tab().MomentChosen() {
			t.Errorf("after %s the moment is %v, want state %d", c.key, m, c.state)
		}
	}
	d.press(key.NameEscape, 0) // what failed is unpinned
	d.press(key.NameEscape, 0)
	if d.tab().MomentChosen() {
		t.Error("Esc does not follow the view again")
	}
	d.press("]", 0)
	if m := d.tab().Moment(); !d.tab().MomentChosen() || tl.Total[m.State] > tl.PeakBytes || m.Name == "peak" {
		t.Errorf("at an annotation the moment is %v", m)
	}
}

// TestMomentMenu: named moments and pairs are one click away, and a comparison lists differences.
func TestMomentMenu(t *testing.T) {
	d := withGroups(t)
	tab := d.tab()
	for _, item := range d.momentMenu(tab) {
		if item.Text == "End against start" {
			item.Do(d.gtx())
		}
	}
	against, two := tab.Against()
	d.draw()
	s := d.groupsState(tab)
	if !two || against != breakdown.Start() || !s.Signed || s.Groups[0].Bytes <= 0 {
		t.Errorf("compared with %v; listed are %v", against, s.Groups)
	}
	for _, item := range d.groupMenu(tab) {
		if item.Text == "function" {
			item.Do(d.gtx())
		}
	}
	d.until("it is grouped anew", func() bool { return tab.Grouping().By == breakdown.ByFunction })
	if d.settings.GroupBy != "function" {
		t.Errorf("remembered is %q", d.settings.GroupBy)
	}
}

// TestDrawerPages: E and U open the tables, the same key closes them, and the pages change by their names; a row of
// the table lights its allocations, a click keeps that, another opens the row, and a row of an allocation pins it.
func TestDrawerPages(t *testing.T) {
	d := withGroups(t)
	tab := d.tab()
	d.press("E", 0)
	row := func(i int) image.Point { return d.arrange(d.gtx(), tab).drawer.Min.Add(image.Pt(100, 36+26+11+22*i)) }
	d.until("the table is filled", func() bool { return tab.drawer.breakdown.Len() > 10 })
	first := tab.drawer.breakdown.Group(0)
	d.move(row(0))
	if tab.litGroup() != first {
		t.Fatalf("under the pointer group %d is lit, want %d", tab.litGroup(), first)
	}
	groups := tab.drawer.breakdown.Len()
	d.click(row(0))
	d.click(row(0))
	if tab.lit != first || tab.drawer.breakdown.Len() != groups+8 {
		t.Fatalf("lit is %d; there are %d rows, want 8 more than %d", tab.lit, tab.drawer.breakdown.Len(), groups)
	}
	d.click(row(1))
	if tab.Pinned != tab.drawer.breakdown.Allocation(1) || tab.Pinned < 0 {
		t.Errorf("pinned is %d", tab.Pinned)
	}
	d.press("U", 0)
	d.until("growth is known", func() bool { return tab.drawer.grown != nil && tab.drawer.grown.Len() > 0 })
	d.press("U", 0)
	if tab.drawer.page != panel.NoDrawer {
		t.Error("the key does not close the drawer")
	}
}

// TestGroupsByKeys: Shift with arrows goes along the groups, Space opens one in the table, Enter searches for it; the
// search then finds all of the group and nothing else, in each grouping that a search can say.
func TestGroupsByKeys(t *testing.T) {
	d := withGroups(t)
	tab := d.tab()
	d.press(key.NameDownArrow, key.ModShift)
	d.press(key.NameDownArrow, key.ModShift)
	d.press(key.NameUpArrow, key.ModShift)
	if list := d.groupsState(tab).Groups; tab.lit != list[0].ID {
		t.Fatalf("lit is %d, want the first of %v", tab.lit, list)
	}
	d.press("E", 0)
	d.press(key.NameUpArrow, key.ModShift)
	rows := tab.drawer.breakdown.Len()
	if d.press(key.NameSpace, 0); tab.drawer.breakdown.Len() != rows+8 {
		t.Errorf("opened the table has %d rows, want 8 more than %d", tab.drawer.breakdown.Len(), rows)
	}
	for _, by := range breakdown.All() {
		tab.ClearSearch()
		d.setGroupBy(by)
		d.until("it is grouped by "+by.String(), func() bool {
			g := tab.Grouping()
			return g != nil && g.By == by && tab.Matches() == nil && !slices.Contains(g.Of, breakdown.Excluded)
		})
		g := tab.Grouping()
		tab.lit = panel.NoGroup
		d.press(key.NameDownArrow, key.ModShift)
		group := tab.lit
		want := g.At(tab.Moment().State)[0]
		if d.press(key.NameReturn, 0); tab.Find.Text == "" {
			if by != breakdown.ByPackage && g.Name(group) != breakdown.NoPhase && g.Name(group) != breakdown.NotTold {
				t.Errorf("no search finds %s", g.Name(group))
			}
			continue
		}
		d.until("the search is done", func() bool { return tab.Matches() != nil })
		d.until("it is narrowed", func() bool { return tab.Grouping() != nil && tab.Grouping() != g })
		found := int64(0)
		for _, r := range tab.Grouping().At(tab.Moment().State) {
			found += r.Bytes
		}
		if found != want.Bytes {
			t.Errorf("%s: %q finds %d bytes, want %d", by, tab.Find.Text, found, want.Bytes)
		}
	}
}

// TestExportOfGroups writes the breakdown in each form.
func TestExportOfGroups(t *testing.T) {
	d := withGroups(t)
	for _, f := range export.Forms {
		path := filepath.Join(t.TempDir(), "held"+f.Ending)
		d.tab().ExportGroups(f)(path)
		d.until("it is written", func() bool {
			info, err := os.Stat(path)
			return err == nil && info.Size() > 100
		})
	}
}

// TestOwnCodeAndCategories: what the sheet is told is own code, and of what memory is for, counts in the breakdown, is
// remembered, and counts in the next window too.
func TestOwnCodeAndCategories(t *testing.T) {
	d := withGroups(t)
	d.setOwnCode("-strata-demo/train.py, -strata-demo/model.py")
	d.until("it is grouped by what is left", func() bool {
		s := d.tab()
		if s.Doc == nil || s.Loading != nil {
			return false
		}
		groups := d.groupsState(s).Groups
		return len(groups) > 0 && !strings.HasPrefix(groups[0].Name, "train.py:112")
	})
	rules := filepath.Join(t.TempDir(), "rules.txt")
	if err := os.WriteFile(rules, []byte("kept logits = train.py\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	read, err := options.ReadCategories(rules)
	if err != nil {
		t.Fatal(err)
	}
	d.setCategories(rules, read)
	d.setGroupBy(breakdown.ByCategory)
	d.until("it is grouped by the rules", func() bool {
		s := d.tab()
		if s.Doc == nil || s.Loading != nil {
			return false
		}
		return slices.ContainsFunc(d.groupsState(s).Groups, func(g panel.Group) bool {
			return strings.HasPrefix(g.Name, "kept logits")
		})
	})
	next := New(options.Options{})
	if next.opt.OwnCode.IsZero() || next.opt.Categories == nil || next.opt.GroupBy != breakdown.ByCategory {
		t.Errorf("remembered is %+v", next.settings)
	}
}

// TestOneSelection: Enter searches for what the lit row holds; an allocation that is pinned selects its row.
func TestOneSelection(t *testing.T) {
	d := withGroups(t)
	tab := d.tab()
	d.press("E", 0)
	d.until("the table is filled", func() bool { return tab.drawer.breakdown.Len() > 10 })
	group := tab.drawer.breakdown.Group(2)
	blocks := 0
	for _, of := range tab.Grouping().Of {
		if of == group {
			blocks++
		}
	}
	tab.Pin(tab.Grouping().First(group))
	d.draw()
	if !tab.lightsRow(group, layout.None) || tab.lightsRow(tab.drawer.breakdown.Group(1), layout.None) {
		t.Error("with an allocation pinned its row does not stand out alone")
	}
	tab.Pin(layout.None)
	tab.lit = group
	d.draw()
	d.press(key.NameReturn, 0)
	d.found()
	if n := tab.Find.Result.Count; n != blocks {
		t.Errorf("%q finds %d allocations, the group has %d", tab.Find.Text, n, blocks)
	}
}

// TestGrowthOfSegments: the page of growth shows nothing of allocations where segments have taken their place.
func TestGrowthOfSegments(t *testing.T) {
	d := withGroups(t)
	tab := d.tab()
	d.press("U", 0)
	d.until("growth is known", func() bool { return tab.drawer.grown != nil && tab.drawer.grown.Len() > 0 })
	d.press("S", key.ModShift)
	d.until("segments are stacked", func() bool {
		found := tab.Growth()
		if found != nil && found.Grouping.Timeline != tab.Timeline() {
			t.Fatal("growth is of another timeline")
		}
		return found != nil && tab.Timeline().Options.Mode == layout.Segments
	})
}
