package picture

import (
	"image"
	"slices"
	"testing"

	"strata/layout"
	"strata/layout/state"
	"strata/render"
	"strata/render/colour"
	"strata/render/raster"
)

// level is a line at so many bytes.
func level(label string, bytes int64) Line {
	return Line{label, colour.Dark().Curve, func(float64, float64) (int64, int64) { return bytes, bytes }}
}

// TestStrokes: a line is flat along equal columns and goes down where they do not touch.
func TestStrokes(t *testing.T) {
	runs := []raster.Run{{X: 0, Top: 5, Bottom: 5}, {X: 1, Top: 5, Bottom: 5}, {X: 2, Top: 9, Bottom: 9},
		{X: 3, Top: 2, Bottom: 9}}
	want := []image.Rectangle{image.Rect(0, 4, 2, 6), image.Rect(1, 4, 3, 10), image.Rect(2, 8, 3, 10),
		image.Rect(3, 1, 4, 10)}
	if got := Strokes(runs, 2); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	low := []raster.Run{{Top: 7}, {Top: 7}, {Top: 8}, {Top: 9}}
	want = []image.Rectangle{image.Rect(0, 5, 2, 7), image.Rect(3, 2, 4, 9)}
	if got := Between(runs, low); !slices.Equal(got, want) {
		t.Errorf("between: got %v, want %v", got, want)
	}
}

// TestTradeTicks: trades in one column are one tick, and those out of view none.
func TestTradeTicks(t *testing.T) {
	var trades []state.Trade
	for _, x := range []float64{1, 10, 10.4, 30, 99} {
		trades = append(trades, state.Trade{Flush: x == 10.4, X: [2]float64{x, x}})
	}
	v := render.View{Axis: layout.Events, X0: 5, X1: 95, Y1: 1}
	want := []TradeTick{{X: 5, First: 1, Last: 2, Flush: true}, {X: 25, First: 3, Last: 3}}
	if got := TradeTicks(trades, v, 90); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
