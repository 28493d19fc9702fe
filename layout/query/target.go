package query

import "strings"

// A Target is the thing that a row is about, for a viewer to go to.
type Target struct {
	Kind   string // "allocation", "event", "segment", "block", "stack", "frame", "annotation" or "step"
	Device int    // as PyTorch numbers them
	Number int64  // of the thing: of a device, or, of stacks and frames, of the snapshot
}

// origins tells what a column of a table numbers.
var origins = map[string]string{
	"allocations.id": "allocation", "live.id": "allocation", "polygons.id": "allocation",
	"events.event": "event", "allocations.alloc_event": "event", "allocations.free_event": "event",
	"segments.segment": "segment", "blocks.segment": "segment", "blocks.block": "block",
	"annotations.annotation": "annotation", "devices.peak_step": "step", "totals.step": "step", "live.step": "step",
	"allocations.start_step": "step", "allocations.end_step": "step",
	"stacks.stack": "stack", "events.stack": "stack", "allocations.stack": "stack", "allocations.free_stack": "stack",
	"segments.stack": "stack", "blocks.stack": "stack", "frames.frame": "frame", "stacks.frame": "frame",
}

// names tells it of a column that was worked out, by what it is called.
var names = map[string]string{"id": "allocation", "event": "event", "segment": "segment", "block": "block",
	"annotation": "annotation", "step": "step", "stack": "stack", "frame": "frame"}

// precedence is what a row is about if it holds several things: the most particular.
var precedence = []string{"allocation", "event", "annotation", "block", "segment", "step", "stack", "frame"}

// Target returns what the row at hand is about; false if nothing says so. In a snapshot of several devices that
// takes a column with the device, too.
func (r *Rows) Target() (Target, bool) {
	device, known := r.device()
	found := map[string]int64{}
	for i, c := range r.cols {
		kind := origins[c.Table+"."+c.Origin]
		if c.Origin == "" {
			kind = names[strings.ToLower(c.Name)]
		}
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
		if (c.Origin == "device" || c.Origin == "" && strings.EqualFold(c.Name, "device")) && r.values[i].Kind == Int {
			return int(r.values[i].Int), true
		}
	}
	if len(r.db.lanes) == 1 {
		return r.db.lanes[0].d.Index, true
	}
	return 0, false
}
