package query

import (
	"cmp"
	"strings"
)

// A Target is the thing that a row is about, for a viewer to go to.
type Target struct {
	Kind   string // "allocation", "event", "segment", "block", "stack", "frame", "annotation" or "step"
	Device int    // as PyTorch numbers them
	Number int64  // of the thing: of a device, or, of stacks and frames, of the snapshot
}

// kinds tells what a column numbers, by the name of what it comes from, or its own where it was worked out.
var kinds = map[string]string{
	"id": "allocation", "event": "event", "alloc_event": "event", "free_event": "event", "segment": "segment",
	"block": "block", "annotation": "annotation", "step": "step", "start_step": "step", "end_step": "step",
	"peak_step": "step", "stack": "stack", "free_stack": "stack", "frame": "frame",
}

// precedence is what a row is about if it holds several things: the most particular.
var precedence = []string{"allocation", "event", "annotation", "block", "segment", "step", "stack", "frame"}

// Target returns what the row at hand is about; false if nothing says so. In a snapshot of several devices that
// takes a column with the device, too.
func (r *Rows) Target() (Target, bool) {
	device, known := r.device()
	found := map[string]int64{}
	for i, c := range r.cols {
		kind := kinds[strings.ToLower(cmp.Or(c.Origin, c.Name))]
		if _, has := found[kind]; kind != "" && !has && r.values[i].Kind == Int {
			found[kind] = r.values[i].Int
		}
	}
	for _, kind := range precedence {
		if n, ok := found[kind]; ok && (known || kind == "stack" || kind == "frame") {
			return Target{kind, device, n}, true
		}
	}
	return Target{}, false
}

// device is the device the row is about.
func (r *Rows) device() (int, bool) {
	for i, c := range r.cols {
		if strings.EqualFold(cmp.Or(c.Origin, c.Name), "device") && r.values[i].Kind == Int {
			return int(r.values[i].Int), true
		}
	}
	if len(r.db.lanes) == 1 {
		return r.db.lanes[0].d.Index, true
	}
	return 0, false
}
