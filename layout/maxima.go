package layout

// Maxima answers where values are largest, for curves that are drawn a pixel column at a time.
type Maxima struct{ p pyramid }

// NewMaxima prepares values, of which there must be at least one and which must not change afterwards. It takes an
// eighth of their memory more.
func NewMaxima(values []int64) Maxima { return Maxima{newPyramid(values)} }

// First is the index of the first of the largest values in [lo, hi], lo ≤ hi.
func (m *Maxima) First(lo, hi int32) int32 { return m.p.argmax(lo, hi) }

// Highest is the Maxima of Total.
func (t *Timeline) Highest() Maxima { return Maxima{t.peaks} }
