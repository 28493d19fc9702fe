package export

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"strconv"
	"strings"

	"strata/layout/breakdown"
	"strata/layout/units"
)

// Held is what held a device's memory at a moment, and how that differs from another one, as scripts read it: keys may
// be added, none is renamed. Sizes are in bytes.
type Held struct {
	Device   int         `json:"device"` // -1 is pinned host memory
	At       string      `json:"at"`
	Step     int64       `json:"step"`     // the alloc or free done last, -1 at the start
	Timestep int64       `json:"timestep"` // where the moment begins on PyTorch's axis
	Total    int64       `json:"total"`
	Against  *HeldMoment `json:"against,omitempty"`
	By       string      `json:"by"`
	Groups   []HeldGroup `json:"groups"`
	Rest     *HeldGroup  `json:"rest,omitempty"` // what a limit leaves out

	grouping *breakdown.Grouping
	at       breakdown.Moment
	against  *breakdown.Moment
	groups   []int32 // of Groups, by number
}

// HeldMoment is a moment that another one is compared with.
type HeldMoment struct {
	At       string `json:"at"`
	Step     int64  `json:"step"`
	Timestep int64  `json:"timestep"`
	Total    int64  `json:"total"`
}

// A HeldGroup is a group: its bytes and blocks at the moment, and how it differs from the moment it is compared with.
type HeldGroup struct {
	Name   string `json:"name"`
	Told   string `json:"told,omitempty"` // of a category: inferred, recorded or in part inferred
	Bytes  int64  `json:"bytes"`
	Blocks int64  `json:"blocks"`
	Groups int    `json:"groups,omitempty"` // of a rest
	*Change
}

// A Change is how a group differs from the moment it is compared with.
type Change struct {
	Before     int64 `json:"before"` // bytes at the other moment
	Difference int64 `json:"difference"`
	New        int64 `json:"new"` // blocks
	Gone       int64 `json:"gone"`
	Common     int64 `json:"common"`
	Allocated  int64 `json:"allocated"` // bytes between the moments
	Freed      int64 `json:"freed"`
}

func (c *Change) add(o *Change) {
	c.Before += o.Before
	c.Difference += o.Difference
	c.New += o.New
	c.Gone += o.Gone
	c.Common += o.Common
	c.Allocated += o.Allocated
	c.Freed += o.Freed
}

// NewHeld returns what held the memory at a moment; against is the one to compare it with, nil for none.
func NewHeld(g *breakdown.Grouping, at breakdown.Moment, against *breakdown.Moment) *Held {
	t := g.Timeline
	h := &Held{Device: t.Device.Index, At: at.Name, Step: at.Step, Timestep: at.Timestep(t), Total: t.Total[at.State],
		By: GroupName(g.By), Groups: []HeldGroup{}, grouping: g, at: at, against: against}
	if against == nil {
		for _, r := range g.At(at.State) {
			h.add(r.Group, HeldGroup{Bytes: r.Bytes, Blocks: int64(r.Blocks)})
		}
		return h
	}
	h.Against = &HeldMoment{against.Name, against.Step, against.Timestep(t), t.Total[against.State]}
	for _, c := range g.Between(against.State, at.State) {
		h.add(c.Group, HeldGroup{Bytes: c.B, Blocks: int64(c.New + c.Common),
			Change: &Change{c.A, c.Difference(), int64(c.New), int64(c.Gone), int64(c.Common), c.Allocated, c.Freed}})
	}
	return h
}

func (h *Held) add(group int32, g HeldGroup) {
	g.Name, g.Told = h.grouping.Name(group), h.grouping.Told(group)
	h.Groups, h.groups = append(h.Groups, g), append(h.groups, group)
}

// GroupName is a grouping as flags and JSON have it: "call-site".
func GroupName(by breakdown.By) string { return strings.ReplaceAll(by.String(), " ", "-") }

// Label is the short name of one of Groups, for tables.
func (h *Held) Label(i int) string { return h.grouping.Label(h.groups[i]) }

// Profile is the same as a profile, for stacks from the call site on or whole; the grouping must be by stack.
func (h *Held) Profile(fromSite bool) *Profile {
	return &Profile{h.grouping, h.at, h.against, fromSite}
}

// Limit sums up the groups from the n-th on, 0 for none.
func (h *Held) Limit(n int) {
	if n <= 0 || len(h.Groups) <= n {
		return
	}
	rest := HeldGroup{Groups: len(h.Groups) - n}
	rest.Name = units.Plural(rest.Groups, "other")
	if h.Against != nil {
		rest.Change = &Change{}
	}
	for _, g := range h.Groups[n:] {
		rest.Bytes += g.Bytes
		rest.Blocks += g.Blocks
		if g.Change != nil {
			rest.Change.add(g.Change)
		}
	}
	h.Groups, h.Rest = h.Groups[:n:n], &rest
}

// Rows is the groups with the rest.
func (h *Held) Rows() []HeldGroup {
	if h.Rest == nil {
		return h.Groups
	}
	return append(h.Groups, *h.Rest)
}

// WriteJSON writes objects, one a line.
func WriteJSON[T any](out io.Writer, objects ...T) error {
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	for _, o := range objects {
		if err := enc.Encode(o); err != nil {
			return err
		}
	}
	return nil
}

// Title names the device.
func (h *Held) Title() string { return h.grouping.Timeline.Device.Title() }

// WriteCSV writes the groups of several devices as comma-separated values, with a line of names.
func WriteCSV(out io.Writer, tops []*Held) error {
	w := csv.NewWriter(out)
	head := []string{"device", "step", "name", "bytes", "blocks"}
	if tops[0].Against != nil {
		head = append(head, "before", "difference", "new", "gone", "common", "allocated", "freed")
	}
	w.Write(head)
	for _, d := range tops {
		for _, g := range d.Rows() {
			record := []string{strconv.Itoa(d.Device), strconv.FormatInt(d.Step, 10), g.Name,
				strconv.FormatInt(g.Bytes, 10), strconv.FormatInt(g.Blocks, 10)}
			if c := g.Change; c != nil {
				for _, n := range [...]int64{c.Before, c.Difference, c.New, c.Gone, c.Common, c.Allocated, c.Freed} {
					record = append(record, strconv.FormatInt(n, 10))
				}
			}
			w.Write(record)
		}
	}
	w.Flush()
	return w.Error()
}

// A Form is a kind of file that a breakdown is written to.
type Form struct {
	Name, Ending string
	Stacks       bool // it needs a grouping by stack
	Write        func(io.Writer, *Held) error
}

// Forms are all of them.
var Forms = []Form{
	{"CSV", ".csv", false, func(w io.Writer, h *Held) error { return WriteCSV(w, []*Held{h}) }},
	{"JSON", ".json", false, func(w io.Writer, h *Held) error { return WriteJSON(w, h) }},
	{"Collapsed stacks", ".folded", true,
		func(w io.Writer, h *Held) error { return h.Profile(false).WriteCollapsed(w) }},
	{"pprof", ".pb.gz", true, func(w io.Writer, h *Held) error { return h.Profile(true).WritePprof(w) }},
}
