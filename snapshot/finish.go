package snapshot

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"unsafe"

	"strata/snapshot/pickle"
)

// rootParts records what the root has and what was left out, for the findings.
type rootParts struct {
	isList                         bool   // of segments
	form                           string // of the traces, where it is an unusual one
	noSegments, noTraces           bool
	hasSettings, hasAnnotations    bool
	hasHost                        bool
	overflowed                     []bool // by device, or one value for all
	maxEntries                     int64
	skipped                        [3]int64 // by reason: badSize, badAddr, badAction
	unknownActions                 map[StringID]int64
	strange                        int64 // items of a trace that are no events
	firstBad                       int64 // offset of the first event that was skipped, or -1
	firstUnknown                   int64 // offset of the first event of an unknown kind, or -1
	history                        bool  // blocks in the form before 2.1
	segmentsSkipped, blocksSkipped int64
	annotationsSkipped             int64
}

// A selection is a list of rows in order.
type selection struct {
	first, n int
	list     []uint32 // the rows; nil for the n rows from first on
}

// errNotSnapshot is the error of finish for a root that is something else.
var errNotSnapshot = errors.New("not a snapshot")

// finish makes the Snapshot once the root is known.
func (b *builder) finish(root pickle.Value) (*Snapshot, error) {
	s := &Snapshot{}
	r := &b.root
	r.unknownActions = map[StringID]int64{}
	r.firstBad, r.firstUnknown = -1, -1
	r.history = b.evidence.history
	parts := [sKeys]pickle.Value{}
	switch {
	case root.IsDict():
		for _, kv := range dictEntries(b.h.Pairs(root)) {
			if id, ok := kv[0].IsString(); ok && id < sKeys {
				parts[id] = kv[1]
			} else if ok {
				b.evidence.unknownKeys(0, []uint32{id})
			}
		}
		if parts[sSegments] == 0 && parts[sDeviceTraces] == 0 && parts[sHostTraces] == 0 && parts[sHostSegments] == 0 {
			return nil, errNotSnapshot
		}
	case b.firstClass(root) == classSegment:
		r.isList = true
		parts[sSegments] = root
	case b.firstClass(root) == classEvent, root.IsList() && b.h.Len(root) > 0 &&
		b.firstClass(b.h.At(root, 0)) == classEvent:
		parts[sDeviceTraces] = root
	default:
		return nil, errNotSnapshot
	}
	var err error
	if parts[sSegments], err = b.asList(parts[sSegments]); err != nil {
		return nil, err
	}
	r.noSegments = !parts[sSegments].IsList()
	r.noTraces = !parts[sDeviceTraces].IsList() && !parts[sDeviceTraces].IsDict()
	if r.noSegments && r.noTraces && !parts[sHostTraces].IsList() && !parts[sHostSegments].IsList() {
		return nil, errNotSnapshot
	}
	if err := b.readSettings(s, parts); err != nil {
		return nil, err
	}
	return s, b.assemble(s, parts)
}

// assemble distributes events, segments and blocks to the devices.
func (b *builder) assemble(s *Snapshot, parts [sKeys]pickle.Value) error {
	devs := map[int]*Device{}
	device := func(i int) *Device {
		if devs[i] == nil {
			devs[i] = &Device{Index: i}
		}
		return devs[i]
	}
	host := &Device{Index: -1}
	sels, owners, err := b.selectTraces(parts, device, host)
	if err != nil {
		return err
	}
	if err := b.gatherEvents(sels, owners); err != nil {
		return err
	}
	err = b.placeSegments(parts[sSegments], func(r *segmentRow) *Device {
		return device(int(max(min(r.device, math.MaxInt32), math.MinInt32)))
	})
	if err == nil {
		err = b.placeSegments(parts[sHostSegments], func(*segmentRow) *Device { return host })
	}
	if err != nil {
		return err
	}
	for _, d := range devs {
		if !d.validSums() {
			return errSizes
		}
		if d.Events.Len() > 0 || len(d.Segments) > 0 {
			d.Overflowed = b.root.overflow(d.Index)
			d.findNotes()
			s.Devices = append(s.Devices, *d)
		}
	}
	slices.SortFunc(s.Devices, func(x, y Device) int { return cmp.Compare(x.Index, y.Index) })
	if !host.validSums() {
		return errSizes
	}
	if host.Events.Len() > 0 || len(host.Segments) > 0 {
		host.findNotes()
		s.Host = host
	}
	b.root.hasHost = parts[sHostTraces].IsList() || parts[sHostSegments].IsList()
	b.placeAnnotations(s, parts[sExternalAnnotations])
	s.Strings, s.Frames, s.Streams, s.Pools, s.Metas = b.strs.items, b.frames, b.streams.items, b.pools.items,
		b.metas.items
	s.Stacks = Stacks{Start: b.stacks.start, Frame: b.stacks.frame}
	s.Stacks.Site = s.sites()
	return nil
}

// findNotes lists the annotate events.
func (d *Device) findNotes() {
	for i, a := range d.Events.Action {
		if a == ActionAnnotate {
			d.Notes = append(d.Notes, int32(i))
		}
	}
}

