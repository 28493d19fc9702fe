package picture

import (
	"image"
	"image/color"
	"image/draw"
	"math"
	"slices"

	"strata/layout"
	"strata/layout/breakdown"
	"strata/render"
	"strata/render/colour"
)

// mostBands is how many groups have a band of their own; the others share one.
const mostBands = 24

// A band is the course of a group over the columns of a picture.
type band struct {
	group  int32 // breakdown.Excluded of the others
	name   string
	colour color.RGBA
	held   int64   // at the peak of what is in view
	bytes  []int64 // in each column
}

// Bands is groups as bands over what is in view, the lowest first: those that hold most at its peak, the largest
// lowest, and at last all others together. In each column they sum up to what is held at its highest moment. It is
// immutable.
type Bands struct {
	View render.View
	all  []band
	n    int // columns
}

// NewBands works out the bands of a view in n columns. Groups have the colours that their allocations have in the
// timeline, where call sites have one, else the hue of their rank.
func NewBands(g *breakdown.Grouping, v render.View, c *colour.Colouring, n int) *Bands {
	rows := g.At(max(0, g.Timeline.Column(v.Axis, v.X0, v.X1).Step))
	rows = rows[:min(len(rows), mostBands)]
	if g.Timeline.Banded() { // all of them, in PyTorch's order
		held := g.Sums(nil, max(0, g.Timeline.Column(v.Axis, v.X0, v.X1).Step))
		rows = nil
		for i, n := range held.Bytes {
			rows = append(rows, breakdown.Row{Group: int32(i), Bytes: n})
		}
	}
	courses := make([]Course, len(rows))
	for i, r := range rows {
		hue := c.Palette.Hues[i%len(c.Palette.Hues)]
		if g.By == breakdown.ByCallSite && c.Mode == colour.BySite {
			hue = c.Colour(g.First(r.Group))
		}
		if g.Timeline.Banded() {
			hue = colour.Category(g.Name(r.Group))
		}
		courses[i] = Course{r.Group, g.Label(r.Group), hue}
	}
	b := NewCourses(g, v, n, func(i int) float64 { return v.X0 + (v.X1-v.X0)*float64(i)/float64(n) }, courses,
		c.Palette.Rest)
	for i, r := range rows {
		b.all[i].held = r.Bytes
	}
	return b
}

// A Course is a group that has a band, with its name and colour there.
type Course struct {
	Group  int32 // breakdown.Excluded: the band is empty
	Name   string
	Colour color.RGBA
}

// NewCourses works out bands of given groups, and one of all others, over n columns: the i-th is from edge(i) to
// edge(i+1) on the axis, which need not be that of the view that they are drawn in.
func NewCourses(g *breakdown.Grouping, v render.View, n int, edge func(i int) float64, courses []Course,
	rest color.RGBA) *Bands {
	t := g.Timeline
	moments := t.ColumnsBetween(nil, nil, v.Axis, n, edge)
	var states []int32
	for _, m := range moments {
		if m != layout.NoMoment {
			states = append(states, m.Step)
		}
	}
	b := &Bands{View: v, all: make([]band, len(courses)+1), n: n}
	var groups []int32
	var at []int // of all
	for i, c := range courses {
		b.all[i] = band{c.Group, c.Name, c.Colour, 0, make([]int64, n)}
		if c.Group != breakdown.Excluded {
			groups, at = append(groups, c.Group), append(at, i)
		}
	}
	others := &b.all[len(courses)]
	*others = band{breakdown.Excluded, "others", rest, 0, make([]int64, n)}
	series := g.Series(groups, states)
	column := 0
	for x, m := range moments {
		if m == layout.NoMoment {
			continue
		}
		others.bytes[x] = t.Total[states[column]]
		for i := range groups {
			b.all[at[i]].bytes[x] = series[i][column]
			others.bytes[x] -= series[i][column]
		}
		column++
	}
	return b
}

// column is the column of a pixel of a view of w, -1 where there is none.
func (b *Bands) column(v render.View, x, w int) int {
	at := int(math.Floor(b.View.XPixel(v.XAt(float64(x)+.5, w), b.n)))
	if v.Axis != b.View.Axis || at >= b.n {
		return -1
	}
	return max(at, -1)
}

// At is the group at a pixel of a picture of a view, breakdown.Excluded where there is none that has a band.
func (b *Bands) At(v render.View, size, at image.Point) int32 {
	if x := b.column(v, at.X, size.X); x >= 0 && at.Y < bandY(v, size.Y, 0) {
		sum := int64(0)
		for i := range b.all {
			sum += b.all[i].bytes[x]
			if at.Y >= bandY(v, size.Y, sum) {
				return b.all[i].group
			}
		}
	}
	return breakdown.Excluded
}

// Held is what a group holds in the column of a pixel of a view of w, bytes, and what all hold there.
func (b *Bands) Held(group int32, v render.View, x, w int) (held, total int64) {
	column := b.column(v, x, w)
	if column < 0 {
		return 0, 0
	}
	for i := range b.all {
		total += b.all[i].bytes[column]
		if b.all[i].group == group {
			held = b.all[i].bytes[column]
		}
	}
	return held, total
}

// Colour is the colour of a group's band, transparent where it has none.
func (b *Bands) Colour(group int32) color.RGBA {
	for i := range b.all {
		if b.all[i].group == group {
			return b.all[i].colour
		}
	}
	return color.RGBA{}
}

