package window

import (
	"fmt"
	"slices"
	"testing"

	"strata/render/colour"
)

// TestLegendShown: the menu explains the colours that hold most, in the order
// of the legend, and says so only where it leaves some out.
func TestLegendShown(t *testing.T) {
	of := func(mode colour.Mode, bytes ...int64) *colour.Colouring {
		c := &colour.Colouring{Mode: mode}
		for i, b := range bytes {
			c.Legend = append(c.Legend, colour.LegendEntry{Label: fmt.Sprint(i), Bytes: b})
		}
		return c
	}
	const all, largest = "Bytes allocated in the whole run", "The largest, by bytes allocated in the whole run"
	for _, tt := range []struct {
		c       *colour.Colouring
		heading string
		want    []string
	}{
		{of(colour.BySite), "", nil},
		{of(colour.ByAllocation), "Blocks that touch differ; it means nothing else", nil},
		{of(colour.ByPool, 9, 5), all, []string{"0", "1"}},
		{of(colour.ByLifetime, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 9), all, []string{"0", "1", "2", "3", "4", "5", "6",
			"7", "8", "9", "10", "11"}},
		{of(colour.ByLifetime, 1, 8, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 9, 7), largest, []string{"0", "1", "2", "3", "4",
			"5", "6", "7", "8", "9", "13", "14"}},
	} {
		heading, shown := legendShown(tt.c)
		var got []string
		for _, e := range shown {
			got = append(got, e.Label)
		}
		if heading != tt.heading || !slices.Equal(got, tt.want) {
			t.Errorf("%v of %d: %q %q, want %q %q", tt.c.Mode, len(tt.c.Legend), heading, got, tt.heading, tt.want)
		}
	}
}