// selectTraces selects the events of every device. Each trace is charged for, as many devices may have the same one.
func (b *builder) selectTraces(parts [sKeys]pickle.Value, device func(int) *Device, host *Device) (
	sels []selection, owners []*Device, err error,
) {
	add := func(d *Device, list pickle.Value) {
		if err = b.h.Charge(b.h.Len(list)); err != nil {
			return
		}
		if sel := b.selectEvents(list); sel.n > 0 {
			sels, owners = append(sels, sel), append(owners, d)
		}
	}
	devices, lists := b.deviceLists(parts[sDeviceTraces])
	for i, list := range lists {
		if b.h.Len(list) == 0 {
			continue
		}
		if err := b.h.Charge(deviceBytes); err != nil {
			return nil, nil, err
		}
		if add(device(devices[i]), list); err != nil {
			return nil, nil, err
		}
	}
	add(host, parts[sHostTraces])
	return sels, owners, err
}

const deviceBytes = int(unsafe.Sizeof(Device{}))

// errSizes is returned by finish when sizes add up to the impossible.
var errSizes = errors.New("its sizes add up to more than 4 EiB, which no device has")

// validSums reports whether all sums of the device's sizes stay within 62 bits, so that no code after the reader has
// to check for overflow.
func (d *Device) validSums() bool {
	const most = 1 << 62
	var events, requested, blocks, segments int64 // each item is at most maxSize
	for i, n := range d.Events.Size {
		if a := d.Events.Action[i]; sized(a) && a != ActionOOM {
			if events += n; events > most {
				return false
			}
		}
	}
	for i, n := range d.Blocks.Size {
		blocks += n
		if requested += d.Blocks.Requested[i]; blocks > most || requested > most {
			return false
		}
	}
	for i := range d.Segments {
		if segments += d.Segments[i].Size; segments > most {
			return false
		}
	}
	return true
}

// selectEvents selects the events in a list and counts items that are none.
func (b *builder) selectEvents(list pickle.Value) selection {
	var sel selection
	if first, n, ok := b.h.Run(list); ok {
		class, row, _ := first.Record()
		if class != classEvent {
			b.root.strange += int64(n)
			return sel
		}
		sel = selection{first: int(row), n: n}
		if !b.anyBad(sel) {
			return sel
		}
	}
	out := selection{list: []uint32{}}
	for i := range b.h.Len(list) {
		class, row, ok := b.h.At(list, i).Record()
		if !ok || class != classEvent {
			b.root.strange++
			continue
		}
		if b.events.action[row] == ActionOther {
			b.root.skip(&b.events, int(row))
			continue
		}
		out.list = append(out.list, uint32(row))
	}
	out.n = len(out.list)
	return out
}

// skip counts a row that is not an event.
func (r *rootParts) skip(c *eventRows, j int) {
	r.skipped[badSize-c.size[j]]++
	first := &r.firstBad
	if c.size[j] == badAction {
		r.unknownActions[StringID(c.addr[j])]++
		first = &r.firstUnknown
	}
	if *first < 0 || c.time[j] < *first {
		*first = c.time[j]
	}
}

func (b *builder) anyBad(sel selection) bool {
	return slices.Contains(b.events.action[sel.first:sel.first+sel.n], ActionOther)
}

// gatherEvents gives the devices the selected rows. The columns are shared if most of their memory is selected, else
// copied and released one by one.
func (b *builder) gatherEvents(sels []selection, owners []*Device) error {
	r := &b.events
	used, total := 0, 0
	for _, s := range sels {
		total += s.n
		if s.list == nil {
			used += s.n
		}
	}
	share := len(r.action)-used < used/2
	// Rows are charged for when they are read, but rows selected twice only once.
	if err := b.h.Charge(max(total-r.n, 0) * eventRowBytes); err != nil {
		return err
	}
	action, addr, size := column(&r.action, sels, share), column(&r.addr, sels, share), column(&r.size, sels, share)
	stream, time := column(&r.stream, sels, share), column(&r.time, sels, share)
	stack, meta := column(&r.stack, sels, share), column(&r.meta, sels, share)
	for i, d := range owners {
		d.Events = Events{Action: action[i], Addr: addr[i], Size: size[i], Stream: stream[i], Stack: stack[i]}
		if slices.ContainsFunc(time[i], func(t int64) bool { return t != NoTime }) {
			d.Events.Time = time[i]
		}
		if slices.ContainsFunc(meta[i], func(m MetaID) bool { return m != 0 }) {
			d.Events.Meta = meta[i]
		}
	}
	return nil
}

// column returns the selected parts of a column.
func column[T any](col *[]T, sels []selection, share bool) [][]T {
	out := make([][]T, len(sels))
	for i, sel := range sels {
		switch {
		case sel.list != nil:
			x := make([]T, len(sel.list))
			for k, row := range sel.list {
				x[k] = (*col)[row]
			}
			out[i] = x
		case share:
			out[i] = (*col)[sel.first : sel.first+sel.n : sel.first+sel.n]
		default:
			out[i] = slices.Clone((*col)[sel.first : sel.first+sel.n])
		}
	}
	*col = nil
	return out
}

func (b *builder) placeAnnotations(s *Snapshot, list pickle.Value) {
	b.root.hasAnnotations = list.IsList()
	for i := range b.h.Len(list) {
		class, n, ok := b.h.At(list, i).Record()
		if !ok || class != classAnnotation || b.annotations[n].bad {
			b.root.annotationsSkipped++
			continue
		}
		s.Annotations = append(s.Annotations, b.annotations[n].a)
	}
}
