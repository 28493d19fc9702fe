package session

import (
	"context"
	"slices"
	"time"

	"strata/app/diag"
	"strata/app/files"
	"strata/app/options"
	"strata/app/reading"
	"strata/layout"
	"strata/layout/state"
	"strata/layout/units"
	"strata/render/colour"
	"strata/snapshot"
	"strata/widgets/describe"
)

// A Document is an open snapshot with one of its devices ready to be shown. It is replaced as a whole.
type Document struct {
	Path     string
	Sample   bool // the embedded sample; Path is only its name
	Snapshot *snapshot.Snapshot
	Devices  []*snapshot.Device // those with something to show, host memory last
	Stage    *Stage

	took     time.Duration // from the request to the first Stage
	stamp    files.Stamp   // of the file before it was read
	bytes    int64         // approximate memory
	painting colouringKey  // the colours that were asked for last

	store func(context.Context) error // fills the cache of opened snapshots; nil if that is done or begun
}

// A Stage is one device of a snapshot, laid out and coloured. It is immutable.
type Stage struct {
	Device    int // index into Document.Devices
	Timeline  *layout.Timeline
	Lane      *describe.Annotations // the annotations that are shown
	OOMs      []layout.OOM
	Colouring *colour.Colouring
	Findings  []snapshot.Finding // most severe first

	annotations layout.Choice // what Lane was made for
}

// Tiles caches the pictures of timelines.
type Tiles interface {
	// Prepare makes the overview of a timeline, so that its first frame has a picture.
	Prepare(context.Context, *layout.Timeline, layout.Axis, *colour.Colouring) error
	// Forget drops the pictures of the timelines that keep refuses.
	Forget(keep func(*layout.Timeline) bool)
}

// stageOptions is what a Stage depends on beside its device.
type stageOptions struct {
	options.Options
	dark        bool
	annotations layout.Choice
	segments    bool
	tiles       Tiles
	log         *diag.Log
}

// colouringKey is what a Colouring depends on.
type colouringKey struct {
	timeline *layout.Timeline
	mode     colour.Mode
	dark     bool
}

// Name returns the name of the file without its folder.
func (d *Document) Name() string { return files.Name(d.Path) }

// Device returns the device that is shown.
func (d *Document) Device() *snapshot.Device { return d.Devices[d.Stage.Device] }

// viewKey is what a view and a selection are valid for.
type viewKey struct {
	stamp   files.Stamp
	device  int
	options layout.Options
}

func (d *Document) viewKey() viewKey {
	return viewKey{d.stamp, d.Stage.Device, d.Stage.Timeline.Options}
}

// chooseDevice returns the index of the wanted device, else of Snapshot.FirstDevice.
func (d *Document) chooseDevice(want int) int {
	if i := slices.IndexFunc(d.Devices, func(d *snapshot.Device) bool { return d.Index == want }); i >= 0 {
		return i
	}
	return max(0, slices.Index(d.Devices, d.Snapshot.FirstDevice()))
}

// DeviceName returns what the window calls a device, such as "GPU 0".
func DeviceName(d *snapshot.Device) string {
	if d.Index < 0 && d.Name == "" {
		return "Host memory"
	}
	return d.Title()
}

// SetDevice shows another device, by its index in Document.Devices.
func (s *Session) SetDevice(i int) {
	if i != s.Doc.Stage.Device {
		s.wantDevice = s.Doc.Devices[i].Index
		s.restage(i)
	}
}

// ShowDevice shows the device of a number, now or once the file is read; of no such device nothing changes.
func (s *Session) ShowDevice(index int) {
	if s.Doc == nil {
		if s.wantDevice = index; s.Loading != nil {
			s.Load() // what was begun is for another device
		}
		return
	}
	if i := slices.IndexFunc(s.Doc.Devices, func(d *snapshot.Device) bool { return d.Index == index }); i >= 0 {
		s.SetDevice(i)
	}
}

// LayOver lays files over the session's, by the time of day, which is read again for it.
func (s *Session) LayOver(paths ...string) {
	for _, path := range paths {
		if path = files.Absolute(path); !slices.Contains(s.Over, path) {
			s.Over = append(s.Over, path)
		}
	}
	s.Load()
}

// LayNothing takes away what lies over the session's file.
func (s *Session) LayNothing() {
	s.Over = nil
	s.Load()
}

// newStage lays a device out and colours it. It may take seconds and runs on a background goroutine.
func newStage(ctx context.Context, s *snapshot.Snapshot, devices []*snapshot.Device, i int, opt stageOptions) (
	*Stage, error,
) {
	st := &Stage{Device: i, annotations: opt.annotations}
	begun := time.Now()
	phase := func(name string, details ...string) {
		opt.log.Phase(name, time.Since(begun), details...)
		reading.Yield()
		begun = time.Now()
	}
	if opt.segments {
		st.Timeline = state.New(s, devices[i]).SegmentTimeline()
	} else {
		st.Timeline = layout.New(s, devices[i], layout.Options{MaxEntries: opt.MaxEntries})
	}
	phase("layout", DeviceName(devices[i]), diag.Events(devices[i].Events.Len(), time.Since(begun)),
		units.Count(int64(len(st.Timeline.Size)))+" allocations")
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	st.Lane = newLane(st.Timeline, opt.annotations)
	st.OOMs = st.Timeline.OOMs()
	phase("annotations")
	st.Colouring = colour.NewWith(st.Timeline, opt.Colour, Palette(opt.dark), opt.Categories)
	phase("colours")
	st.Findings = slices.Concat(s.Findings, st.Timeline.Findings())
	slices.SortStableFunc(st.Findings, func(a, b snapshot.Finding) int { return int(b.Severity) - int(a.Severity) })
	axis := opt.Axis
	if !st.Timeline.HasTime() {
		axis = layout.Events
	}
	err := opt.tiles.Prepare(ctx, st.Timeline, axis, st.Colouring)
	phase("overview picture")
	return st, err
}

// Palette returns the colours of the dark or the light theme.
func Palette(dark bool) colour.Palette {
	if dark {
		return colour.Dark()
	}
	return colour.Light()
}
