package breakdown

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"strata/layout"
)

// A Moment is a state of a timeline, and which one it is.
type Moment struct {
	State int32
	Step  int64 // the action done last, -1 at the start; of the end the number of actions
	Name  string
}

// Timestep is where a moment begins on the Events axis.
func (m Moment) Timestep(t *layout.Timeline) int64 { return int64(t.X(layout.Events, m.State)) }

// Peak is the first moment of most memory.
func Peak(t *layout.Timeline) Moment { return After(t.PeakState, "peak") }

// Start is the moment before the first action, End that after the last.
func Start() Moment { return After(0, "start") }

// End is the moment after the last action.
func End(t *layout.Timeline) Moment {
	n := len(t.Actions)
	return Moment{State: int32(n), Step: int64(n), Name: "end"}
}

// AtStep is the moment that a step shows first, as the table live of SQL has it: a block being freed counts.
func AtStep(t *layout.Timeline, step int64) Moment {
	return Moment{State: t.StateOf(step), Step: step, Name: "step"}
}

// AtPlace is the moment at a place of an axis, the nearest one where that is beyond its ends.
func AtPlace(t *layout.Timeline, axis layout.Axis, x float64) Moment {
	extent := t.Extent(axis)
	m := t.Column(axis, min(x, extent), min(x, extent))
	switch {
	case x <= 0:
		m.Step = 0
	case m == layout.NoMoment:
		m.Step = int32(len(t.Actions)) // the very end
	}
	return After(m.Step, "step")
}

// After is the moment of a state, by what it is called.
func After(state int32, name string) Moment {
	return Moment{State: state, Step: int64(state) - 1, Name: name}
}

// Find is the moment that a person calls peak, start, end, oom (the last request that failed), a step by its number,
// or phase:NAME: the peak within the annotations of that name.  The error is a sentence.
func Find(t *layout.Timeline, phases *layout.Phases, text string) (Moment, error) {
	name, isPhase := strings.CutPrefix(text, "phase:")
	switch {
	case isPhase:
		return inPhase(t, phases, name)
	case text == "peak" || text == "":
		return Peak(t), nil
	case text == "start":
		return Start(), nil
	case text == "end":
		return End(t), nil
	case text == "oom":
		ooms := t.OOMs()
		if len(ooms) == 0 {
			return Moment{}, fmt.Errorf("the device never ran out of memory; its peak is what --at peak shows")
		}
		return After(ooms[len(ooms)-1].State, "out of memory"), nil
	}
	step, err := strconv.ParseInt(strings.NewReplacer(",", "", "_", "").Replace(text), 10, 64)
	switch n := int64(len(t.Actions)); {
	case err != nil:
		return Moment{}, fmt.Errorf("%q is no moment; there are peak, start, end, oom, a step's number, and phase:NAME",
			text)
	case step < -1 || step > n:
		return Moment{}, fmt.Errorf("there is no step %s; they go from 0 to %d", text, n)
	}
	return AtStep(t, step), nil
}

// namesOf lists some names of annotations, for those who mistyped one.
func namesOf(phases *layout.Phases) string {
	var names []string
	for i := range phases.All {
		name := phases.All[i].Name
		if slices.Contains(names, name) {
			continue
		}
		if len(names) == 8 {
			names = append(names, "…")
			break
		}
		names = append(names, name)
	}
	if names == nil {
		return ", as there is none at all"
	}
	return "; there are " + strings.Join(names, ", ")
}

// inPhase is the highest moment within the annotations of a name, the first of those.
func inPhase(t *layout.Timeline, phases *layout.Phases, name string) (Moment, error) {
	if !t.HasTime() {
		return Moment{}, fmt.Errorf("no times were recorded, so annotations have no place among the steps")
	}
	found := After(0, name)
	most := int64(-1)
	highest := t.Highest()
	for i := range phases.All {
		if p := &phases.All[i]; p.Name == name {
			_, lo, hi := t.States(layout.Time, float64(p.Start), float64(p.End)+1)
			if hi < lo {
				continue // it lies outside the trace
			}
			if s := highest.First(lo, hi); t.Total[s] > most {
				most, found = t.Total[s], After(s, name)
			}
		}
	}
	if most < 0 {
		return Moment{}, fmt.Errorf("there is no annotation %q on this device%s", name, namesOf(phases))
	}
	return found, nil
}
