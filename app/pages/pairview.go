package pages

import (
	"context"
	"image/color"
	"slices"
	"strconv"
	"strings"

	"strata/layout"
	"strata/layout/breakdown"
	"strata/layout/compare"
	"strata/render"
	"strata/render/colour"
	"strata/render/picture"
)

// alignKey is what an Alignment depends on.
type alignKey struct {
	timelines [2]*layout.Timeline
	align     Align
}

// Align is how the axes are tied.
func (p *Pair) Align() Align { return p.align }

// CanAlign reports whether the axes can be tied in a way: by time where both have times, by annotations where they
// have some in common.
func (p *Pair) CanAlign(a Align) bool {
	m := p.made
	switch {
	case m == nil:
		return false
	case a == BySteps:
		return true
	case a == ByTime:
		return m.Timelines[0].HasTime() && m.Timelines[1].HasTime()
	}
	return compare.Annotated(m.Timelines[0], m.Timelines[1], m.Phases[0], m.Phases[1], layout.Events) != nil
}

// SetAlign ties the axes in another way, which must be possible, and shows the whole of them.
func (p *Pair) SetAlign(a Align) {
	p.align = a
	p.Whole()
}

// Axis is the axis of both.
func (p *Pair) Axis() layout.Axis {
	if p.align == ByTime {
		return layout.Time
	}
	return layout.Events
}

// Alignment is which place of B lies below which of A; there must be something Made.
func (p *Pair) Alignment() *compare.Alignment {
	m := p.made
	want := alignKey{m.Timelines, p.align}
	if p.tied == want {
		return p.ties
	}
	p.tied, p.ties = want, nil
	if p.align == ByAnnotations {
		p.ties = compare.Annotated(m.Timelines[0], m.Timelines[1], m.Phases[0], m.Phases[1], layout.Events)
	}
	if p.ties == nil {
		p.ties = compare.Straight(m.Timelines[0], m.Timelines[1], p.Axis())
	}
	return p.ties
}

// whole is all of both, on one scale of bytes.
func (p *Pair) whole() render.View {
	t := p.made.Timelines
	v := render.Whole(t[0], p.Axis())
	v.X1 = max(1, p.Alignment().Extent())
	v.Y1 = max(v.Y1, render.Whole(t[1], p.Axis()).Y1)
	return v
}

// Whole shows all of both.
func (p *Pair) Whole() {
	if p.made != nil {
		p.View = p.whole()
	}
}

// Look shows a part, as far as there is one.
func (p *Pair) Look(v render.View) {
	if p.made != nil {
		p.View = v.Within(p.whole())
	}
}

// Fit fits the height to what is in view of both.
func (p *Pair) Fit() {
	if p.made == nil {
		return
	}
	top := 0.0
	for i, t := range p.made.Timelines {
		top = max(top, p.sideView(i).FitY(t).Y1)
	}
	v := p.View
	v.Y0, v.Y1 = 0, top
	p.Look(v)
}

// sideView is the part of A's or B's own axis that is in view.
func (p *Pair) sideView(side int) render.View {
	v := p.View
	if side == 1 {
		v.X0, v.X1 = p.Alignment().ToB(v.X0), p.Alignment().ToB(v.X1)
	}
	return v
}

// Moment is the moment that is compared, of A or of B: the peak of each unless others were chosen.
func (p *Pair) Moment(side int) breakdown.Moment {
	if p.chosen {
		return p.moments[side]
	}
	return breakdown.Peak(p.made.Timelines[side])
}

// Chosen reports whether the moments were chosen.
func (p *Pair) Chosen() bool { return p.chosen }

// Peaks compares the peaks again; it reports whether that changes anything.
func (p *Pair) Peaks() bool {
	was := p.chosen
	p.chosen = false
	return was
}

