package compare

import (
	"strings"

	"strata/layout"
	"strata/layout/breakdown"
)

// Moments finds a moment in each of two timelines that a person calls atA, in B atB unless that is "", as
// breakdown.Find does. An annotation that is one of a repeated phase, such as a step with its number, is in B the one
// of the same name, else the n-th of its kind as it is in A. The error is of timeline side.
func Moments(t [2]*layout.Timeline, phases [2]*layout.Phases, atA, atB string) (m [2]breakdown.Moment, side int,
	err error) {
	if m[0], err = breakdown.Find(t[0], phases[0], atA); err != nil {
		return m, 0, err
	}
	if atB == "" {
		atB = atA
		if name, is := strings.CutPrefix(atA, "phase:"); is {
			atB = "phase:" + repeated(phases, name)
		}
	}
	m[1], err = breakdown.Find(t[1], phases[1], atB)
	return m, 1, err
}

// repeated is what B calls an annotation of A.
func repeated(phases [2]*layout.Phases, name string) string {
	pattern := digits.ReplaceAllString(name, "N")
	place, found := -1, false
	for i := range phases[0].All {
		if p := &phases[0].All[i]; !found && digits.ReplaceAllString(p.Name, "N") == pattern {
			place++
			found = p.Name == name
		}
	}
	nth, n := name, -1
	for i := range phases[1].All {
		p := &phases[1].All[i]
		switch {
		case p.Name == name:
			return name
		case digits.ReplaceAllString(p.Name, "N") == pattern:
			if n++; n == place {
				nth = p.Name
			}
		}
	}
	return nth
}
