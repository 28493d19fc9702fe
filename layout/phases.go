package layout

import (
	"cmp"
	"regexp"
	"slices"
	"sort"
	"strings"

	"strata/snapshot"
)

// A Phase is the stretch between the START and the END of an external annotation, on the Time axis.
type Phase struct {
	Name       string
	Label      snapshot.StringID // Name as the snapshot numbers it
	Extra      snapshot.StringID // what else the file says of its START, or where that says nothing of its END
	Device     int               // that was current when it was recorded
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

var internal = regexp.MustCompile(`^(?s)(ProfilerStep#|CachingAutotuner\.|Torch-Compiled Region|` +
	`enumerate\(DataLoader\)|AOTDispatcher|Pregraph bytecode|TorchDynamo|## Call CompiledFxGraph|` +
	`Optimizer\..*#|.*\(dynamo_timed\)$)`)

// Internal reports whether a name is one that PyTorch itself records: dynamo, inductor and autotuning phases, the
// profiler's, DataLoader's and optimizers' own ranges.
func Internal(name string) bool {
	return internal.MatchString(name)
}

// NewPhases pairs the annotations that a choice leaves for the timeline's device. An END belongs to the latest open
// START of the same name and device; threads interleave, so nesting is not insisted on (FORMAT.md, section 5.1). The
// error is that of a filter that cannot be read.
func NewPhases(t *Timeline, c Choice) (*Phases, error) {
	match, err := MatchNames(c.Filter)
	if err != nil {
		return nil, err
	}
	p := &Phases{}
	if !t.HasTime() {
		return p, nil
	}
	offered, all, internal := t.annotated(c.Others)
	kept := byName(t.Snapshot, func(name string) bool {
		return (c.All || all == internal || !Internal(name)) && match(name)
	})
	type key struct {
		name   snapshot.StringID
		device int32
	}
	open := map[key][]int{}
	for i := range t.Snapshot.Annotations {
		a := &t.Snapshot.Annotations[i]
		if !offered(a) || !kept(a.Name) {
			continue
		}
		at := a.Time - t.Start
		ph := Phase{Name: t.Snapshot.Strings[a.Name], Label: a.Name, Extra: a.Extra, Device: int(a.Device),
			Start: at, End: at}
		key := key{a.Name, a.Device}
		stack := open[key]
		switch {
		case a.Start:
			open[key] = append(stack, len(p.All))
			ph.End, ph.Open = max(at, t.End-t.Start), true
			p.All = append(p.All, ph)
		case len(stack) == 0:
			ph.Instant = true
			p.All = append(p.All, ph)
		default:
			ph := &p.All[stack[len(stack)-1]]
			ph.End, ph.Open, ph.Extra = max(at, ph.Start), false, cmp.Or(ph.Extra, a.Extra)
			open[key] = stack[:len(stack)-1]
		}
	}
	p.addSpans(t, c.Spans, match)
	slices.SortStableFunc(p.All, func(a, b Phase) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End))
	})
	p.nest()
	return p, nil
}

// modulePrefix begins the names of calls of torch.nn.Module in traces.
const modulePrefix = "nn.Module: "

// addSpans adds spans of a trace that a choice wants and whose names match.
func (p *Phases) addSpans(t *Timeline, c SpanChoice, match func(string) bool) {
	s := &t.Snapshot.Spans
	kept := byName(t.Snapshot, match)
	module := byName(t.Snapshot, func(name string) bool { return strings.HasPrefix(name, modulePrefix) })
	for i, kind := range s.Kind {
		parent := s.Parent[i]
		wanted := kind == snapshot.SpanPython && (c == PythonSpans || c >= OuterSpans && module(s.Name[i])) ||
			kind == snapshot.SpanOperator && (c >= OperatorSpans || c >= OuterSpans &&
				(parent < 0 || s.Kind[parent] != snapshot.SpanOperator))
		if !wanted || !kept(s.Name[i]) {
			continue
		}
		p.All = append(p.All, Phase{Name: strings.TrimPrefix(t.Snapshot.Strings[s.Name[i]], modulePrefix),
			Label: s.Name[i], Device: t.Device.Index, Start: s.Start[i]/1000 - t.Start, End: s.End[i]/1000 - t.Start})
	}
}

// AllPhases is the phases of all annotations that NewPhases offers a timeline without being asked for others.
func AllPhases(t *Timeline) *Phases {
	p, _ := NewPhases(t, Choice{All: true}) // there is no filter to be wrong
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
