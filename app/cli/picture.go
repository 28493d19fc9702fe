package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"

	"strata/app/atomicfile"
	"strata/app/cli/report"
	"strata/app/options"
	"strata/app/web"
	"strata/layout"
	"strata/layout/breakdown"
	"strata/layout/explain"
	"strata/layout/state"
	"strata/render"
	"strata/render/colour"
	"strata/render/picture"
	"strata/snapshot"
)

// render draws the timeline of a file into a picture, PNG or SVG.
func (j *job) render(ctx context.Context) error {
	name := j.Files[0]
	if err := notOver(Render, name, j.Image.Out); err != nil {
		return err
	}
	s, d, err := j.openDevice(ctx)
	if err != nil {
		return err
	}
	var t *layout.Timeline
	title := filepath.Base(name) + " · " + d.Title()
	if j.Image.Segments {
		if why := s.LacksAllocator(); why != "" {
			return fmt.Errorf("%s: %s", name, why)
		}
		title += " · segments"
		t = state.New(s, d).SegmentTimeline()
	} else {
		t = j.lay(s, d, layout.Options{MaxEntries: j.MaxEntries})
	}
	v, err := j.viewOf(t, name)
	if err != nil {
		return err
	}
	opt, err := j.chart(t)
	if err != nil {
		return err
	}
	opt.W, opt.H, opt.Title = j.Image.Width, j.Image.Height, title
	opt.Scale = textScale(opt.W, opt.H)
	if j.Image.Bands || t.Banded() {
		opt.Bands = breakdown.New(t, j.Top.By, j.groupOptions(t))
	}
	v = j.addLines(&opt, t, v)
	draw := func(w *bufio.Writer) error {
		return picture.Write(ctx, w, picture.IsSVG(j.Image.Out), t, v, opt)
	}
	if j.Image.Out == "-" {
		return draw(j.out)
	}
	return atomicfile.Write(ctx, j.Image.Out, draw)
}

// addLines draws what the allocator held over a picture, as far as that is asked for, and returns a view that holds it.
func (j *job) addLines(opt *picture.Options, t *layout.Timeline, v render.View) render.View {
	l := &j.Image.Lines
	if l.Trades {
		opt.Trades = state.Trades(t)
	}
	var curves []*state.Curve
	if len(l.Amounts) > 0 {
		h := state.New(t.Snapshot, t.Device)
		for _, a := range l.Amounts {
			curves = append(curves, state.NewCurve(h, t, a))
		}
	}
	for _, c := range append(curves, state.SeriesCurves(t, len(l.Amounts) > 0)...) {
		line := picture.NewLine(c, v.Axis, &opt.Palette)
		_, high := line.Column(v.X0, v.X1)
		v, opt.Lines = v.Holding(high), append(opt.Lines, line)
	}
	opt.Shade = l.Gap
	return v
}

// textScale is how much larger than usual text is in a picture of so many pixels: one that is larger than screens
// are is looked at from farther away.
func textScale(w, h int) float64 {
	return max(1, min(float64(w)/2400, float64(h)/1350))
}

// notOver keeps the output of a kind of command from being written over the file it is made of.
func notOver(kind Kind, file, out string) error {
	if out != "-" && atomicfile.Same(file, out) {
		return &UsageError{kind, "-o " + out + " is the snapshot itself; give the output another name"}
	}
	return nil
}

// chart is how what is to be shown is drawn.
func (c *Command) chart(t *layout.Timeline) (picture.Options, error) {
	phases, err := layout.NewPhases(t, layout.Choice{All: c.AllAnnotations, Spans: layout.OuterSpans,
		Filter: c.AnnotationFilter})
	if err != nil {
		return picture.Options{}, err
	}
	palette := colour.Dark()
	if c.Theme == "light" {
		palette = colour.Light()
	}
	limit := c.Capacity(t)
	return picture.Options{Palette: palette, Colours: c.Colour, Rules: c.Categories,
		Limit: limit.Bytes, LimitLabel: limit.Label(),
		Offset: c.Offset, Phases: phases}, nil
}

