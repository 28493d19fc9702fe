package compare

import (
	"cmp"
	"encoding/binary"
	"maps"
	"slices"

	"strata/layout"
	"strata/snapshot"
)

// none is a number of what has no partner.
const none = -1

// A Code is the source code of two timelines, matched: which frame of one is which of the other. It is immutable.
type Code struct {
	a, b  *side
	names []string // of functions

	file, fileBack []int32 // partner of each file of a, of b
	fileRule       []Rule
	place          []int32 // partner of each place of a
	placeBack      []int32
	placeRule      []Rule
	functions      map[functionOf]functionMatch // of a
	functionBack   map[functionOf]functionOf
}

// A functionOf is a function of a file.
type functionOf struct{ file, function int32 }

type functionMatch struct {
	to   functionOf
	rule Rule
}

// NewCode matches the code of two timelines, in time about linear in the frames on their stacks and in the
// allocations.
func NewCode(a, b *layout.Timeline) *Code {
	c := &Code{functions: map[functionOf]functionMatch{}, functionBack: map[functionOf]functionOf{}}
	ids := map[string]int32{}
	name := func(text string) int32 {
		id, is := ids[text]
		if !is {
			id = int32(len(c.names))
			ids[text] = id
			c.names = append(c.names, text)
		}
		return id
	}
	c.a, c.b = newSide(a, name), newSide(b, name)
	c.matchFiles()
	c.place = slices.Repeat([]int32{none}, len(c.a.places))
	c.placeBack = slices.Repeat([]int32{none}, len(c.b.places))
	c.placeRule = make([]Rule, len(c.a.places))
	for i, partner := range c.file {
		if partner != none {
			c.matchFunctions(int32(i), partner)
		}
	}
	return c
}

// matchFunctions matches the functions of two files that are partners, first by name, then those that were renamed but
// stayed where they were.
func (c *Code) matchFunctions(fa, fb int32) {
	a, b := &c.a.files[fa], &c.b.files[fb]
	var onlyA, onlyB []int32
	for f := range a.places {
		if b.places[f] == nil {
			onlyA = append(onlyA, f)
			continue
		}
		c.pairFunction(functionOf{fa, f}, functionOf{fb, f}, c.fileRule[fa])
	}
	for f := range b.places {
		if a.places[f] == nil {
			onlyB = append(onlyB, f)
		}
	}
	if a.name == "" || len(onlyA)*len(onlyB) > mostPairs {
		return
	}
	first := func(d *side, f *file) func(x, y int32) int {
		return func(x, y int32) int {
			return cmp.Or(cmp.Compare(d.places[f.places[x][0]].line, d.places[f.places[y][0]].line), cmp.Compare(x, y))
		}
	}
	slices.SortFunc(onlyA, first(c.a, a))
	slices.SortFunc(onlyB, first(c.b, b))
	inOrder(len(onlyA), len(onlyB), func(i, j int) float64 {
		return c.alikeFunctions(a.places[onlyA[i]], b.places[onlyB[j]])
	}, func(i, j int) {
		c.pairFunction(functionOf{fa, onlyA[i]}, functionOf{fb, onlyB[j]}, RenamedFunction)
	})
}

// pairFunction makes two functions partners, and their lines.
func (c *Code) pairFunction(a, b functionOf, rule Rule) {
	c.functions[a], c.functionBack[b] = functionMatch{b, rule}, a
	x, y := c.a.files[a.file].places[a.function], c.b.files[b.file].places[b.function]
	pair := func(i, j int) {
		p, q := x[i], y[j]
		c.place[p], c.placeBack[q] = q, p
		c.placeRule[p] = rule
		if rule < MovedLine && c.a.places[p].line != c.b.places[q].line {
			c.placeRule[p] = MovedLine
		}
	}
	delta := func(i, j int) int32 { return c.b.places[y[j]].line - c.a.places[x[i]].line }
	if len(x)*len(y) <= mostLines {
		moved, most := map[int32]float64{}, 1.0 // lines of a function move by the same numbers
		for i := range x {
			for j := range y {
				moved[delta(i, j)] += sameMove
				most = max(most, moved[delta(i, j)]/sameMove)
			}
		}
		inOrder(len(x), len(y), func(i, j int) float64 {
			s := c.alike(x[i], y[j])
			s += moved[delta(i, j)] / most
			if len(x) > 1 && len(y) > 1 && s < leastAlike {
				return 0
			}
			return s
		}, pair)
		return
	}
	if len(x) == len(y) { // there are too many to look at more than their order, or their numbers
		for i := range x {
			pair(i, i)
		}
		return
	}
	at := map[int32]int{}
	for j, q := range y {
		at[c.b.places[q].line] = j
	}
	for i, p := range x {
		if j, is := at[c.a.places[p].line]; is && c.placeBack[y[j]] == none {
			pair(i, j)
		}
	}
}

