package layout

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	"strata/snapshot"
)

// A Phase is the stretch between the START and the END of an external annotation, on the Time axis.
type Phase struct {
	Name       string
	Label      snapshot.StringID // Name as the snapshot numbers it
	Start, End int64             // µs after Timeline.Start; may lie outside the trace
	// Depth is its nesting level, 0 outermost; phases of one depth do not overlap.
	Depth int
	// Open: it has no END, and lasts to the end of the trace. Instant: it has no START, only the moment of its END
	// is known.
	Open, Instant bool
}

// Phases is one device's annotations, paired.
type Phases struct {
	All    []Phase // by Start, of equal ones the longest first
	levels [][]int32
}

// Internal reports whether a name is one that PyTorch itself records: dynamo, inductor and autotuning phases, the
// profiler's and optimizers' own ranges.
func Internal(name string) bool {
	return strings.HasSuffix(name, "(dynamo_timed)") ||
		strings.HasPrefix(name, "Optimizer.") && strings.Contains(name, "#") ||
		strings.HasPrefix(name, "ProfilerStep#") ||
		strings.HasPrefix(name, "CachingAutotuner.") ||
		strings.HasPrefix(name, "Torch-Compiled Region") ||
		strings.HasPrefix(name, "TorchDynamo") || strings.HasPrefix(name, "## Call CompiledFxGraph")
}

// NewPhases pairs the annotations of the timeline's device whose names keep accepts (all when it is nil). An END
// belongs to the latest open START of the same name; threads interleave, so nesting is not insisted on (FORMAT.md,
// section 5.1).
func NewPhases(t *Timeline, keep func(name string) bool) *Phases {
	p := &Phases{}
	if !t.HasTime() {
		return p
	}
	open := map[snapshot.StringID][]int{}
	kept := byName(t.Snapshot, keep)
	for _, a := range t.Snapshot.Annotations {
		if int(a.Device) != t.Device.Index || !kept(a.Name) {
			continue
		}
		name := t.Snapshot.Strings[a.Name]
		at := a.Time - t.Start
		stack := open[a.Name]
		switch {
		case a.Start:
			open[a.Name] = append(stack, len(p.All))
			p.All = append(p.All, Phase{Name: name, Label: a.Name, Start: at, End: max(at, t.End-t.Start), Open: true})
		case len(stack) == 0:
			p.All = append(p.All, Phase{Name: name, Label: a.Name, Start: at, End: at, Instant: true})
		default:
			ph := &p.All[stack[len(stack)-1]]
			ph.End, ph.Open = max(at, ph.Start), false
			open[a.Name] = stack[:len(stack)-1]
		}
	}
	slices.SortStableFunc(p.All, func(a, b Phase) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End))
	})
	p.nest()
	return p
}

// deepest bounds the nesting: a file full of STARTs without END must not cost its square. The phases of the deepest
// level may overlap.
const deepest = 63

// nest gives each phase the lowest level that is free where it starts.
func (p *Phases) nest() {
	for i := range p.All {
		ph := &p.All[i]
		for ph.Depth < min(deepest, len(p.levels)) {
			level := p.levels[ph.Depth]
			if last := p.All[level[len(level)-1]]; last.End <= ph.Start &&
				(last.Start < ph.Start || last.End < ph.Start) {
				break
			}
			ph.Depth++
		}
		if ph.Depth == len(p.levels) {
			p.levels = append(p.levels, nil)
		}
		p.levels[ph.Depth] = append(p.levels[ph.Depth], int32(i))
	}
}

// Depth is the number of nesting levels.
func (p *Phases) Depth() int { return len(p.levels) }

// Level is the phases of one nesting level, as indexes into All, in order of time and without overlap.
func (p *Phases) Level(depth int) []int32 { return p.levels[depth] }

// At is the innermost phase in force at a time in µs after Timeline.Start, or nil.
func (p *Phases) At(us int64) *Phase {
	if i := p.IndexAt(us); i >= 0 {
		return &p.All[i]
	}
	return nil
}

// IndexAt is At as an index into All, -1 for none.
func (p *Phases) IndexAt(us int64) int32 {
	for d := len(p.levels) - 1; d >= 0; d-- {
		level := p.levels[d]
		i := sort.Search(len(level), func(i int) bool { return p.All[level[i]].Start > us }) - 1
		if i >= 0 && p.All[level[i]].End >= us {
			return level[i]
		}
	}
	return -1
}

// XOfTime is where a time in µs after Start lies on an axis: on Events, where the first action at or after it
// begins.
func (t *Timeline) XOfTime(axis Axis, us int64) float64 {
	if axis == Time {
		return float64(us)
	}
	a := sort.Search(len(t.Actions), func(a int) bool { return t.TimeOf(a) >= us })
	return float64(t.Timestep[a])
}

// TimeAt is the time in µs after Start at a place on an axis: on Events, that of the action in progress. Only on a
// timeline that HasTime.
func (t *Timeline) TimeAt(axis Axis, x float64) int64 {
	if axis == Time || len(t.Actions) == 0 {
		return int64(x)
	}
	return t.TimeOf(int(max(0, t.actionAt(x))))
}
