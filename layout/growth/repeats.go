package growth

import (
	"regexp"
	"slices"
	"sort"

	"strata/layout"
)

// Repeats is what a program does again and again, and where in the timeline.
type Repeats struct {
	// Phase names the annotation that repeats; of several that differ only in numbers, with N for them. It is "" where
	// the repetitions were found from the call sites of allocations.
	Phase string
	// Site is, where Phase is "", an allocation of the call site at which each repetition is looked at.
	Site layout.ID
	// States are those at the same point of each repetition, ascending; one more than there are whole repetitions. Nil
	// if nothing repeats.
	States []int32
}

// Count is the number of whole repetitions, 0 if nothing repeats.
func (r *Repeats) Count() int { return max(0, len(r.States)-1) }

// fewest is how many times something has to happen to be a repetition; wellKnown how many are enough to prefer the
// outer of two repetitions: a step to a layer, but not an epoch to a step.
const (
	fewest    = 3
	wellKnown = 8
)

func findRepeats(t *layout.Timeline, phases *layout.Phases) Repeats {
	if r := annotated(t, phases); r.Count() > 0 {
		return r
	}
	return patterns(t)
}

var (
	digits = regexp.MustCompile(`\d+`)
	// PyTorch's own annotations that come once in a step; the others are of compiling and loading.
	ofSteps = regexp.MustCompile(`^(ProfilerStep#|Optimizer\.step#)`)
)

// A candidate is an annotation that repeats.
type candidate struct {
	name   string
	depth  int
	phases []*layout.Phase
	height float64 // mean of the total where it begins, bytes
}

// annotated finds the repetitions of the annotation that tells iterations best.
func annotated(t *layout.Timeline, phases *layout.Phases) Repeats {
	byName := map[string]*candidate{}
	var all []*candidate
	for i := range phases.All {
		p := &phases.All[i]
		if p.Instant || layout.Internal(p.Name) && !ofSteps.MatchString(p.Name) {
			continue
		}
		name := digits.ReplaceAllString(p.Name, "N")
		c := byName[name]
		if c == nil {
			c = &candidate{name: p.Name, depth: p.Depth}
			byName[name] = c
			all = append(all, c)
		}
		if p.Name != c.name {
			c.name = name
		}
		c.depth = min(c.depth, p.Depth)
		c.phases = append(c.phases, p)
	}
	var best *candidate
	for _, c := range all {
		if len(c.phases) < fewest {
			continue
		}
		for _, p := range c.phases {
			c.height += float64(t.Total[stateAt(t, p.Start)]) / float64(len(c.phases))
		}
		if best == nil || c.better(best) {
			best = c
		}
	}
	if best == nil {
		return Repeats{}
	}
	return Repeats{Phase: best.name, Site: layout.None, States: best.states(t)}
}

// better: an iteration is the outermost of what repeats often, begins most often, and begins where little is live.
func (c *candidate) better(d *candidate) bool {
	n, m := len(c.phases), len(d.phases)
	switch {
	case (n >= wellKnown) != (m >= wellKnown):
		return n >= wellKnown
	case c.depth != d.depth:
		return c.depth < d.depth
	case n > m+1 || m > n+1: // the last one may be cut off
		return n > m
	}
	return c.height < d.height
}

// states are where the phases begin, and where the last one ends if each ends as the next begins.
func (c *candidate) states(t *layout.Timeline) []int32 {
	var states []int32
	alike := true
	for i, p := range c.phases {
		s := stateAt(t, p.Start)
		if n := len(states); n > 0 {
			if s == states[n-1] {
				continue // nothing was allocated in it
			}
			alike = alike && t.Total[s] == t.Total[stateAt(t, c.phases[i-1].End)]
		}
		states = append(states, s)
	}
	last := c.phases[len(c.phases)-1]
	if end := stateAt(t, last.End); !last.Open && alike && end > states[len(states)-1] {
		states = append(states, end)
	}
	if len(states) <= fewest {
		return nil
	}
	return states
}

// stateAt is the state before the first action at or after a time in µs after Timeline.Start.
func stateAt(t *layout.Timeline, us int64) int32 {
	return int32(sort.Search(len(t.Actions), func(a int) bool { return t.TimeOf(a) >= us }))
}

