package growth

import "slices"

// A verdict is where a curve grew: between the points first and last it rose so many times. One that grows still does
// so to its end.
type verdict struct {
	first, last, rises int
	stopped            bool
}

// What a curve must do to be said to grow. Each keeps out something that looks like growth and is none.
const (
	// Fewer rises are a jump, or chance; fewer than manyRises have to be alike, none above alike times another. Of more
	// the smaller half has to have this part of all: few large ones between many small ones are jumps.
	fewestRises = 3
	manyRises   = 5
	alike       = 2
	smallHalf   = 10
	// A curve that gives back more than this part of what it takes goes up and down.
	givenBack = 10
	// One rise of more than half of all is a jump; the curve is looked at again behind it.
	jump = 2
	// Growth has stopped if it pauses for this many times its longest pause before, or if the later half of it is less
	// than half of the earlier: caches fill like that.
	pause = 2
	decay = 2
)

// judge says where a curve grew; false if nowhere. Behind a warm-up there may be growth that is slower: the later half
// is then looked at alone.
func judge(y []int64) (verdict, bool) {
	for from := 0; len(y)-from >= fewestRises; {
		v, at, ok := rise(y, from)
		if ok && v.stopped {
			mid := v.first + (len(y)-1-v.first)/2
			late, _, is := rise(y, mid)
			if is && !late.stopped && late.rises >= wellKnown && 2*late.rises >= late.last-late.first {
				return late, true
			}
		}
		if ok {
			return v, true
		}
		if at < 0 {
			break
		}
		from = at
	}
	return verdict{}, false
}

// rise judges a curve from a point on. Where a jump hides what else it does, it says where the curve goes on behind
// it, else -1.
func rise(y []int64, from int) (v verdict, behind int, ok bool) {
	v.first, behind = -1, -1
	var up, down, most int64
	var gains []int64
	longest, mostAt := 0, from
	for i := from + 1; i < len(y); i++ {
		d := y[i] - y[i-1]
		if d <= 0 {
			down -= d
			continue
		}
		if v.first < 0 {
			v.first = i - 1
		} else {
			longest = max(longest, i-v.last)
		}
		v.last = i
		v.rises++
		up += d
		gains = append(gains, d)
		if d > most {
			most, mostAt = d, i
		}
	}
	if v.rises == 0 {
		return v, -1, false
	}
	if jump*most > up {
		return v, mostAt, false
	}
	if givenBack*down > up || v.rises < fewestRises {
		return v, -1, false
	}
	mid := v.first + (len(y)-1-v.first)/2
	v.stopped = len(y)-1-v.last >= pause*max(1, longest) || decay*(y[len(y)-1]-y[mid]) < y[mid]-y[v.first]
	if !v.stopped {
		v.last = len(y) - 1 // where it does not rise in each repetition, the next rise is still to come
	}
	return v, -1, steady(gains, up, v.stopped)
}

// steady reports whether the gains of a curve, up together, are alike enough to be growth. Those of a cache may become
// smaller and smaller.
func steady(gains []int64, up int64, stopped bool) bool {
	slices.Sort(gains)
	n := len(gains)
	if n < manyRises {
		return gains[n-1]/alike <= gains[0]
	}
	small := int64(0)
	for _, g := range gains[:n/2] {
		small += g
	}
	return stopped || smallHalf*small >= up
}

// restless reports whether a curve falls and rises.
func restless(y []int64) bool {
	rises, falls := false, false
	for i := range len(y) - 1 {
		rises = rises || y[i+1] > y[i]
		falls = falls || y[i+1] < y[i]
	}
	return rises && falls
}
