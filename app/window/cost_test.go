package window

import (
	"image"
	"os"
	"testing"

	"gioui.org/f32"

	"strata/app/options"
	"strata/widgets/widgettest"
)

// TestFrameCost: a frame in which nothing moves costs the same whatever the
// file, and hovering makes no more than the texts of what is hovered.
func TestFrameCost(t *testing.T) {
	cost := func(file string, move func(d *driver, i int)) float64 {
		d := opened(t, options.Options{Files: []string{file}, Device: options.AnyDevice})
		i := 0
		step := func() {
			i++
			move(d, i)
			d.draw()
		}
		for range 20 {
			step()
		}
		d.sharp()
		return testing.AllocsPerRun(50, step)
	}
	still := func(*driver, int) {}
	hovering := func(d *driver, i int) { d.move(d.plot().Min.Add(image.Pt(100+i, 400))) }
	const small, large = "../../testdata/reference/sim-ring.pickle", "../../testdata/sample.pickle.gz"
	if a, b := cost(small, still), cost(large, still); a > 200 || b > a+60 {
		t.Errorf("a still frame makes %.0f allocations for a small file, %.0f for a large one", a, b)
	}
	if b := cost(large, hovering); b > 5000 {
		t.Errorf("three frames of hovering make %.0f allocations", b)
	}
}

// BenchmarkFrame measures our own time of a frame, in a window whose view, or
// whose hovered allocation, changes every time.
func BenchmarkFrame(b *testing.B) {
	file := os.Getenv("STRATA_BENCH_FILE")
	if file == "" {
		file = "../../testdata/sample.pickle.gz"
	}
	for name, move := range map[string]func(d *driver, i int){
		"still": func(*driver, int) {},
		"hover": func(d *driver, i int) {
			d.Queue(widgettest.Move(middle(image.Pt(100+i%900, 200+i*7%500))))
		},
		"zoom": func(d *driver, i int) {
			y := float32(-3)
			if i/80%2 == 1 {
				y = 3
			}
			d.Queue(widgettest.Wheel(f32.Pt(500, 400), 0, y))
		},
	} {
		b.Run(name, func(b *testing.B) {
			d := opened(b, options.Options{Files: []string{file}, Device: options.AnyDevice})
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				move(d, i)
				d.draw()
			}
		})
	}
}
