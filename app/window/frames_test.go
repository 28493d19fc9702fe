package window

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"strata/app/diag"
	"strata/app/options"
	"strata/render/tiles"
)

// TestFrameLog: every frame has a line, whose parts make up the whole, and
// which knows when the view moved, when it was sharp, and the memory.
func TestFrameLog(t *testing.T) {
	d := opened(t, options.Options{Files: []string{sample}, Device: options.AnyDevice})
	name := filepath.Join(t.TempDir(), "frames.csv")
	var err error
	if d.frames, err = diag.NewFrameLog(name); err != nil {
		t.Fatal(err)
	}
	drawn := func() { d.frames.Drawn(d.frameState(), 1500) }
	d.draw()
	drawn()
	d.draw()
	drawn()
	view := d.tab().View
	d.press("W", 0)
	if d.tab().View == view {
		t.Fatal("W does not zoom")
	}
	drawn()
	d.sharp()
	d.draw()
	drawn()
	d.frames.Close()

	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 5 {
		t.Fatalf("%d lines under %v", len(rows)-1, rows[0])
	}
	at := func(row int, column string) float64 {
		for i, c := range rows[0] {
			if c == column {
				v, err := strconv.ParseFloat(rows[row][i], 64)
				if err != nil {
					t.Fatal(err)
				}
				return v
			}
		}
		t.Fatal("no column " + column)
		return 0
	}
	for row := 1; row <= 4; row++ {
		sum := at(row, "update_us") + at(row, "compose_us") + at(row, "layout_us")
		if own := at(row, "own_us"); own <= 0 || own > sum+.01 || own < sum-.01 || at(row, "gpu_us") != 1.5 {
			t.Errorf("frame %d: %v", row, rows[row])
		}
		if b := at(row, "tile_bytes"); b <= 0 || b > tiles.DefaultBudget {
			t.Errorf("frame %d: tiles of %v bytes", row, b)
		}
		if moved := at(row, "moved"); moved != map[int]float64{1: 1, 2: 0, 3: 1, 4: 0}[row] {
			t.Errorf("frame %d: moved is %v", row, moved)
		}
	}
	if at(1, "sharp") != 1 || at(4, "sharp") != 1 || at(4, "at_ms") <= at(1, "at_ms") {
		t.Error(rows)
	}
}
