package panel

import (
	"image"
	"strconv"
	"strings"

	"gioui.org/gesture"
	"gioui.org/io/pointer"
	giolayout "gioui.org/layout"
	"gioui.org/op/clip"
	"gioui.org/widget"

	"strata/layout/search"
	"strata/layout/units"
	"strata/snapshot"
	"strata/widgets/describe"
	"strata/widgets/kit"
)

// Matches lists what a search found: figures of all of it, then the lines of code, those that held the most first.
type Matches struct {
	list  widget.List
	close kit.Button
	peak  kit.Button
	rows  []matchRow
	of    *search.Result // what rows is for
}

// A matchRow is a line of code on screen.
type matchRow struct {
	area       gesture.Hover
	click      widget.Clickable
	only, hide kit.Button
	said       bool // the texts are made
	place      string
	under      string
	bytes      string
	share      string
}

// MatchesEvent is what the user did in the list.
type MatchesEvent struct {
	Close bool
	Peak  bool         // wants to see where the matches held the most
	Site  *search.Site // that was clicked; nil: none
	Only  *search.Site // wants to see nothing else
	Hide  *search.Site // wants to see it no more
}

// Update reads the list's events.
func (m *Matches) Update(gtx C) MatchesEvent {
	e := MatchesEvent{Close: m.close.Clicked(gtx), Peak: m.peak.Clicked(gtx)}
	first := m.list.Position.First
	for i := max(0, first-1); i < min(len(m.rows), first+m.list.Position.Count+1); i++ {
		r := &m.rows[i]
		r.area.Update(gtx.Source)
		site := &m.of.Sites[i]
		if r.only.Clicked(gtx) {
			e.Only = site
		}
		if r.hide.Clicked(gtx) {
			e.Hide = site
		}
		if r.click.Clicked(gtx) {
			e.Site = site
		}
	}
	return e
}

// MatchesState is what the list shows beside the result.
type MatchesState struct {
	Result *search.Result
	Now    int64  // bytes held where NowAt says
	NowAt  string // "at the pointer"
}

// Layout draws the panel.
func (m *Matches) Layout(gtx C, th *kit.Theme, s *MatchesState) D {
	size := gtx.Constraints.Max
	defer clip.Rect{Max: size}.Push(gtx.Ops).Pop()
	if m.of != s.Result {
		m.of, m.rows = s.Result, make([]matchRow, len(s.Result.Sites))
		m.list.Position = giolayout.Position{BeforeEnd: true}
	}
	gtx.Constraints.Min = image.Point{}
	giolayout.Inset{Left: 12, Right: 4, Top: 8}.Layout(gtx, kit.InColumn(
		giolayout.Rigid(m.head(th, s)),
		giolayout.Rigid(func(gtx C) D { return m.figures(gtx, th, s) }),
		giolayout.Flexed(1, func(gtx C) D { return m.body(gtx, th, s.Result) })))
	return D{Size: size}
}

func (m *Matches) head(th *kit.Theme, s *MatchesState) giolayout.Widget {
	count := units.Count(s.Result.Count) + " of " + units.Count(int64(len(s.Result.Timeline.Size)))
	return kit.InRow(
		giolayout.Rigid(th.Strong("Matches").Line(th)),
		kit.Gap(8),
		giolayout.Flexed(1, kit.Wide(th.Figures(count).Line(th))),
		giolayout.Rigid(m.close.Look(th, kit.ButtonLook{Icon: kit.IconClose, Small: true, Colour: th.Quiet,
			Hint: "Clear the search", Key: "Esc", HintLeft: true})),
		kit.Gap(4))
}

// figures are the bytes of all matches: here and now, at the run's peak, and where they themselves held the most.
func (m *Matches) figures(gtx C, th *kit.Theme, s *MatchesState) D {
	r, t := s.Result, s.Result.Timeline
	width, y := gtx.Constraints.Max.X-gtx.Dp(12), gtx.Dp(2)
	h := gtx.Dp(20)
	line := func(left giolayout.Widget, right kit.Label) {
		g := gtx
		g.Constraints = giolayout.Constraints{Max: image.Pt(max(0, width), h+gtx.Dp(8))}
		c, d := kit.Measure(g, left)
		kit.Place(gtx.Ops, image.Pt(0, y+(h-d.Size.Y)/2), c)
		c, d = kit.Measure(g, right.Line(th))
		kit.Place(gtx.Ops, image.Pt(width-d.Size.X, y+(h-d.Size.Y)/2), c)
		y += h
	}
	line(th.Small(s.NowAt).Line(th), th.MonoText(units.Bytes(s.Now)))
	atPeak := units.Bytes(r.At(t.PeakState)) + percent(r.At(t.PeakState), t.PeakBytes)
	line(th.Small("at the run's peak").Line(th), th.MonoText(atPeak))
	own := func(gtx C) D { return m.peak.LayoutLink(gtx, th, "at most, at their own peak") }
	line(own, th.MonoText(units.Bytes(r.PeakBytes)))
	y += gtx.Dp(5)
	kit.Fill(gtx.Ops, image.Rect(0, y, width, y+1), th.Line)
	if y += gtx.Dp(5); len(r.Sites) > 0 {
		line(th.Small("by line of code").Line(th), th.Small("at the run's peak"))
	}
	return D{Size: image.Pt(gtx.Constraints.Max.X, y+1)}
}