// viewOf is the view of the range that is asked for, with the base under it, and the line of the GPU in it where
// the whole run is shown.
func (c *Command) viewOf(t *layout.Timeline, name string) (render.View, error) {
	v, err := viewOf(t, name, c.Axis, c.Image)
	if err != nil {
		return v, err
	}
	v.Below = float64(c.Offset)
	v.Y0 = -v.Below
	if !c.Image.From.Given && !c.Image.To.Given {
		v = v.WithLimit(c.Capacity(t).Bytes - c.Offset)
	}
	return v, nil
}

// openDevice opens the one FILE and finds the device that is asked for.
func (j *job) openDevice(ctx context.Context) (*snapshot.Snapshot, *snapshot.Device, error) {
	s, err := j.open(ctx, j.Files[0])
	if err != nil {
		return nil, nil, err
	}
	d, err := deviceOf(s, j.Files[0], j.Device)
	return s, d, err
}

// deviceOf finds the device to draw; if it is not there, the error says which ones are.
func deviceOf(s *snapshot.Snapshot, name string, index int) (*snapshot.Device, error) {
	if first := s.FirstDevice(); first != nil && index == options.AnyDevice {
		return first, nil
	}
	var there []string
	for _, d := range s.All() {
		if d.Index == index {
			return d, nil
		}
		there = append(there, deviceArgument(d.Index))
	}
	switch {
	case len(there) == 0:
		return nil, fmt.Errorf("%s: no device in it has events or segments, so there is nothing to draw", name)
	case len(there) == 1:
		return nil, fmt.Errorf("%s: there is no device %s in it, only %s", name, deviceArgument(index), there[0])
	}
	return nil, fmt.Errorf("%s: there is no device %s in it; there are %s", name, deviceArgument(index),
		strings.Join(there, ", "))
}

// deviceArgument is a device as --device takes it.
func deviceArgument(index int) string {
	if index == options.HostMemory {
		return "host"
	}
	return fmt.Sprint(index)
}

// viewOf is the view that a range asks for: the whole run, or a part of it with the highest point of that part at
// the top.
func viewOf(t *layout.Timeline, name string, axis layout.Axis, im Image) (render.View, error) {
	if axis == layout.Time && !t.HasTime() {
		return render.View{}, fmt.Errorf("%s: no times were recorded in it, so there is no time axis; use "+
			"--axis events", name)
	}
	if axis == layout.Events { // steps are given
		for _, b := range []*Bound{&im.From, &im.To} {
			b.At = float64(t.Timestep[int(min(b.At, float64(len(t.Actions))))])
		}
	}
	v := render.Whole(t, axis)
	if !im.From.Given && !im.To.Given {
		return v, nil
	}
	if im.From.Given && im.From.At >= v.X1 {
		return v, fmt.Errorf("%s: --from %s is after the end of it, which is at %s", name, im.from, end(t, axis))
	}
	if im.From.Given {
		v.X0 = im.From.At
	}
	if im.To.Given {
		v.X1 = min(v.X1, im.To.At)
	}
	return v.Clamp(t).FitY(t), nil
}

// end is the end of an axis as --from takes it.
func end(t *layout.Timeline, axis layout.Axis) string {
	if axis == layout.Time {
		return fmt.Sprintf("%gs", t.Extent(axis)/1e6)
	}
	return fmt.Sprint(len(t.Actions))
}