// mostLines bounds how many pairs of lines of a function are looked at.
const mostLines = 1 << 16

// sameMove is what moving as most other lines is worth.
const sameMove = 1.5

// leastAlike is the score of lines that may be the same one: beside the order, something must speak for it.
const leastAlike = 2.25

// alike says how likely two places are the same one, from what they call, what they allocate and where they are.
func (c *Code) alike(a, b int32) float64 {
	x, y := &c.a.places[a], &c.b.places[b]
	score := 1.0 + 2*overlap(x.calls, y.calls) + overlap(x.callers, y.callers)/4
	switch {
	case x.largest == y.largest:
		score += 2
	case x.largest > 0 && y.largest > 0:
		score += float64(min(x.largest, y.largest)) / float64(max(x.largest, y.largest))
	}
	if x.text == y.text {
		score += .5
	}
	return score
}

// alikeFunctions says how likely two functions of different names are the same one; 0 if nothing but their place
// speaks for it.
func (c *Code) alikeFunctions(a, b []int32) float64 {
	first, second := &c.a.places[a[0]], &c.b.places[b[0]]
	score := 0.0
	if len(first.calls) > 0 {
		score += overlap(first.calls, second.calls)
	}
	if len(first.callers) > 0 {
		score += overlap(first.callers, second.callers)
	}
	if first.largest > 0 && first.largest == second.largest {
		score++
	}
	if first.line == second.line {
		score++
	}
	if score < 2 {
		return 0
	}
	if len(a) == len(b) {
		score++
	}
	return score
}

// inOrder pairs the n items of one list with the m of another one so that their order is kept and the sum of the
// scores is largest; a score of 0 is no pair.
func inOrder(n, m int, score func(i, j int) float64, pair func(i, j int)) {
	if n == 0 || m == 0 {
		return
	}
	best := make([]float64, (n+1)*(m+1)) // of the items from i and from j on
	at := func(i, j int) int { return i*(m+1) + j }
	scores := make([]float64, n*m)
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			s := score(i, j)
			scores[i*m+j] = s
			best[at(i, j)] = max(best[at(i+1, j)], best[at(i, j+1)])
			if s > 0 {
				best[at(i, j)] = max(best[at(i, j)], s+best[at(i+1, j+1)])
			}
		}
	}
	for i, j := 0, 0; i < n && j < m; {
		switch s := scores[i*m+j]; {
		case s > 0 && best[at(i, j)] == s+best[at(i+1, j+1)]:
			pair(i, j)
			i, j = i+1, j+1
		case best[at(i, j)] == best[at(i+1, j)]:
			i++
		default:
			j++
		}
	}
}

// packages is which package of a is which of b, by the files in them.
func (c *Code) packages(name func(string) string) map[string]string {
	votes := map[[2]string]int{}
	for i, partner := range c.file {
		if partner != none {
			votes[[2]string{name(c.a.files[i].name), name(c.b.files[partner].name)}]++
		}
	}
	pairs := slices.SortedFunc(maps.Keys(votes), func(x, y [2]string) int {
		return cmp.Or(cmp.Compare(votes[y], votes[x]), cmp.Compare(x[0], y[0]), cmp.Compare(x[1], y[1]))
	})
	partner, taken := map[string]string{}, map[string]bool{}
	for _, p := range pairs {
		if partner[p[0]] == "" && !taken[p[1]] {
			partner[p[0]], taken[p[1]] = p[1], true
		}
	}
	return partner
}

// stackKey is a stack as text that is the same for partners: of all frames or of own code, by their places or only by
// their functions. Frames of b stand for those of a.
func (c *Code) stackKey(d *side, id snapshot.StackID, own, functions bool) string {
	var key []byte
	s := d.t.Snapshot
	for _, f := range s.Stacks.Of(id) {
		if !own || !s.IsFramework(f) {
			key = binary.LittleEndian.AppendUint64(key, uint64(c.keyOf(d, d.of[f], functions)))
		}
	}
	return string(key)
}

// keyOf numbers a place, or its function, for both sides; partners have one number.
func (c *Code) keyOf(d *side, p int32, function bool) int64 {
	if function {
		of := functionOf{d.places[p].file, d.places[p].function}
		if d == c.b {
			partner, is := c.functionBack[of]
			if !is {
				return ^(int64(of.file)<<32 | int64(of.function))
			}
			of = partner
		}
		return int64(of.file)<<32 | int64(of.function)
	}
	switch {
	case d == c.a:
		return int64(p)
	case c.placeBack[p] != none:
		return int64(c.placeBack[p])
	}
	return ^int64(p)
}