// percent is a part of a whole, "" where there is no whole.
func percent(part, whole int64) string {
	if whole <= 0 {
		return ""
	}
	return "  " + strconv.FormatFloat(float64(part)/float64(whole)*100, 'f', 1, 64) + " %"
}

func (m *Matches) body(gtx C, th *kit.Theme, r *search.Result) D {
	if len(r.Sites) == 0 {
		return giolayout.Inset{Top: 8, Right: 12}.Layout(gtx,
			th.Aside("Nothing in this device fits the search.").Wrapped(th))
	}
	return th.OverlayList(&m.list, 6).Layout(gtx, len(m.rows), func(gtx C, i int) D {
		row := &m.rows[i]
		if !row.said {
			row.say(r, &r.Sites[i])
		}
		return row.layout(gtx, th, r.Share(&r.Sites[i]))
	})
}

// say puts a site into words.
func (row *matchRow) say(r *search.Result, site *search.Site) {
	row.said = true
	s := r.Timeline.Snapshot
	row.place, row.under = siteWords(s, site)
	// What stands in a row is all of one time: the run's peak, or the whole run where nothing was held then.
	row.bytes, row.share = units.Bytes(site.Bytes), units.Count(site.Count)+" × in all, none at the peak"
	if site.AtPeak > 0 {
		row.bytes = units.Bytes(site.AtPeak)
		row.share = units.Count(site.LiveThen) + " × at the peak" + percent(site.AtPeak, r.Timeline.PeakBytes)
	}
}

func siteWords(s *snapshot.Snapshot, site *search.Site) (place, under string) {
	if site.Frame == 0 {
		return "no stack recorded", ""
	}
	fr := describe.FrameAt(s, site.Frame)
	parts := []string{fr.Function, fr.Folder}
	if site.Freed {
		parts = []string{"freed here", fr.Function}
	}
	if parts[1] == "" || parts[0] == "" {
		return fr.Place, strings.Join(parts, "")
	}
	return fr.Place, strings.Join(parts, "  ·  ")
}

// layout draws a row: the line and where it is at the left; bytes at the
// peak, count and share at the right, and under the pointer what can be done.
func (row *matchRow) layout(gtx C, th *kit.Theme, share float64) D {
	width, height := max(0, gtx.Constraints.Max.X-gtx.Dp(12)), gtx.Dp(44)
	size := image.Pt(width, height)
	gtx.Constraints = giolayout.Constraints{Max: size}
	area := clip.Rect{Max: size}.Push(gtx.Ops)
	row.area.Add(gtx.Ops)
	shareAt := 0
	row.click.Layout(gtx, func(gtx C) D {
		pointer.CursorPointer.Add(gtx.Ops)
		if row.click.Hovered() {
			kit.Fill(gtx.Ops, image.Rectangle{Max: size}, kit.WithAlpha(th.Raised, 160))
		}
		right := func(l kit.Label, y int) int {
			c, d := kit.Measure(gtx, l.Line(th))
			kit.Place(gtx.Ops, image.Pt(width-d.Size.X, y), c)
			return width - d.Size.X
		}
		left := func(l kit.Label, y, end int) {
			g := gtx
			g.Constraints.Max.X = max(0, end-gtx.Dp(10))
			c, _ := kit.Measure(g, l.Line(th))
			kit.Place(gtx.Ops, image.Pt(0, y), c)
		}
		end := right(th.MonoText(row.bytes), gtx.Dp(4))
		left(kit.Label{Face: kit.MonoStrong, Colour: th.Text, Text: row.place}, gtx.Dp(4), end)
		end = right(th.Figures(row.share), gtx.Dp(22))
		shareAt = end
		left(th.Small(row.under), gtx.Dp(22), end)
		kit.Fill(gtx.Ops, image.Rect(0, height-1, width, height), kit.WithAlpha(th.Line, 160))
		kit.Fill(gtx.Ops, image.Rect(0, height-2, int(float64(width)*share+.5), height), th.Curve)
		return D{Size: size}
	})
	if row.area.Update(gtx.Source) {
		// They take the place of the share; the bytes stay in sight.
		look := func(text, hint string) kit.ButtonLook {
			return kit.ButtonLook{Text: text, Small: true, Hint: hint, HintLeft: true}
		}
		kit.Actions(gtx, th, size, shareAt-gtx.Dp(4), gtx.Dp(2),
			row.only.Look(th, look("only", "Search for this line alone")),
			row.hide.Look(th, look("hide", "Take this line out of the matches")))
	}
	area.Pop()
	return D{Size: image.Pt(width+gtx.Dp(12), height)} // the scroll bar lies in the margin
}
