package window

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"path/filepath"
	"strings"

	giolayout "gioui.org/layout"
	"gioui.org/op"
	"gioui.org/op/clip"

	"strata/app/atomicfile"
	"strata/app/platform/dialog"
	"strata/app/session"
	"strata/layout"
	"strata/layout/breakdown"
	"strata/layout/units"
	"strata/render"
	"strata/render/picture"
	"strata/render/raster"
	"strata/render/tiles"
	"strata/widgets/chart"
	"strata/widgets/describe"
	"strata/widgets/kit"
	"strata/widgets/panel"
)

// pictureWidth is how many pixels a saved picture has at least.
const pictureWidth = 1600

// savePicture asks where to and writes what the timeline shows: the view as it is now, whatever happens to it
// meanwhile.
func (w *Window) savePicture(gtx giolayout.Context) {
	t := w.tab()
	timeline, v, opt, snapshot := t.Timeline(), t.View, w.pictureOptions(gtx, t), t.Doc.Path
	name := panel.Stem(t.Doc.Name()) + ".png"
	filters := []dialog.Filter{{Name: "PNG picture", Patterns: []string{"*.png"}},
		{Name: "SVG picture", Patterns: []string{"*.svg"}}}
	w.chooseTarget("Save the picture, as .png or .svg", name, filters, func(path string) {
		w.background().Go(func(ctx context.Context) func() {
			err := checkPictureName(path, snapshot)
			if err == nil {
				err = atomicfile.Write(ctx, path, func(out *bufio.Writer) error {
					return picture.Write(ctx, out, picture.IsSVG(path), timeline, v, opt)
				})
			}
			return func() {
				if s := w.sessions.Active; err != nil {
					s.Problem = &describe.Problem{Title: "The picture was not saved",
						What: session.Sentence(err.Error())}
				} else {
					s.Say("Picture saved: " + path)
				}
			}
		})
	})
}

// checkPictureName says what is wrong with a name for a picture.
func checkPictureName(path, snapshot string) error {
	name := filepath.Base(path)
	switch ext := strings.ToLower(filepath.Ext(path)); {
	case ext != ".png" && ext != ".svg":
		return errors.New(name + ": pictures are written as PNG or SVG; let its name end in .png or .svg")
	case atomicfile.Same(path, snapshot):
		return errors.New(name + " is the snapshot itself; give the picture another name")
	}
	return nil
}

// pictureOptions are those of a picture in the proportions of the timeline, with all that is marked in it.
func (w *Window) pictureOptions(gtx giolayout.Context, t *tab) picture.Options {
	st, plot := t.Doc.Stage, t.timeline.Plot()
	width := max(plot.Max.X+gtx.Dp(16), gtx.Dp(320))
	height := max(plot.Dy()+gtx.Dp(64)+t.lane.Height(gtx, st.Lane), gtx.Dp(200))
	scale := max(1, pictureWidth/float64(width))
	within := func(px int) int { return max(picture.MinSize, min(int(float64(px)*scale), picture.MaxSize)) }
	limit := w.opt.Capacity(t.Timeline())
	opt := picture.Options{
		W: within(width), H: within(height), Scale: float64(gtx.Metric.PxPerDp) * scale,
		Palette: session.Palette(w.theme.Dark), Colouring: t.Colouring(),
		Title: t.Doc.Name() + " · " + t.deviceName(),
		Limit: limit.Bytes, LimitLabel: limit.Label(), Offset: w.opt.Offset,
		Outlined: true, Pinned: t.Pinned, Hovered: t.selection().Hovered,
	}
	if w.settings.Bands || t.Timeline().Banded() {
		opt.Bands = t.Grouping()
	}
	if len(st.Lane.Phases.All) > 0 {
		opt.Phases = st.Lane.Phases
	}
	shown := t.timeline.Allocator
	for _, c := range shown.Curves {
		opt.Lines = append(opt.Lines, picture.NewLine(c, t.View.Axis, &opt.Palette))
	}
	opt.Shade, opt.Trades = shown.Shade, shown.Trades
	if r := t.Matches(); r != nil {
		opt.Lines = append(opt.Lines, picture.MatchesLine(r, t.View.Axis, &opt.Palette))
	}
	return opt
}

// A bandScene is the timeline as bands of groups: it shows no single allocation.
type bandScene struct {
	of      bandsShown
	picture *tiles.Picture
	names   []picture.BandName
	version uint64
}

// bandsShown is what a bandScene depends on.
type bandsShown struct {
	bands *picture.Bands
	view  render.View
	size  image.Point
	dark  bool
	lit   int32
}

// Add implements chart.Scene.
func (b *bandScene) Add(ops *op.Ops) { b.picture.Add(ops, image.Point{}) }

// At implements chart.Scene.
func (b *bandScene) At(int, int) layout.ID { return layout.None }

// Outline implements chart.Scene.
func (b *bandScene) Outline(layout.ID) []raster.Run { return nil }

