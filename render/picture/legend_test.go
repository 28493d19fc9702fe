package picture

import (
	"bytes"
	"context"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"strata/layout"
	"strata/layout/traces"
	"strata/layout/units"
	"strata/render"
	"strata/render/colour"
)

// TestLegend: the line and the groups that hold most at the peak are named, with what they hold there, and no text
// reaches over an edge.
func TestLegend(t *testing.T) {
	tl := laidOut(traces.Training(3000), layout.Options{})
	c := colour.New(tl, colour.BySite, colour.Light())
	held := c.Held(tl.PeakState)
	sum := int64(0)
	for i, e := range held {
		sum += e.Bytes
		if i > 0 && e.Bytes > held[i-1].Bytes {
			t.Errorf("entry %d is larger than the one before", i)
		}
	}
	if sum != tl.PeakBytes {
		t.Errorf("all groups hold %d bytes, the peak is %d", sum, tl.PeakBytes)
	}
	texts := regexp.MustCompile(`<text x="(-?\d+)" y="(-?\d+)".* textLength="(\d+)".*>(.*)</text>`)
	for _, size := range [][2]int{{1600, 900}, {800, 450}, {400, 300}, {MinSize, MinSize}} {
		for _, mode := range colour.Modes() {
			opt := Options{W: size[0], H: size[1], Palette: colour.Light(), Colours: mode, Title: "a long name.pickle",
				Limit: tl.PeakBytes, LimitLabel: "a GPU of this memory",
				Lines: []Line{level("matches of size>=1MiB", tl.PeakBytes/2)}}
			var out bytes.Buffer
			if err := SVG(context.Background(), &out, tl, render.Whole(tl, layout.Events), opt); err != nil {
				t.Fatal(err)
			}
			for _, m := range texts.FindAllStringSubmatch(out.String(), -1) {
				x, _ := strconv.Atoi(m[1])
				y, _ := strconv.Atoi(m[2])
				if width, _ := strconv.Atoi(m[3]); x < 0 || x+width > opt.W || y < 0 || y > opt.H-3 {
					t.Errorf("%v, %v: %q is clipped: from %d to %d, at %d", size, mode, m[4], x, x+width, y)
				}
			}
			if size[0] < 800 {
				continue
			}
			first := xmlText(held[0].Label + "  " + units.Bytes(held[0].Bytes))
			if mode == colour.BySite && !strings.Contains(out.String(), first) {
				t.Errorf("%v: %s is not named", size, first)
			}
			if !strings.Contains(out.String(), xmlText(opt.Lines[0].Label)) {
				t.Errorf("%v, %v: the line is not named", size, mode)
			}
		}
	}
}