// Choose compares the moments at a place of A's axis: of both, or with alone of one side only.
func (p *Pair) Choose(side int, x float64, alone bool) {
	at := [2]breakdown.Moment{p.Moment(0), p.Moment(1)}
	for i, t := range p.made.Timelines {
		if alone && i != side {
			continue
		}
		own := x
		if i == 1 {
			own = p.Alignment().ToB(x)
		}
		at[i] = breakdown.AtPlace(t, p.Axis(), own)
	}
	p.moments, p.chosen = at, true
}

// ChooseNamed compares moments of a name as breakdown.Find takes it; it reports whether both have one.
func (p *Pair) ChooseNamed(name string) bool {
	at, ok := p.find(name)
	if ok {
		p.moments, p.chosen = at, true
	}
	return ok
}

// Finds reports whether both have a moment of a name.
func (p *Pair) Finds(name string) bool {
	_, ok := p.find(name)
	return ok
}

func (p *Pair) find(name string) (at [2]breakdown.Moment, ok bool) {
	at, _, err := compare.Moments(p.made.Timelines, p.made.Phases, name, "")
	return at, err == nil
}

// Common is the names of annotations that both have, the first few.
func (p *Pair) Common() (names []string) {
	const most = 12
	inB := map[string]bool{}
	for i := range p.made.Phases[1].All {
		inB[p.made.Phases[1].All[i].Name] = true
	}
	for i := range p.made.Phases[0].All {
		name := p.made.Phases[0].All[i].Name
		if inB[name] && !layout.Internal(name) && len(names) < most {
			names = append(names, name)
			inB[name] = false
		}
	}
	return names
}

// PlaceOf is where a moment of A or B lies on A's axis.
func (p *Pair) PlaceOf(side int, state int32) float64 {
	x := p.made.Timelines[side].X(p.Axis(), state)
	if side == 1 {
		x = p.Alignment().ToA(x)
	}
	return x
}

// rows is what the groups hold at two moments.
type rows struct {
	made     *Made
	at       [2]int32
	list     []compare.Row
	sentence string
	version  int
}

func (p *Pair) refreshRows() {
	at := [2]int32{p.Moment(0).State, p.Moment(1).State}
	if p.rows.made == p.made && p.rows.at == at {
		return
	}
	g := p.made.Groups
	list := g.At(at[0], at[1])
	p.rows = rows{p.made, at, list, g.Sentence(p.Moment(0), p.Moment(1), list), p.rows.version + 1}
}

// Rows is what the groups hold at the two moments, the largest difference first. The version is another one whenever
// they are.
func (p *Pair) Rows() (list []compare.Row, version int) {
	p.refreshRows()
	return p.rows.list, p.rows.version
}

// Sentence says how B differs from A at the moments.
func (p *Pair) Sentence() string {
	p.refreshRows()
	return p.rows.sentence
}

// Command is the command line that prints the same.
func (p *Pair) Command() string {
	args := []string{"strata", "compare", quoted(p.Of[0].Path), quoted(p.Of[1].Path)}
	if p.chosen {
		a, b := moment(p.moments[0]), moment(p.moments[1])
		args = append(args, "--at", quoted(a))
		if a != b {
			args = append(args, "--at-b", quoted(b))
		}
	}
	if by := p.made.of.by; by != breakdown.ByCallSite {
		args = append(args, "--by", strings.ReplaceAll(by.String(), " ", "-"))
	}
	device := p.made.Timelines[0].Device.Index
	if len(p.made.Devices) > 1 && device == p.made.Timelines[1].Device.Index {
		name := "host"
		if device >= 0 {
			name = strconv.Itoa(device)
		}
		args = append(args, "--device", name)
	}
	return strings.Join(args, " ")
}

// moment is a moment as --at takes it.
func moment(m breakdown.Moment) string {
	switch m.Name {
	case "peak", "start", "end":
		return m.Name
	case "out of memory":
		return "oom"
	case "step":
		return strconv.FormatInt(m.Step, 10)
	}
	return "phase:" + m.Name
}

