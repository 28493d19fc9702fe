package picture

import (
	"bytes"
	"context"
	"encoding/xml"
	"image"
	"image/color"
	"io"
	"strings"
	"testing"

	"strata/layout"
	"strata/layout/traces"
	"strata/render"
	"strata/render/colour"
	"strata/snapshot"
)

// texts are the contents of the text elements of a drawing.
func texts(t *testing.T, svg []byte) (s []string) {
	t.Helper()
	in := false
	for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
		tok, err := d.Token()
		if err == io.EOF {
			return s
		}
		if err != nil {
			t.Fatal(err)
		}
		switch e := tok.(type) {
		case xml.StartElement:
			in = e.Name.Local == "text"
		case xml.CharData:
			if in {
				s = append(s, string(e))
			}
		case xml.EndElement:
			in = false
		}
	}
}

// TestChartOfNothing: a picture without a single block says why it is empty, in pixels and in SVG, and keeps the
// words inside.
func TestChartOfNothing(t *testing.T) {
	s := &snapshot.Snapshot{Devices: []snapshot.Device{{}}}
	tl := layout.New(s, &s.Devices[0], layout.Options{})
	why := tl.Nothing()
	if why == "" {
		t.Fatal("the timeline is not empty")
	}
	v := render.Whole(tl, layout.Events)
	quiet := color.RGBA{R: 255, A: 255} // a colour nothing else has
	for _, tt := range []struct {
		w, h   int
		offset int64
		says   bool
	}{
		{1600, 900, 0, true}, {800, 400, 4 << 30, true}, {300, 200, 0, true}, {160, 200, 0, true},
		{MinSize, MinSize, 0, false},
	} {
		opt := Options{W: tt.w, H: tt.h, Offset: tt.offset, Palette: colour.Dark()}
		var out bytes.Buffer
		if err := SVG(context.Background(), &out, tl, v, opt); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(strings.Join(texts(t, out.Bytes()), " "), why); got != tt.says {
			t.Errorf("%d×%d: says why is %v, want %v", tt.w, tt.h, got, tt.says)
		}
		opt.Palette.Quiet = quiet
		img, err := Draw(context.Background(), tl, v, opt)
		if err != nil {
			t.Fatal(err)
		}
		middle := image.Rect(tt.w/3, tt.h/3, tt.w*2/3, tt.h*2/3)
		if got := count(img, middle, quiet) > 0; got != tt.says {
			t.Errorf("%d×%d: text in the middle is %v, want %v", tt.w, tt.h, got, tt.says)
		}
	}
	var out bytes.Buffer
	full := laidOut(traces.Training(300), layout.Options{})
	opt := Options{W: 800, H: 400, Palette: colour.Dark()}
	if err := SVG(context.Background(), &out, full, render.Whole(full, layout.Events), opt); err != nil {
		t.Fatal(err)
	}
	if s := strings.Join(texts(t, out.Bytes()), " "); strings.Contains(s, "The trace has") {
		t.Errorf("a timeline with blocks says %q", s)
	}
}

// TestChartTitleFirst: where title and axis do not fit beside each other, the title is the one that stays.
func TestChartTitleFirst(t *testing.T) {
	tl := laidOut(traces.Training(300), layout.Options{})
	for w, both := range map[int]bool{300: false, 900: true} {
		var out bytes.Buffer
		opt := Options{W: w, H: 300, Palette: colour.Dark(), Title: "a_long_name.pickle · GPU 0"}
		if err := SVG(context.Background(), &out, tl, render.Whole(tl, layout.Events), opt); err != nil {
			t.Fatal(err)
		}
		s := strings.Join(texts(t, out.Bytes()), "|")
		if !strings.Contains(s, opt.Title) || strings.Contains(s, "event order") != both {
			t.Errorf("%d wide: %q", w, s)
		}
	}
}
