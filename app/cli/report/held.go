package report

import (
	"fmt"
	"strings"

	"strata/app/cli/terminal"
	"strata/layout"
	"strata/layout/breakdown"
	"strata/layout/units"
)

// A holder is a call site, or memory of which none is known, and what it held at one moment.
type holder struct {
	name, label string
	bytes       int64
	blocks      int
}

// maxName is how much of a name a line has, in characters.
const maxName = 240

// heldAt returns who held the memory in a state of the timeline, most first.
func heldAt(t *layout.Timeline, state int32) (held []holder) {
	g := breakdown.New(t, breakdown.ByCallSite, breakdown.Options{})
	for _, r := range g.At(state) {
		name, label := terminal.Clip(g.Name(r.Group), maxName), terminal.Clip(g.Label(r.Group), maxName)
		if strings.Contains(name, "::") { // C++ names are long
			name = label
		}
		held = append(held, holder{name, label, r.Bytes, int(r.Blocks)})
	}
	return held
}

// largest names what held most at the highest peak of all devices, in one line; "" where nothing was held.
func (r *Report) largest() string {
	var of *Device
	for i := range r.Devices {
		if d := &r.Devices[i]; of == nil || d.PeakBytes > of.PeakBytes {
			of = d
		}
	}
	if of == nil {
		of = r.Host
	}
	if of == nil || len(of.text.held) == 0 {
		return ""
	}
	var parts []string
	for _, h := range of.text.held[:min(3, len(of.text.held))] {
		parts = append(parts, h.label+" "+units.Bytes(h.bytes))
	}
	return fmt.Sprintf("%s peaks at %s: %s", of.text.title, units.Bytes(of.PeakBytes),
		strings.Join(parts, ", "))
}
