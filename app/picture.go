package app

import (
	"bufio"
	"errors"
	"path/filepath"
	"strings"

	giolayout "gioui.org/layout"

	"strata/app/atomicfile"
	"strata/app/platform"
	"strata/render/picture"
	"strata/widgets"
)

// pictureWidth is how many pixels a saved picture has at least.
const pictureWidth = 1600

// savePicture asks where to and writes what the timeline shows: the view as it
// is now, whatever happens to it meanwhile.
func (w *window) savePicture(gtx giolayout.Context) {
	t, v, opt, snapshot := w.timeline(), w.view, w.pictureOptions(gtx), w.doc.path
	name := widgets.Stem(w.doc.name())
	filters := []platform.Filter{{Name: "PNG picture", Patterns: []string{"*.png"}}, {Name: "SVG picture", Patterns: []string{"*.svg"}}}
	w.chooseTarget("Save the picture, as .png or .svg", name+".png", filters, func(path string) {
		w.work.Go(func() {
			err := pictureTarget(path, snapshot)
			if err == nil {
				err = atomicfile.Write(w.ctx, path, func(out *bufio.Writer) error {
					return picture.Write(w.ctx, out, picture.IsSVG(path), t, v, opt)
				})
			}
			w.mail.post(func() {
				if err != nil {
					w.problem = &widgets.Problem{Title: "The picture was not saved", What: sentence(err.Error())}
					return
				}
				w.say("Picture saved: " + path)
			})
		})
	})
}

// pictureTarget says what is wrong with a name for a picture.
func pictureTarget(path, snapshot string) error {
	switch ext := strings.ToLower(filepath.Ext(path)); {
	case ext != ".png" && ext != ".svg":
		return errors.New(filepath.Base(path) + ": pictures are written as PNG or SVG; let its name end in .png or .svg")
	case atomicfile.Same(path, snapshot):
		return errors.New(filepath.Base(path) + " is the snapshot itself; give the picture another name")
	}
	return nil
}

// pictureOptions are those of a picture in the proportions of the window's
// timeline, with all that is marked in it.
func (w *window) pictureOptions(gtx giolayout.Context) picture.Options {
	st, l := w.doc.stage, &w.panels.timeline.Limits
	plot := w.panels.timeline.Plot()
	width := max(plot.Max.X+gtx.Dp(16), gtx.Dp(320))
	height := max(plot.Dy()+gtx.Dp(64)+w.panels.lane.Height(gtx, st.lane), gtx.Dp(200))
	scale := max(1, pictureWidth/float64(width))
	within := func(px int) int { return max(picture.MinSize, min(int(float64(px)*scale), picture.MaxSize)) }
	opt := picture.Options{
		W: within(width), H: within(height), Scale: float64(gtx.Metric.PxPerDp) * scale,
		Palette: palette(w.theme.Dark), Colouring: w.colouring(),
		Title: w.doc.name() + " · " + deviceName(w.doc.devices[st.device]),
		Limit: l.Capacity.Bytes, LimitLabel: l.Capacity.Label(), Offset: l.Offset,
		Outlined: true, Pinned: w.selection.Pinned, Hovered: w.selection.Hovered,
	}
	if len(st.phases.All) > 0 {
		opt.Phases = st.phases
	}
	if r := w.find.result; r != nil && w.find.timeline == st.timeline && r.Count > 0 {
		axis := w.view.Axis
		opt.Curve = func(x0, x1 float64) int64 { return r.Column(axis, x0, x1) }
	}
	return opt
}