// patterns finds repetitions from the call sites of the allocations alone: a line of code that runs once in each, at
// which little is live. Most lines of a loop agree on how often it ran.
func patterns(t *layout.Timeline) Repeats {
	markers := findMarkers(t)
	votes := map[int]int{}
	for _, m := range markers {
		votes[len(m.states)]++
	}
	var best *marker
	score := func(m *marker) int { n := len(m.states); return votes[n-1] + votes[n] + votes[n+1] }
	for i := range markers {
		m := &markers[i]
		switch {
		case best == nil || score(m) > score(best):
			best = m
		case score(m) == score(best) && (m.height < best.height):
			best = m
		}
	}
	if best == nil {
		return Repeats{}
	}
	return Repeats{Site: best.first, States: best.states}
}

// A marker is a call site whose allocations come in lots, one for each repetition.
type marker struct {
	first  layout.ID
	states []int32 // before the first allocation of each lot
	height float64 // mean total there, bytes
}

// findMarkers finds the call sites that allocate again and again as the loop of a program does.
func findMarkers(t *layout.Timeline) []marker {
	if t.Banded() { // nothing says what asked for it
		return nil
	}
	at := map[int64][]int32{} // the states before allocations, by stack, or by size where there is none
	var order []int64
	allocated := make([]int64, len(t.Actions)+1) // bytes, before each state
	for a, id := range t.Actions {
		allocated[a+1] = allocated[a]
		if id < 0 {
			continue
		}
		allocated[a+1] += t.Size[id]
		key := int64(t.StackOf(id))
		if key == 0 {
			key = ^t.Size[id]
		}
		list, known := at[key]
		if !known {
			order = append(order, key)
		}
		at[key] = append(list, int32(a))
	}
	var markers []marker
	for _, key := range order {
		states := lots(at[key])
		if len(states) <= fewest || !even(states) || !fills(t, states, allocated) || !frees(t, states, allocated) {
			continue
		}
		m := marker{first: t.Actions[states[0]], states: states}
		for _, s := range states {
			m.height += float64(t.Total[s]) / float64(len(states))
		}
		markers = append(markers, m)
	}
	return markers
}

// lots keeps the first of each lot of states: gaps between lots are at least a quarter of the third longest of all
// gaps, so that there are no fewer than four. Lines that run for each layer are so told from those of a step.
func lots(states []int32) []int32 {
	if len(states) <= fewest {
		return nil
	}
	var longest [fewest]int32
	for i, s := range states[1:] {
		if gap := s - states[i]; gap > longest[0] {
			longest[0] = gap
			slices.Sort(longest[:])
		}
	}
	out := states[:1:1]
	for i, s := range states[1:] {
		if s-states[i] >= (longest[0]+3)/4 {
			out = append(out, s)
		}
	}
	return out
}

// even reports whether the median gap between states is at least half of the mean.
func even(states []int32) bool {
	gaps := make([]int32, len(states)-1)
	for i := range gaps {
		gaps[i] = states[i+1] - states[i]
	}
	slices.Sort(gaps)
	return 2*int64(gaps[len(gaps)/2])*int64(len(gaps)) >= int64(states[len(states)-1]-states[0])
}

// fills reports whether a loop of these states is what most of the trace is about: it begins in the first half or after
// what seems to be the making of a model, which keeps most of what it allocates, and goes on to the end, give or take
// two repetitions or an eighth of the trace. Loops over layers or parameters are parts of a larger whole. A pass back
// through layers leaves much less than it found.
func fills(t *layout.Timeline, states []int32, allocated []int64) bool {
	from, to, all := states[0], states[len(states)-1], int32(len(t.Actions))
	longest := int32(0)
	for i, s := range states[1:] {
		longest = max(longest, s-states[i])
	}
	making := 2*(t.Total[from]-t.Total[0]) >= allocated[from]
	return (from <= all/2 || making) && all-to <= max(2*longest, all/8) && t.Total[to] >= t.Total[from]/4*3
}

// frees reports whether most repetitions free at least half of the bytes that they allocate. Else something is loaded,
// or a model runs forward through its layers.
func frees(t *layout.Timeline, states []int32, allocated []int64) bool {
	n := 0
	for i, to := range states[1:] {
		if from := states[i]; 2*(t.Total[to]-t.Total[from]) <= allocated[to]-allocated[from] {
			n++
		}
	}
	return 2*n >= len(states)-1
}
