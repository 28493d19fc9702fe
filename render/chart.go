package render

import (
	"context"
	"image"

	"strata/layout"
)

// ChartOptions are how a chart is drawn.
type ChartOptions struct {
	W, H    int // pixels of the whole picture
	Palette Palette
	Colours ColourMode
	Title   string // above the picture; may be empty
}

// Chart draws what the window's timeline draws, axes and ticks included.
func Chart(ctx context.Context, t *layout.Timeline, v View, opt ChartOptions) (*image.RGBA, error) {
	img := image.NewRGBA(image.Rect(0, 0, opt.W, opt.H))
	r, err := Rasterize(ctx, t, v, opt.W, opt.H)
	if err != nil {
		return nil, err
	}
	r.Paint(img, NewColouring(t, opt.Colours, opt.Palette))
	return img, nil
}