// quoted is a word for a shell.
func quoted(s string) string {
	plain := func(r rune) bool {
		return r == '/' || r == '.' || r == '_' || r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' ||
			r >= 'A' && r <= 'Z'
	}
	if s != "" && !strings.ContainsFunc(s, func(r rune) bool { return !plain(r) }) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// mostCourses is how many groups have a band of their own.
const mostCourses = 24

// Courses is both timelines as bands, of the same groups in the same colours.
type Courses struct {
	Bands  [2]*picture.Bands
	Groups []compare.Match

	of coursesKey
}

// coursesKey is what Courses depend on.
type coursesKey struct {
	made    *Made
	align   alignKey
	x0, x1  float64
	columns int
	dark    bool
}

type courses struct {
	shown  *Courses
	making bool
}

// Courses returns the bands of what is in view in so many columns. Those of another view stay until the new ones are
// ready; nil while there are none.
func (p *Pair) Courses(columns int, dark bool) *Courses {
	c := &p.courses
	ties := p.Alignment()
	want := coursesKey{p.made, p.tied, p.View.X0, p.View.X1, columns, dark}
	if columns > 0 && !c.making && (c.shown == nil || c.shown.of != want) {
		c.making = true
		v := p.View
		p.sessions.Background.Go(func(context.Context) func() {
			made := newCourses(want, v, ties)
			return func() { p.courses = courses{shown: made} }
		})
	}
	if c.shown == nil || c.shown.of.made.Timelines != p.made.Timelines || c.shown.of.align != p.tied {
		return nil
	}
	return c.shown
}

func newCourses(want coursesKey, v render.View, ties *compare.Alignment) *Courses {
	c := &Courses{of: want}
	m, n := want.made, want.columns
	palette := colour.Light()
	if want.dark {
		palette = colour.Dark()
	}
	edges := [2]func(i int) float64{func(i int) float64 { return v.X0 + (v.X1-v.X0)*float64(i)/float64(n) }}
	edges[1] = func(i int) float64 { return ties.ToB(edges[0](i)) }
	var highest [2]int32
	for i, t := range m.Timelines {
		highest[i] = max(0, t.Column(v.Axis, edges[i](0), edges[i](n)).Step)
	}
	rows := m.Groups.At(highest[0], highest[1])
	slices.SortStableFunc(rows, func(x, y compare.Row) int { // the largest lowest
		return int(max(-1, min(1, max(y.Bytes[0], y.Bytes[1])-max(x.Bytes[0], x.Bytes[1]))))
	})
	rows = rows[:min(len(rows), mostCourses)]
	for i := range m.Timelines {
		var list []picture.Course
		for k, r := range rows {
			group := [2]int32{r.A, r.B}[i]
			list = append(list, picture.Course{Group: group, Name: m.Groups.Label(r.Match), Colour: hue(palette, k)})
		}
		g := [2]*breakdown.Grouping{m.Groups.A, m.Groups.B}[i]
		c.Bands[i] = picture.NewCourses(g, v, n, edges[i], list, palette.Rest)
	}
	for _, r := range rows {
		c.Groups = append(c.Groups, r.Match)
	}
	return c
}

func hue(p colour.Palette, i int) color.RGBA { return p.Hues[i%len(p.Hues)] }

// Colour is the colour of a group's band, transparent where it has none.
func (c *Courses) Colour(m compare.Match) color.RGBA {
	if c != nil {
		if i := slices.Index(c.Groups, m); i >= 0 {
			palette := colour.Light()
			if c.of.dark {
				palette = colour.Dark()
			}
			return hue(palette, i)
		}
	}
	return color.RGBA{}
}

// Shows reports whether the bands are of what is in view.
func (c *Courses) Shows(p *Pair) bool {
	return c.of.made == p.made && c.of.align == p.tied && c.of.x0 == p.View.X0 && c.of.x1 == p.View.X1
}