// Version implements chart.Scene.
func (b *bandScene) Version() uint64 { return b.version }

// composeBands brings the bands up to date, where they are shown.
func (w *Window) composeBands(gtx giolayout.Context, t *tab, size image.Point) {
	bands := (*picture.Bands)(nil)
	if w.settings.Bands || t.Timeline().Banded() {
		bands = t.Bands(size.X)
	}
	if bands == nil {
		t.bands = nil
		return
	}
	now, version := bandsShown{bands, t.View, size, w.theme.Dark, t.litGroup()}, uint64(0)
	if t.bands != nil {
		if version = t.bands.version + 1; t.bands.of == now {
			return
		}
	}
	img := image.NewRGBA(image.Rectangle{Max: size})
	bands.Paint(img, t.View, session.Palette(w.theme.Dark).Background, now.lit)
	label := func(text string) kit.Label { return kit.Label{Size: kit.SmallSize, Text: text} }
	names := bands.Names(t.View, size, func(text string) int { return w.theme.Width(gtx, label(text)) }, px(gtx, 15))
	t.bands = &bandScene{now, tiles.NewPicture(img), names, version}
}

// drawBandNames writes the names on the bands, unless all but one are dimmed.
func (w *Window) drawBandNames(gtx giolayout.Context, t *tab) {
	if t.bands == nil || t.bands.of.lit != panel.NoGroup {
		return
	}
	gtx.Constraints.Min = image.Point{}
	plot := t.timeline.Plot()
	defer clip.Rect(plot).Push(gtx.Ops).Pop()
	for _, n := range t.bands.names {
		c, d := kit.Measure(gtx, kit.Label{Size: kit.SmallSize, Text: n.Text, Colour: color.NRGBA(n.Ink)}.Line(w.theme))
		kit.Place(gtx.Ops, plot.Min.Add(image.Pt(n.X, n.Mid-d.Size.Y/2)), c)
	}
}

// pointedBand is the group whose band is under the pointer, panel.NoGroup for none.
func (t *tab) pointedBand() int32 {
	if at, ok := t.timeline.Pointer(); ok && t.bands != nil {
		return t.bands.of.bands.At(t.View, t.bands.of.size, at)
	}
	return panel.NoGroup
}

// bandTip says what the band under the pointer holds there, nil where there is none.
func (t *tab) bandTip() []string {
	at, _ := t.timeline.Pointer()
	group := t.pointedBand()
	if group == panel.NoGroup || t.Grouping() == nil {
		return nil
	}
	held, total := t.bands.of.bands.Held(group, t.View, at.X, t.bands.of.size.X)
	return []string{t.Grouping().Label(group), units.BytesInFull(held), fmt.Sprintf("%.1f %% of %s",
		100*float64(held)/float64(max(1, total)), units.Bytes(total))}
}

// lines is what is shown of the allocator over the timeline.
func (w *Window) lines() session.Lines { return session.Lines(w.settings.Lines) % session.LinesChoices }

// setLines chooses what is shown of the allocator over the timeline.
func (w *Window) setLines(l session.Lines) {
	w.settings.Lines = uint8(l % session.LinesChoices)
	w.save()
}

// allocatorTip is what a mark of the allocator says under the pointer.
func (t *tab) allocatorTip() []string {
	a, m := &t.timeline.Allocator, t.mark
	switch {
	case m.Kind == chart.CurveMark && m.Index < len(a.Curves):
		return describe.CurveTip(t.Timeline(), a.Curves[m.Index], t.View.Axis)
	case m.Kind == chart.TradeMark && m.Last < len(a.Trades):
		return describe.TradesTip(t.Timeline(), a.Trades[m.Index:m.Last+1], t.View.Axis)
	}
	return []string{""}
}

// toggleBands shows bands of groups in place of allocations, or allocations again.
func (w *Window) toggleBands(giolayout.Context) {
	w.settings.Bands = !w.settings.Bands
	w.save()
}

// groupedBy is what the memory of a tab is grouped by.
func (w *Window) groupedBy(t *tab) breakdown.By {
	if t.Timeline().Banded() {
		return breakdown.ByCategory
	}
	return w.opt.GroupBy
}

// pointed is the place of the axis that the pointer is at, and how much of it a pixel is.
func (t *tab) pointed() (x, dx float64, ok bool) {
	p, ok := t.timeline.Pointer()
	if !ok || t.scene == nil {
		return 0, 0, false
	}
	dx = (t.View.X1 - t.View.X0) / float64(t.scene.Size.X)
	return t.View.X0 + float64(p.X)*dx, dx, true
}

// linesHere is what the lines over the timeline show where the pointer is.
func (t *tab) linesHere() (texts []string) {
	x, dx, ok := t.pointed()
	for _, c := range t.timeline.Allocator.Curves {
		if bytes, known := c.At(t.View.Axis, x+dx/2); ok && known {
			texts = append(texts, c.Title()+" "+units.Bytes(bytes))
		}
	}
	return texts
}