// Paint draws the bands into a picture of a view, which need not be their own; all but the lit group's are dimmed if
// there is one.
func (b *Bands) Paint(img *image.RGBA, v render.View, background color.RGBA, lit int32) {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	fill := make([][4]uint8, len(b.all))
	for i := range b.all {
		c := b.all[i].colour
		if lit != breakdown.Excluded && lit != b.all[i].group {
			c = colour.Mix(c, background, .82)
		}
		fill[i] = [4]uint8{c.R, c.G, c.B, c.A}
	}
	draw.Draw(img, img.Rect, image.NewUniform(background), image.Point{}, draw.Src)
	for x := range w {
		column := b.column(v, x, w)
		if column < 0 {
			continue
		}
		sum, bottom := int64(0), bandY(v, h, 0)
		for i := range b.all {
			sum += b.all[i].bytes[column]
			top := bandY(v, h, sum)
			for at := img.PixOffset(img.Rect.Min.X+x, img.Rect.Min.Y+top); top < bottom; bottom-- {
				copy(img.Pix[at:at+4], fill[i][:])
				at += img.Stride
			}
		}
	}
}

// bandY is where so many bytes lie in a picture.
func bandY(v render.View, h int, bytes int64) int {
	return int(max(0, min(math.Round(v.YPixel(float64(bytes), h)), float64(h))))
}

// drawBands draws a band for each group, and its name where there is room.
func (c *chart) drawBands() {
	p := c.plot
	c.fill(p, c.opt.Palette.Background)
	xs, ys := c.gridLines()
	for _, x := range xs {
		c.fill(image.Rect(x, 0, x+1, p.Dy()).Add(p.Min), c.opt.Palette.Grid)
	}
	for _, y := range ys {
		c.fill(image.Rect(0, y, p.Dx(), y+1).Add(p.Min), c.opt.Palette.Grid)
	}
	below := make([]int64, p.Dx())
	bottoms, tops := make([]int, p.Dx()), make([]int, p.Dx())
	for x := range bottoms {
		bottoms[x] = p.Min.Y + bandY(c.view, p.Dy(), 0)
	}
	for i := range c.bands.all {
		b := &c.bands.all[i]
		for x, bytes := range b.bytes {
			below[x] += bytes
			tops[x] = p.Min.Y + bandY(c.view, p.Dy(), below[x])
		}
		c.on.rects(b.colour, 255, c.shape(tops, bottoms)...)
		c.nameBand(b, tops, bottoms)
		bottoms, tops = tops, bottoms
	}
}

// shape is what lies between two heights, columns that are alike together.
func (c *chart) shape(tops, bottoms []int) (r []image.Rectangle) {
	from := 0
	for x := 1; x <= len(tops); x++ {
		if x < len(tops) && tops[x] == tops[from] && bottoms[x] == bottoms[from] {
			continue
		}
		if tops[from] < bottoms[from] {
			r = append(r, image.Rect(c.plot.Min.X+from, tops[from], c.plot.Min.X+x, bottoms[from]))
		}
		from = x
	}
	return r
}

// nameBand writes a band's name where it is highest over the width of the text, if it fits there.
func (c *chart) nameBand(b *band, tops, bottoms []int) {
	w := c.writer
	if at, base, fits := roomiest(tops, bottoms, w.width(regular, b.name)+2*c.space, w.height+1); fits {
		c.text(regular, c.plot.Min.X+at+c.space, base+w.ascent-w.height/2, b.name, inkOn(b.colour))
	}
}

// inkOn is the colour of a name on a band.
func inkOn(band color.RGBA) color.RGBA {
	if 3*int(band.R)+6*int(band.G)+int(band.B) < 1100 {
		return color.RGBA{R: 255, G: 255, B: 255, A: 255}
	}
	return color.RGBA{R: 0x0b, G: 0x10, B: 0x20, A: 255}
}

// roomiest is where between two heights there is most room for a text of a width, if more than height: the first
// column, and the middle of the room.
func roomiest(tops, bottoms []int, width, height int) (at, middle int, fits bool) {
	most := height
	for x := 0; x+width <= len(tops); x += max(1, width/16) {
		top, bottom := slices.Max(tops[x:x+width]), slices.Min(bottoms[x:x+width])
		if bottom-top > most {
			most, at, middle, fits = bottom-top, x, (top+bottom)/2, true
		}
	}
	return at, middle, fits
}

// A BandName is a name on a band in a picture.
type BandName struct {
	Text   string
	X, Mid int // pixels: where the text begins, and the middle of its height
	Ink    color.RGBA
}

// Names are the names of bands in a picture of a view, where they fit: width is what a text takes, height its height,
// in pixels.
func (b *Bands) Names(v render.View, size image.Point, width func(text string) int, height int) (names []BandName) {
	below := make([]int64, size.X)
	bottoms, tops := make([]int, size.X), make([]int, size.X)
	for x := range bottoms {
		bottoms[x] = bandY(v, size.Y, 0)
	}
	for i := range b.all {
		for x := range tops {
			if column := b.column(v, x, size.X); column >= 0 {
				below[x] += b.all[i].bytes[column]
			}
			tops[x] = bandY(v, size.Y, below[x])
		}
		pad := height / 2
		if at, middle, fits := roomiest(tops, bottoms, width(b.all[i].name)+2*pad, height); fits {
			names = append(names, BandName{b.all[i].name, at + pad, middle, inkOn(b.all[i].colour)})
		}
		bottoms, tops = tops, bottoms
	}
	return names
}
