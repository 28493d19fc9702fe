package kit

import (
	"image/color"
	"math"
	"testing"
)

// TestContrast: text can be read on every ground it stands on, in both themes.
func TestContrast(t *testing.T) {
	for name, c := range map[string]Colours{"dark": darkColours, "light": lightColours} {
		for _, pair := range []struct {
			what     string
			text, on [3]uint8
			least    float64
		}{
			{"text on ground", rgbOf(c.Text), rgbOf(c.Ground), 4.5}, {"text on panel", rgbOf(c.Text), rgbOf(c.Panel),
				4.5}, {"text on raised", rgbOf(c.Text), rgbOf(c.Raised), 4.5},
			{"text on selected", rgbOf(c.Text), rgbOf(c.Selected), 4.5},
			{"quiet on ground", rgbOf(c.Quiet), rgbOf(c.Ground), 4.5}, {"quiet on panel", rgbOf(c.Quiet),
				rgbOf(c.Panel), 4.5}, {"quiet on card", rgbOf(c.Quiet), rgbOf(c.Card), 4.5},
			{"quiet on raised", rgbOf(c.Quiet), rgbOf(c.Raised), 4.5},
			{"link on panel", rgbOf(c.Link), rgbOf(c.Panel), 4.5}, {"link on raised", rgbOf(c.Link), rgbOf(c.Raised),
				4.5}, {"on accent", rgbOf(c.OnAccent), rgbOf(c.Accent), 4.5},
			{"warning", rgbOf(c.Warning), rgbOf(c.WarningGround), 4.5}, {"shape on card", rgbOf(c.Shape), rgbOf(c.Card),
				4.5},
			{"red on ground", rgbOf(c.Red), rgbOf(c.Ground), 3}, {"hover on ground", rgbOf(c.Hover), rgbOf(c.Ground),
				3},
		} {
			if got := contrast(pair.text, pair.on); got < pair.least {
				t.Errorf("%s, %s: contrast %.2f, want %.1f", name, pair.what, got, pair.least)
			}
		}
	}
}

func rgbOf(c color.NRGBA) [3]uint8 { return [3]uint8{c.R, c.G, c.B} }

// contrast is the ratio of WCAG 2.
func contrast(a, b [3]uint8) float64 {
	la, lb := luminance(a), luminance(b)
	return (max(la, lb) + .05) / (min(la, lb) + .05)
}

func luminance(c [3]uint8) float64 {
	lin := func(v uint8) float64 {
		x := float64(v) / 255
		if x <= .04045 {
			return x / 12.92
		}
		return math.Pow((x+.055)/1.055, 2.4)
	}
	return .2126*lin(c[0]) + .7152*lin(c[1]) + .0722*lin(c[2])
}
