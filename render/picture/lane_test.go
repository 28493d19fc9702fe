package picture

import (
	"context"
	"image"
	"image/color"
	"testing"

	"strata/layout"
	"strata/layout/traces"
	"strata/render"
	"strata/render/colour"
	"strata/snapshot"
)

// withPhases is a small timeline with an annotation over its first half, one in it, and one that has no END.
func withPhases(t *testing.T) *layout.Timeline {
	t.Helper()
	tl := laidOut(traces.Training(3000), layout.Options{})
	s := tl.Snapshot
	if !tl.HasTime() {
		t.Fatal("the test's timeline has no times")
	}
	mark := func(name string, start bool, part float64) {
		s.Strings = append(s.Strings, name)
		id := len(s.Strings) - 1
		for i, have := range s.Strings[:id] {
			if have == name {
				id = i
			}
		}
		s.Annotations = append(s.Annotations, snapshot.Annotation{Name: snapshot.StringID(id), Start: start,
			Device: int32(tl.Device.Index), Time: tl.Start + int64(part*float64(tl.End-tl.Start))})
	}
	mark("first half", true, 0)
	mark("inner", true, .1)
	mark("inner", false, .3)
	mark("first half", false, .5)
	mark("open", true, .8)
	return tl
}

// count is how many pixels of a part of a picture have a colour.
func count(img *image.RGBA, r image.Rectangle, c color.RGBA) (n int) {
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			if img.RGBAAt(x, y) == c {
				n++
			}
		}
	}
	return n
}

// TestChartPhases: each annotation is a bar above the timeline, as long as it lasts, and the picture without them has
// none.
func TestChartPhases(t *testing.T) {
	tl := withPhases(t)
	v := render.Whole(tl, layout.Time)
	for _, palette := range []colour.Palette{colour.Dark(), colour.Light()} {
		opt := Options{W: 1000, H: 500, Palette: palette, Phases: layout.AllPhases(tl)}
		img, err := Draw(context.Background(), tl, v, opt)
		if err != nil {
			t.Fatal(err)
		}
		opt.Phases = nil
		bare, err := Draw(context.Background(), tl, v, opt)
		if err != nil {
			t.Fatal(err)
		}
		row := image.Rect(0, 0, 1000, 100)
		for hue, part := range []float64{.5, .2, .2} {
			ground, _ := colour.PhaseColours(palette.Dark, uint8(hue))
			longest := 0
			for y := range row.Max.Y {
				longest = max(longest, count(img, image.Rect(0, y, 1000, y+1), ground))
			}
			if want := part * 900; float64(longest) < want*.9 || float64(longest) > want*1.15 {
				t.Errorf("bar %d is %d pixels long, wanted about %.0f", hue, longest, want)
			}
			if n := count(bare, bare.Rect, ground); n > 0 {
				t.Errorf("without phases %d pixels of bar %d", n, hue)
			}
		}
	}
}

// TestChartOffset: the base is hatched from the bottom up to where the stack begins and nowhere else, the axis counts
// it, and the line of the GPU lies lower by it.
func TestChartOffset(t *testing.T) {
	tl := laidOut(traces.Training(3000), layout.Options{})
	offset := tl.PeakBytes / 2
	v := render.Whole(tl, layout.Events)
	v.Below = float64(offset)
	v.Y0 = -v.Below
	limit := tl.PeakBytes
	palette := colour.Dark()
	draw := func(opt Options) *image.RGBA {
		opt.W, opt.H, opt.Palette = 800, 450, palette
		img, err := Draw(context.Background(), tl, v, opt)
		if err != nil {
			t.Fatal(err)
		}
		return img
	}
	with := draw(Options{Offset: offset, Limit: limit})
	ink := colour.Mix(palette.Panel, palette.Quiet, .35)
	top, bottom := 450, 0
	for y := range 450 {
		if n := count(with, image.Rect(0, y, 800, y+1), ink); n > 20 {
			top, bottom = min(top, y), max(bottom, y)
		}
	}
	// The view is from -offset to 1.06 of the peak: the base is a third of it.
	high := float64(bottom - top)
	if whole := 450 - 2*8.0 - 45; high < whole*.28 || high > whole*.36 {
		t.Errorf("hatched from row %d to %d", top, bottom)
	}
	if n := count(draw(Options{}), image.Rect(0, 0, 800, 450), ink); n > 20 {
		t.Errorf("%d hatched pixels without an offset", n)
	}
	line := colour.Mix(palette.Background, palette.Pinned, .75)
	row := func(img *image.RGBA) int {
		for y := range 450 {
			if count(img, image.Rect(0, y, 800, y+1), line) > 300 {
				return y
			}
		}
		return -1
	}
	at, plain := row(with), row(draw(Options{Limit: limit}))
	if at <= plain || plain < 0 || float64(at-plain) < high*.9 || float64(at-plain) > high*1.1 {
		t.Errorf("the line is in row %d, without an offset in row %d; the base is %g high", at, plain, high)
	}
}

// TestLabelsKeepOffThePeak: wherever the peak is in a picture, no label of a limit or of the peak lies on its mark or
// on another label.
func TestLabelsKeepOffThePeak(t *testing.T) {
	tl := laidOut(traces.Training(3000), layout.Options{})
	whole := render.Whole(tl, layout.Events)
	peak := tl.X(layout.Events, tl.PeakState)
	for i := range 20 {
		v := whole
		v.X0, v.X1 = peak-float64(20-i)*10-1, peak+float64(i)*10+1
		opt := Options{W: 500, H: 300, Palette: colour.Dark(), Scale: 1,
			Limit: int64(float64(tl.PeakBytes) * (1 + float64(i)/60)), LimitLabel: "T4 16 GB (14.5 GiB usable)"}
		c := &chart{t: tl, view: v, opt: opt, space: 8, line: 1}
		var err error
		if c.writer, err = newWriter(13); err != nil {
			t.Fatal(err)
		}
		c.on = &bitmap{image.NewRGBA(image.Rect(0, 0, opt.W, opt.H)), c.writer}
		c.colouring = colour.New(tl, colour.BySite, colour.Dark())
		c.place()
		c.reservePeak()
		c.limit()
		c.peak()
		if len(c.taken) < 3 {
			t.Fatalf("%d: only %v", i, c.taken)
		}
		for a, r := range c.taken {
			for _, o := range c.taken[:a] {
				if r.Overlaps(o) {
					t.Errorf("%d: %v lies on %v", i, r, o)
				}
			}
		}
	}
}
