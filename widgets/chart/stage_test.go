package chart

import (
	"context"
	"image"
	"testing"

	"gioui.org/f32"
	giolayout "gioui.org/layout"
	"gioui.org/op"

	"strata/layout"
	"strata/render"
	"strata/render/raster"
	"strata/widgets/describe"
	"strata/widgets/kit"
	"strata/widgets/widgettest"
)

// A stage hosts a timeline as the window does.
type stage struct {
	*widgettest.Harness
	th     *kit.Theme
	t      *layout.Timeline
	view   render.View
	scene  rasterScene
	tl     Timeline
	sel    describe.Selection
	events []TimelineEvent // those in which something happened
	moves  []PlayheadMove
}

func newStage(t *testing.T, name string) *stage {
	s := &stage{Harness: widgettest.New(image.Pt(600, 400)), th: kit.NewTheme(true), t: widgettest.Open(t, name),
		sel: describe.NoSelection}
	s.view = render.Whole(s.t, layout.Events)
	s.Draw = func(gtx giolayout.Context) {
		e := s.tl.Update(gtx, s.t, s.view, s.current())
		if e.Changed || e.Clicked || e.Settled {
			s.events = append(s.events, e)
		}
		if e.Moment != nil {
			s.moves = append(s.moves, *e.Moment)
		}
		s.view = e.View
		if e.Clicked {
			s.sel.Pinned = e.At
		}
		size := s.tl.Prepare(gtx, s.Size, 60)
		if s.scene.r == nil || s.scene.r.View != s.view {
			r, err := raster.New(context.Background(), s.t, s.view, size.X, size.Y)
			if err != nil {
				t.Fatal(err)
			}
			s.scene.r = r
		}
		s.sel.Hovered = s.tl.Hovered(s.scene)
		s.tl.Layout(gtx, s.th, s.t, s.view, s.scene, s.sel)
	}
	s.Frame()
	s.Frame()
	return s
}

func (s *stage) current() Scene {
	if s.scene.r == nil {
		return nil
	}
	return s.scene
}

// on is the window position of a pixel of the picture, in its middle.
func (s *stage) on(p image.Point) f32.Point {
	p = p.Add(s.tl.plot.Min)
	return widgettest.At(float32(p.X)+.5, float32(p.Y)+.5)
}

// covered is a pixel in the middle of the picture that shows an allocation, bare one that shows none.
func (s *stage) covered() (image.Point, layout.ID) {
	for y := s.scene.r.H - 1; y >= 0; y-- {
		x := s.scene.r.W / 2
		if id := s.scene.At(x, y); id >= 0 {
			return image.Pt(x, y), id
		}
	}
	panic("nothing is live in the middle of the picture")
}

func (s *stage) bare() image.Point { return image.Pt(s.scene.r.W/2, 0) }

// rasterScene is a Scene of one raster, always sharp.
type rasterScene struct{ r *raster.Raster }

func (s rasterScene) Add(*op.Ops) {}

func (s rasterScene) At(x, y int) layout.ID { return s.r.At(x, y) }

func (s rasterScene) Outline(id layout.ID) []raster.Run { return s.r.Outline(id) }

func (s rasterScene) Version() uint64 { return 1 }