var reportMode = mode{
	kind: Report, Name: "report", Synopsis: "strata report FILE -o OUT.html [flags]",
	About: `Writes what is in a snapshot as one web page to mail or to print: the picture,
why it ran out of memory, who held it at the peak, what the allocator held, and
what there is to know about the file. Only with --live there are scripts in it.`,
	Options: slices.Concat([]option{
		{Long: "out", Short: "o", Arg: "OUT.html", Help: "the page; - prints it", set: setPage},
		{Long: "live", Help: "the whole program with the snapshot inside; without\nscripts the report shows",
			set: flag(func(c *Command) *bool { return &c.Live })},
		deviceOption, axisOption, bandsOption, gpuOption, colourOption, categoriesOption, pictureThemeOption,
	}, annotationOptions, overOptions, readOptions),
	files: oneFile,
	check: func(c *Command) error {
		if c.Image.Out == "" {
			return errors.New("strata report needs a place for the page: -o OUT.html")
		}
		if c.Theme == "" {
			c.Theme = "light" // as paper is
		}
		return nil
	},
	run: (*job).pageReport,
}

func setPage(c *Command, v string) error {
	c.Image.Out = v
	if ext := strings.ToLower(filepath.Ext(v)); v != "-" && ext != ".html" && ext != ".htm" {
		return errors.New("the report is a web page, its name ends in .html")
	}
	return nil
}

// Pixels of the picture in a page, which is scaled to the reader's window.
const pageWidth, pageHeight = 1200, 600

// pageReport writes the report of a file as a web page.
func (j *job) pageReport(ctx context.Context) error {
	name := j.Files[0]
	if err := notOver(Report, name, j.Image.Out); err != nil {
		return err
	}
	s, err := j.open(ctx, name)
	if err != nil {
		return err
	}
	var shown *snapshot.Device
	if s.FirstDevice() != nil {
		if shown, err = deviceOf(s, name, j.Device); err != nil {
			return err
		}
	}
	var page report.Page
	var drawn error
	r, err := report.New(ctx, shownName(name), s, func(d *snapshot.Device) *layout.Timeline {
		t := j.lay(s, d, layout.Options{})
		if d == shown {
			page.Picture, drawn = j.pagePicture(ctx, t, name)
		}
		return t
	})
	if err = errors.Join(err, drawn); err != nil {
		return err
	}
	for _, d := range s.All() {
		if s.LacksAllocator() != "" { // why a request failed cannot be told without segments
			break
		}
		h := state.New(s, d)
		events := explain.Events(h)
		if len(events) > 0 { // the last one is what ended the run
			page.Explanations = append(page.Explanations, explain.Explain(h, events, len(events)-1, j.GPU.Bytes))
		}
	}
	write := func(w *bufio.Writer) error { return r.WriteHTML(w, page) }
	if j.Live {
		write = func(w *bufio.Writer) error {
			return live(w, name, func(w io.Writer) error { return r.WriteBody(w, page) })
		}
	}
	if j.Image.Out == "-" {
		return write(j.out)
	}
	return atomicfile.Write(ctx, j.Image.Out, write)
}

// pagePicture returns what draws the whole run of a device.
func (j *job) pagePicture(ctx context.Context, t *layout.Timeline, name string) (func(io.Writer) error, error) {
	v, err := j.viewOf(t, name)
	if err != nil {
		return nil, err
	}
	opt, err := j.chart(t)
	if err != nil {
		return nil, err
	}
	opt.W, opt.H, opt.Title = pageWidth, pageHeight, t.Device.Title()
	if j.Image.Bands || t.Banded() {
		opt.Bands = breakdown.New(t, j.Top.By, j.groupOptions(t))
	}
	return func(w io.Writer) error { return picture.SVG(ctx, w, t, v, opt) }, nil
}

// live writes the page with a snapshot inside, which is compressed if it is not yet. without writes what shows without
// scripts.
func live(w io.Writer, name string, without func(io.Writer) error) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	if s, err := snapshot.Sniff(name); err == nil && s.Packed {
		return web.Live(w, shownName(name), f, without)
	}
	packed, in := io.Pipe()
	defer packed.Close()
	go func() {
		z, err := zstd.NewWriter(in, zstd.WithEncoderLevel(zstd.SpeedBetterCompression))
		if err == nil {
			_, err = io.Copy(z, f)
			err = errors.Join(err, z.Close())
		}
		in.CloseWithError(err)
	}()
	return web.Live(w, shownName(name)+".zst", packed, without)
}
