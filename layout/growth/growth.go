// Package growth says what a program takes more of with each repetition of what it does: its repetitions are found, the
// live set is looked at in the same point of each, and groups of it that rise and never give back are told from those
// that stopped rising and from those that only go up and down.
package growth

import (
	"cmp"
	"slices"

	"strata/layout"
	"strata/layout/breakdown"
)

// A Result is what grew in a timeline.
type Result struct {
	Grouping *breakdown.Grouping
	Repeats
	Grows   []Group // still, at the end; most bytes a repetition first
	Stopped []Group // grew once, and then no more: caches, warm-up; most bytes a repetition first
	Kept    []Kept  // what was made in a repetition and never freed, most bytes first
	Once    []Once  // what only one repetition made, most bytes first
}

// A Group is a group of the grouping that grows, or did.
type Group struct {
	Group int32
	Bytes int64 // that it gained from First to Last
	// First and Last are the repetitions between which it grew, as indexes of States; Rises is in how many of the steps
	// between two looks it rose, of Looks.
	First, Last  int
	Rises, Looks int
	Curve        []int64 // bytes, for each of States that was looked at
	// Lasting: the curve counts only what lived through a whole repetition; all of the group goes up and down.
	Lasting bool
}

// Repeats is the number of repetitions in which the group grew.
func (g *Group) Repeats() int { return g.Last - g.First }

// PerRepeat is the mean of what it gained in each of these, bytes. A jump has no part in it: see judge.
func (g *Group) PerRepeat() int64 { return g.Bytes / int64(g.Repeats()) }

// Sure says how sure it is that a group grows, from how often it was seen to: by chance a curve rises three times in a
// row in one of 24 cases, five times in one of 720. Repetitions that no annotation names may be something else, the
// layers of one pass for instance.
func (r *Result) Sure(g *Group) string {
	named := r.Phase != ""
	switch {
	case named && g.Rises >= 8:
		return "certain"
	case named && g.Rises >= 5 || g.Rises >= 8:
		return "likely"
	}
	return "perhaps"
}

// mostGroups is how many groups' curves are looked at, those that gained most; mostLooks how many repetitions, evenly
// spread. Both bound the cost; a curve of more points would show no other growth.
const (
	mostGroups = 256
	mostLooks  = 128
)

// Find looks for growth of the groups of a grouping. The phases are the timeline's, nil for all it has.
func Find(g *breakdown.Grouping, phases *layout.Phases) *Result {
	if phases == nil {
		phases = layout.AllPhases(g.Timeline)
	}
	r := &Result{Grouping: g, Repeats: findRepeats(g.Timeline, phases)}
	if r.Count() == 0 {
		return r
	}
	looks := r.looks()
	states := make([]int32, len(looks))
	for i, l := range looks {
		states[i] = r.States[l]
	}
	groups := gainers(g, states)
	curves := g.Series(groups, states)
	var lasting [][]int64
	for i, group := range groups {
		v, found := judge(curves[i])
		curve, isLasting := curves[i], false
		if !found && restless(curve) {
			if lasting == nil {
				lasting = lastingSeries(g, groups, states)
			}
			curve, isLasting = lasting[i], true
			v, found = judge(curve)
		}
		if !found {
			continue
		}
		list := &r.Grows
		if v.stopped {
			list = &r.Stopped
		}
		*list = append(*list, Group{Group: group, First: looks[v.first], Last: looks[v.last],
			Bytes: curve[v.last] - curve[v.first], Rises: v.rises, Looks: v.last - v.first, Curve: curve,
			Lasting: isLasting})
	}
	for _, list := range [][]Group{r.Grows, r.Stopped} {
		slices.SortStableFunc(list, func(a, b Group) int {
			return cmp.Or(cmp.Compare(b.PerRepeat(), a.PerRepeat()), cmp.Compare(b.Bytes, a.Bytes))
		})
	}
	r.left()
	return r
}

// looks are the repetitions that are looked at: all, or mostLooks of them with the last.
func (r *Repeats) looks() []int {
	n := len(r.States)
	m := min(n, mostLooks)
	looks := make([]int, m)
	for i := range looks {
		looks[i] = i * (n - 1) / (m - 1)
	}
	return looks
}

// gainers are the groups that hold more in the later half of the states than in the earlier, those that gained most
// first. A few states tell that.
func gainers(g *breakdown.Grouping, states []int32) []int32 {
	gain := make([]int64, g.Len())
	var sums *breakdown.Sums
	half := len(states) / 2
	step := max(1, half/8)
	for i := 0; i < half; i += step {
		for _, late := range [...]bool{false, true} {
			sign, at := int64(-1), i
			if late {
				sign, at = 1, len(states)-1-i
			}
			sums = g.Sums(sums, states[at])
			for group, bytes := range sums.Bytes {
				gain[group] += sign * bytes
			}
		}
	}
	var groups []int32
	for group, bytes := range gain {
		if bytes > 0 {
			groups = append(groups, int32(group))
		}
	}
	slices.SortStableFunc(groups, func(a, b int32) int { return cmp.Compare(gain[b], gain[a]) })
	return groups[:min(len(groups), mostGroups)]
}

// lastingSeries is Series of only those allocations that are live in two of the states or more: what irregular
// repetitions hold for themselves is not in it. It ends before the last state, of which that is not known.
func lastingSeries(g *breakdown.Grouping, groups []int32, states []int32) [][]int64 {
	row := make([]int32, g.Len())
	out := make([][]int64, len(groups))
	for i, group := range groups {
		row[group] = int32(i + 1)
		out[i] = make([]int64, len(states))
	}
	t := g.Timeline
	for id, of := range g.Of {
		if of == breakdown.Excluded || row[of] == 0 {
			continue
		}
		from, _ := slices.BinarySearch(states, t.Birth[id])
		to, _ := slices.BinarySearch(states, t.Death[id])
		if to-from >= 2 {
			curve := out[row[of]-1]
			curve[from] += t.Size[id] // differences, summed up below
			if to < len(states) {
				curve[to] -= t.Size[id]
			}
		}
	}
	for k, curve := range out {
		for i := range len(curve) - 2 {
			curve[i+1] += curve[i]
		}
		out[k] = curve[:len(curve)-1]
	}
	return out
}
