package picture

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"strata/layout"
	"strata/layout/traces"
	"strata/render"
	"strata/render/colour"
	"strata/render/raster"
	"strata/snapshot"
)

// svgPixels paints the shapes of an SVG of ours at the centres of w by h pixels: path by path, as their colours.
func svgPixels(t *testing.T, doc []byte, w, h int) []string {
	t.Helper()
	pixels := make([]string, w*h)
	type group struct {
		fill           string
		dx, dy, sx, sy float64
	}
	stack := []group{{sx: 1, sy: 1}}
	d := xml.NewDecoder(bytes.NewReader(doc))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return pixels
		}
		if err != nil {
			t.Fatal(err)
		}
		switch e := token.(type) {
		case xml.EndElement:
			stack = stack[:len(stack)-1]
		case xml.StartElement:
			g := stack[len(stack)-1]
			attr := map[string]string{}
			for _, a := range e.Attr {
				attr[a.Name.Local] = a.Value
			}
			if f, ok := attr["fill"]; ok {
				g.fill = f
			}
			placed := regexp.MustCompile(`^translate\((\d+) (\d+)\) scale\(([\d.]+) ([\d.]+)\)$`)
			if m := placed.FindStringSubmatch(attr["transform"]); m != nil {
				f := func(s string) float64 { v, _ := strconv.ParseFloat(s, 64); return v }
				g.dx, g.dy, g.sx, g.sy = f(m[1]), f(m[2]), f(m[3]), f(m[4])
			}
			stack = append(stack, g)
			if e.Name.Local != "path" || attr["fill-opacity"] != "" {
				continue
			}
			colour := g.fill
			edges := pathEdges(t, attr["d"], colour == "none")
			if colour == "none" {
				colour = attr["stroke"]
			}
			// Between two verticals, even and odd crossings in turn.
			rows := map[int][]float64{}
			for _, v := range edges {
				for y := max(0, int(math.Ceil(v[1]*g.sy+g.dy-.5))); y < h && float64(y)+.5 < v[2]*g.sy+g.dy; y++ {
					rows[y] = append(rows[y], v[0]*g.sx+g.dx)
				}
			}
			for y, xs := range rows {
				for x := range w {
					n := 0
					for _, at := range xs {
						if at <= float64(x)+.5 {
							n++
						}
					}
					if n%2 == 1 {
						pixels[y*w+x] = colour
					}
				}
			}
		}
	}
}

// pathEdges is the vertical edges of a path: x, and y from and to. Strokes are one wide.
func pathEdges(t *testing.T, d string, stroke bool) (edges [][3]float64) {
	t.Helper()
	x, y, x0, y0 := 0., 0., 0., 0.
	vertical := func(to float64) {
		edges = append(edges, [3]float64{x, min(y, to), max(y, to)})
		if stroke {
			edges = append(edges, [3]float64{x + 1, min(y, to), max(y, to)})
		}
		y = to
	}
	for _, m := range regexp.MustCompile(`([MhvHz])(-?\d+)?(?: (-?\d+))?`).FindAllStringSubmatch(d, -1) {
		a, _ := strconv.ParseFloat(m[2], 64)
		b, _ := strconv.ParseFloat(m[3], 64)
		switch m[1] {
		case "M":
			x, y, x0, y0 = a, b, a, b
		case "h":
			x += a
		case "H":
			x = a
		case "v":
			vertical(y + a)
		case "z":
			if x != x0 {
				t.Fatalf("the path %.80s does not come back", d)
			}
			vertical(y0)
		}
	}
	return edges
}

// TestSVGShowsTheLookup: every pixel of the picture has the colour of the allocation that the lookup says.
func TestSVGShowsTheLookup(t *testing.T) {
	tl := laidOut(traces.Training(6000), layout.Options{})
	whole := render.Whole(tl, layout.Events)
	views := map[string]render.View{"whole": whole, "time": render.Whole(tl, layout.Time),
		"deep": whole.ZoomX(whole.XAt(.6, 1), 40).ZoomY(0, 2)}
	for name, v := range views {
		opt := Options{W: 500, H: 300, Palette: colour.Dark()}
		r, err := raster.New(context.Background(), tl, v, 420, 250)
		if err != nil {
			t.Fatal(err)
		}
		c := colour.New(tl, colour.BySite, opt.Palette)
		body, err := drawBlocks(context.Background(), r, c, 1)
		if err != nil {
			t.Fatal(err)
		}
		pixels := svgPixels(t, []byte("<svg>"+string(body)+"</svg>"), r.W, r.H)
		for i, id := range r.IDs {
			want := ""
			if id != layout.None {
				want = hex(c.Colour(id))
			}
			if pixels[i] != want {
				t.Fatalf("%s: pixel %d, %d is %q, want %q of allocation %d", name, i%r.W, i/r.W, pixels[i], want, id)
			}
		}
	}
}

