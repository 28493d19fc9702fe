package app

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"strata/app/diag"
	"strata/layout"
	"strata/layout/units"
	"strata/render/colour"
	"strata/render/tiles"
	"strata/snapshot"
	"strata/widgets"
)

// A document is an open snapshot. It is complete when the window gets it and
// is replaced as a whole.
type document struct {
	path    string
	sample  bool // the embedded sample; path is only its name
	snap    *snapshot.Snapshot
	devices []*snapshot.Device
	stage   *stage
	took    time.Duration // from the click to here
	stamp   stamp         // of the file, before it was read
	bytes   int64         // of memory, about

	painting paint // the colours that were asked for last

	store func(context.Context) error // keeps the snapshot for the next time; nil if it is there already, or once begun
}

// A stage is one device, laid out and coloured, ready to be shown.
type stage struct {
	device    int // index into document.devices
	timeline  *layout.Timeline
	phases    *layout.Phases
	lane      *widgets.Annotations
	shows     annotationChoice // what phases were kept by
	ooms      []layout.OOM
	colouring *colour.Colouring
	findings  []snapshot.Finding
}

// setting is what a stage depends on beside its device.
type setting struct {
	cache   *tiles.Cache // gets the overview, so that there is a picture from the first frame on
	axis    layout.Axis
	options layout.Options
	mode    colour.Mode
	dark    bool
	shows   annotationChoice
	limits  snapshot.Limits // of reading
	log     *diag.Log
}

// name is the file without its folder.
func (d *document) name() string { return filepath.Base(d.path) }

// devicesOf lists what has something to show, host memory last.
func devicesOf(s *snapshot.Snapshot) []*snapshot.Device {
	var all []*snapshot.Device
	for i := range s.Devices {
		all = append(all, &s.Devices[i])
	}
	if s.Host != nil {
		all = append(all, s.Host)
	}
	return all
}

// choose is the index of the wanted device, else of the first with events,
// else of the first.
func choose(devices []*snapshot.Device, want int) int {
	for i, d := range devices {
		if d.Index == want {
			return i
		}
	}
	for i, d := range devices {
		if d.Events.Len() > 0 {
			return i
		}
	}
	return 0
}

// deviceName is what the picker calls a device.
func deviceName(d *snapshot.Device) string {
	if d.Index < 0 {
		return "Host memory"
	}
	return fmt.Sprintf("GPU %d", d.Index)
}

// newStage lays a device out. It takes its time: never on the window's
// goroutine.
func newStage(ctx context.Context, s *snapshot.Snapshot, devices []*snapshot.Device, i int, set setting) (*stage, error) {
	st := &stage{device: i}
	begun := time.Now()
	phase := func(name string, details ...string) {
		set.log.Phase(name, time.Since(begun), details...)
		begun = time.Now()
	}
	st.timeline = layout.New(s, devices[i], set.options)
	phase("layout", deviceName(devices[i]), diag.Events(devices[i].Events.Len(), time.Since(begun)),
		units.Count(int64(len(st.timeline.Size)))+" allocations")
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	st.shows = set.shows
	st.lane = newLane(st.timeline, set.shows.keep())
	st.phases, st.ooms = st.lane.Phases, st.timeline.OOMs()
	phase("annotations")
	st.colouring = colour.New(st.timeline, set.mode, palette(set.dark))
	phase("colours")
	st.findings = slices.Concat(s.Findings, st.timeline.Findings())
	slices.SortStableFunc(st.findings, func(a, b snapshot.Finding) int { return int(b.Severity) - int(a.Severity) })
	axis := set.axis
	if !st.timeline.HasTime() {
		axis = layout.Events
	}
	err := set.cache.Prepare(ctx, st.timeline, axis, st.colouring)
	phase("overview picture")
	return st, err
}

func palette(dark bool) colour.Palette {
	if dark {
		return colour.Dark()
	}
	return colour.Light()
}

// kept is what a view and a selection hold for: they are worth keeping as long
// as the file, the device and what is drawn of it are the same.
type kept struct {
	stamp   stamp
	device  int
	options layout.Options
}

func (d *document) keep() *kept {
	return &kept{d.stamp, d.stage.device, d.stage.timeline.Options}
}
