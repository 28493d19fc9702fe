package describe

import (
	"strings"

	"strata/layout"
	"strata/layout/units"
	"strata/render/colour"
)

// Annotations is the annotations of a device as the lane shows them. It is made once and not changed.
type Annotations struct {
	Phases *layout.Phases
	Bars   [2]*layout.Bars // by layout.Axis
	Hue    []uint8         // of each phase: names have colours
	// Total counts the device's annotation events, Internal those of them that are the framework's own.
	Total, Internal int
}

// NewAnnotations places phases on both axes.
func NewAnnotations(t *layout.Timeline, p *layout.Phases) *Annotations {
	d := &Annotations{Phases: p, Hue: colour.PhaseHues(p)}
	d.Total, d.Internal = t.Annotations()
	if t.HasTime() {
		d.Bars = [2]*layout.Bars{p.Bars(t, layout.Events), p.Bars(t, layout.Time)}
	}
	return d
}

// Hidden says how many of the framework's own annotations are not shown, "" where all are.
func (d *Annotations) Hidden(all bool) string {
	if all || d.Internal == 0 || d.Internal == d.Total { // there are no others
		return ""
	}
	verb := " are hidden (I)"
	if d.Internal == 1 {
		verb = " is hidden (I)"
	}
	return units.Count(d.Internal) + " of PyTorch's own" + verb
}

// NoPhase is the absence of one among indexes of phases.
const NoPhase int32 = -1

// PhaseText is a phase in words, its name first.
func PhaseText(t *layout.Timeline, d *Annotations, phase int32, axis layout.Axis) []string {
	ph := &d.Phases.All[phase]
	x0, x1 := d.Bars[axis].Span(phase)
	from, to := units.Duration(float64(ph.Start)), units.Duration(float64(ph.End))
	if axis == layout.Events {
		from, to = "step "+units.Count(t.StepAt(x0)), units.Count(t.StepAt(x1))
	}
	lines := []string{ph.Name}
	lasted := units.Duration(float64(ph.End - ph.Start))
	switch {
	case ph.Instant:
		lines = append(lines, "END at "+from, "its START was not recorded")
	case ph.Open:
		lines = append(lines, "START at "+from, "its END was not recorded")
	default:
		lines = append(lines, from+" – "+to+"  ("+lasted+")")
		if x1 > x0 {
			lines = append(lines, "at most "+units.Bytes(t.Height(t.Column(axis, x0, x1))))
		}
	}
	if extra := t.Snapshot.Strings[ph.Extra]; extra != "" {
		lines = append(lines, strings.Split(extra, "\n")...)
	}
	if ph.Device != t.Device.Index && !t.Snapshot.IsTrace() {
		lines = append(lines, "recorded while "+units.Device(ph.Device)+" was current")
	}
	return lines
}