// TestSVGOfHostileNames: what a file names becomes text and nothing else.
func TestSVGOfHostileNames(t *testing.T) {
	tl := laidOut(traces.Training(2000), layout.Options{})
	evil := `</text><script>alert(1)</script>&amp;"'` + "\x00\x1b\xff\uFFFE]]>" + strings.Repeat("x", 5000)
	snap := tl.Snapshot
	snap.Strings = append(snap.Strings, evil)
	name, device := snapshot.StringID(len(snap.Strings)-1), int32(tl.Device.Index)
	snap.Annotations = []snapshot.Annotation{
		{Start: true, Name: name, Device: device, Time: tl.Start}, {Name: name, Device: device, Time: tl.End},
	}
	phases := layout.AllPhases(tl)
	var out bytes.Buffer
	opt := Options{W: 900, H: 500, Palette: colour.Light(), Title: evil, Phases: phases,
		Limit: tl.PeakBytes / 2, LimitLabel: evil, Outlined: true, Pinned: 3, Hovered: layout.None, Offset: 1 << 30}
	if err := SVG(context.Background(), &out, tl, render.Whole(tl, layout.Time), opt); err != nil {
		t.Fatal(err)
	}
	d := xml.NewDecoder(&out)
	allowed := map[string]bool{"svg": true, "title": true, "path": true, "g": true, "text": true}
	texts := 0
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			if !allowed[e.Name.Local] {
				t.Errorf("there is an element %s", e.Name.Local)
			}
		case xml.CharData:
			if strings.Contains(string(e), "<script>alert(1)</script>&amp;") {
				texts++
			}
		}
	}
	if texts < 2 {
		t.Errorf("the name is in %d texts", texts)
	}
}

// TestSVGIsBounded: noise in every pixel weighs a few megabytes.
func TestSVGIsBounded(t *testing.T) {
	tl := laidOut(traces.Training(60000), layout.Options{})
	r, err := raster.New(context.Background(), tl, render.Whole(tl, layout.Events), 3000, 2000)
	if err != nil {
		t.Fatal(err)
	}
	for i := range r.IDs { // worse than any snapshot
		r.IDs[i] = layout.ID(i * 7919 % len(tl.Size))
	}
	b, err := drawBlocks(context.Background(), r, colour.New(tl, colour.ByAllocation, colour.Dark()), 1)
	if err != nil || len(b) <= svgBytes {
		t.Fatalf("%d bytes, %v: nothing to be bounded", len(b), err)
	}
	var out bytes.Buffer
	opt := Options{W: 4000, H: 2400, Palette: colour.Dark(), Colours: colour.ByAllocation}
	err = SVG(context.Background(), &out, tl, render.Whole(tl, layout.Events), opt)
	if err != nil || out.Len() > svgBytes+1<<20 {
		t.Errorf("%d bytes, %v", out.Len(), err)
	}
}

func TestWriteChart(t *testing.T) {
	tl := laidOut(traces.Training(2000), layout.Options{})
	opt := Options{W: 200, H: 120, Palette: colour.Dark()}
	for name, head := range map[string]string{"a.SVG": "<svg ", "a.png": "\x89PNG", "svg": "\x89PNG"} {
		var out bytes.Buffer
		err := Write(context.Background(), &out, IsSVG(name), tl, render.Whole(tl, layout.Events), opt)
		if err != nil || !strings.HasPrefix(out.String(), head) {
			t.Errorf("%s: %.10q, %v", name, out.String(), err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	err := Write(ctx, io.Discard, true, tl, render.Whole(tl, layout.Events), opt)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestChartMarks: what the options ask for is in the picture.
func TestChartMarks(t *testing.T) {
	tl := laidOut(traces.Training(3000), layout.Options{})
	v := render.Whole(tl, layout.Events)
	draw := func(set func(*Options)) map[image.Point]bool {
		opt := Options{W: 800, H: 400, Palette: colour.Dark()}
		set(&opt)
		img, err := Draw(context.Background(), tl, v, opt)
		if err != nil {
			t.Fatal(err)
		}
		red := map[image.Point]bool{}
		for y := range 400 {
			for x := range 800 {
				if c := img.RGBAAt(x, y); c == opt.Palette.Pinned || c == opt.Palette.Curve {
					red[image.Pt(x, y)] = true
				}
			}
		}
		return red
	}
	if n := len(draw(func(*Options) {})); n > 0 {
		t.Errorf("%d pixels are marked without a mark", n)
	}
	for name, set := range map[string]func(*Options){
		"outline": func(o *Options) {
			o.Outlined, o.Pinned, o.Hovered = true, tl.Order[len(tl.Order)/2], layout.None
			o.Pinned = 0
			for id, size := range tl.Size {
				if size > tl.Size[o.Pinned] {
					o.Pinned = layout.ID(id)
				}
			}
		},
		"curve": func(o *Options) { o.Lines = []Line{level("", tl.PeakBytes/3)} },
	} {
		if n := len(draw(set)); n < 20 {
			t.Errorf("%s: only %d pixels are marked", name, n)
		}
	}
}

// TestSVGVeil: what a column does not hold all of its time lies under two veils.
func TestSVGVeil(t *testing.T) {
	for name, trace := range map[string]*traces.Trace{
		"training": traces.Training(40_000), "flat": traces.FIFO(1, 1, traces.Mixed),
	} {
		want := name == "training"
		var out bytes.Buffer
		tl := laidOut(trace, layout.Options{})
		opt := Options{W: 500, H: 300, Palette: colour.Dark()}
		if err := SVG(context.Background(), &out, tl, render.Whole(tl, layout.Events), opt); err != nil {
			t.Fatal(err)
		}
		for _, tone := range []colour.Tone{colour.Mean, colour.Peak} {
			veil := fmt.Sprintf(` fill-opacity="%.2f"`, float64(colour.Veil[tone])/255)
			if strings.Contains(out.String(), veil) != want {
				t.Errorf("%s: veil %s is there: %v", name, veil, !want)
			}
		}
	}
}
