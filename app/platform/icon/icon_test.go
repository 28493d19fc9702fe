package icon

import (
	"bytes"
	"encoding/binary"
	"encoding/xml"
	"image/color"
	"image/png"
	"strings"
	"testing"
)

// At 16 pixels each layer is solid and there is ground between them.
func TestLegibleAt16(t *testing.T) {
	img := Draw(16)
	for _, s := range mark[1:] {
		for y := int(s.y0) + 1; y < int(s.y1)-1; y++ {
			for x := int(s.x0) + 1; x < int(s.x1)-1; x++ {
				if got := img.NRGBAAt(x, y); got != s.fill {
					t.Errorf("pixel %d,%d is %v, want %v", x, y, got, s.fill)
				}
			}
		}
	}
	for _, y := range []int{6, 10} {
		if got := img.NRGBAAt(7, y); got != mark[0].fill {
			t.Errorf("pixel 7,%d between two layers is %v, want the ground", y, got)
		}
	}
	if got := img.NRGBAAt(0, 0); got.A > 100 {
		t.Errorf("the corner is %v, want it round", got)
	}
}

func TestSizes(t *testing.T) {
	for _, n := range Sizes() {
		img := Draw(n)
		if img.Rect.Dx() != n || img.NRGBAAt(n/2, n*25/32) != mark[1].fill {
			t.Errorf("at %d pixels the lowest layer is %v", n, img.NRGBAAt(n/2, n*25/32))
		}
		if (img.NRGBAAt(n-1, n/2) == color.NRGBA{}) {
			t.Errorf("at %d pixels the ground does not reach the edge", n)
		}
	}
}

func TestForms(t *testing.T) {
	var b bytes.Buffer
	if err := WriteICNS(&b); err != nil {
		t.Fatal(err)
	}
	data := b.Bytes()
	if string(data[:4]) != "icns" || int(binary.BigEndian.Uint32(data[4:])) != len(data) {
		t.Fatalf("the icns file begins with %q for %d bytes", data[:8], len(data))
	}
	n := 0
	for data = data[8:]; len(data) > 0; n++ {
		size := binary.BigEndian.Uint32(data[4:])
		if _, err := png.DecodeConfig(bytes.NewReader(data[8:size])); err != nil {
			t.Errorf("%s: %v", data[:4], err)
		}
		data = data[size:]
	}
	if n != 7 {
		t.Errorf("the icns file has %d pictures", n)
	}
	var svg struct {
		Rect []struct {
			Fill string `xml:"fill,attr"`
		} `xml:"rect"`
	}
	if err := xml.NewDecoder(strings.NewReader(SVG())).Decode(&svg); err != nil || len(svg.Rect) != len(mark) {
		t.Errorf("the SVG has %d rectangles: %v", len(svg.Rect), err)
	}
}
