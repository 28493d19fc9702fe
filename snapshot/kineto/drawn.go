package kineto

// A Drawn is one alloc or free of what is shown of a device: its own events, and between them those that keep the sum
// at what the device says it held (profiler-files.md, rule C).
type Drawn struct {
	Event int32  // of Trace.Memory: that it is, or at whose time it happens
	Made  Made   // what it stands for
	Addr  uint64 // made up where Made
	Bytes int64
	Free  bool
	OOM   bool
}

// Made says what an event stands for that the file does not have.
type Made uint8

// What events are made for.
const (
	Real Made = iota
	// Unseen is memory that the totals tell of, but no event: other threads had it.
	Unseen
	// Unpaired is memory of a file that has no addresses, so that nothing tells which free is of which alloc.
	Unpaired
)

// A Drawing is what is shown of a device.
type Drawing struct {
	Events []Drawn
	// Before is what was allocated before the first event and is not freed by the last, −1 if not known.
	Before int64
	// Odd is the bytes of frees that neither an alloc, nor what was there before, nor Unseen explains.
	Odd int64
	// Excess is the most bytes at any time that is drawn beyond the totals: frees of what is drawn were lost.
	Excess int64
	// Unseen is the most bytes at any time that the totals have beyond the events.
	Unseen int64
	// Unpaired reports that nothing tells which free is of which alloc.
	Unpaired bool
}

// A drawing in progress.
type drawer struct {
	t      *Trace
	out    Drawing
	live   map[uint64]int64 // bytes by address
	sum    int64            // what is drawn as live
	before int64            // of sum: allocated before, and not yet freed
	band   []Drawn          // what is live of Unseen or Unpaired, the last on top
	inBand int64
	made   uint64 // how many addresses were made up
}

// Draw makes the drawing of a device.
func (s *Stacks) Draw(d *Device) Drawing {
	w := &drawer{t: s.t, live: map[uint64]int64{}}
	known, before := false, int64(0)
	for _, i := range d.Events {
		m := &s.t.Memory[i]
		if before += m.Bytes; m.Total != None {
			w.before, known = max(0, m.Total-before), true
			break
		}
	}
	if w.out.Unpaired = !s.t.paired(d); w.out.Unpaired {
		w.unpaired(d)
		w.out.Before = w.before
		return w.out
	}
	w.sum = w.before
	w.merged(d, func(i int32) {
		if m := &s.t.Memory[i]; m.Bytes > 0 {
			w.alloc(i, m)
		} else if m.Bytes < 0 {
			w.free(i, m)
		} else if m.Total != None {
			w.level(i, m.Total-w.sum, Unseen)
		}
	})
	if w.out.Before = w.before; !known {
		w.out.Before = -1
	}
	return w.out
}

// merged calls do for the events of a device in order, and draws its failed requests between them.
func (w *drawer) merged(d *Device, do func(i int32)) {
	ooms := d.OOMs
	for _, i := range d.Events {
		for len(ooms) > 0 && w.t.Memory[ooms[0]].before(&w.t.Memory[i]) < 0 {
			w.oom(ooms[0])
			ooms = ooms[1:]
		}
		do(i)
	}
	for _, i := range ooms {
		w.oom(i)
	}
}

func (w *drawer) oom(i int32) {
	w.out.Events = append(w.out.Events, Drawn{Event: i, Bytes: max(0, w.t.Memory[i].Bytes), OOM: true})
}

// paired reports whether the addresses of a device tell which free is of which alloc. Some builds give all events the
// same (profiler-files.md, section 1.3).
func (t *Trace) paired(d *Device) bool {
	live := map[int64]bool{}
	allocs, onLive := 0, 0
	for _, i := range d.Events {
		m := &t.Memory[i]
		switch {
		case m.Addr == None:
			return false
		case m.Bytes > 0:
			if allocs++; live[m.Addr] {
				onLive++
			}
			live[m.Addr] = true
		default:
			delete(live, m.Addr)
		}
	}
	return onLive < 8 || 2*onLive < allocs
}

func (w *drawer) add(e Drawn) { w.out.Events = append(w.out.Events, e) }

// alloc draws an alloc of the file.
func (w *drawer) alloc(i int32, m *Memory) {
	addr := uint64(m.Addr)
	if n, is := w.live[addr]; is { // its free was lost
		w.sum -= n
		w.add(Drawn{Event: i, Made: Unseen, Addr: addr, Bytes: n, Free: true})
	}
	if m.Total != None {
		w.level(i, m.Total-m.Bytes-w.sum, Unseen)
	}
	w.live[addr] = m.Bytes
	w.sum += m.Bytes
	w.add(Drawn{Event: i, Addr: addr, Bytes: m.Bytes})
}

// free draws a free of the file: of what is live, else of what was there before, else of what the band holds.
func (w *drawer) free(i int32, m *Memory) {
	addr, n := uint64(m.Addr), -m.Bytes
	size, is := w.live[addr]
	switch {
	case is:
		delete(w.live, addr)
		w.sum -= size
	case w.before >= n:
		w.before -= n
		w.sum -= n
	case w.inBand >= n:
		w.shrink(i, n)
		w.add(Drawn{Event: i, Made: Unseen, Addr: addr, Bytes: n})
	default:
		w.out.Odd += n
		n = 0
	}
	w.add(Drawn{Event: i, Addr: addr, Bytes: n, Free: true})
	if m.Total != None {
		w.level(i, m.Total-w.sum, Unseen)
	}
}

// level changes the band by as many bytes as the total of the device differs from what is drawn.
func (w *drawer) level(i int32, by int64, made Made) {
	switch {
	case by > 0:
		w.grow(i, by, made)
	case by < 0:
		n := min(-by, w.inBand)
		w.shrink(i, n)
		if more := min(-by-n, w.before); more > 0 { // then something from before was freed
			w.before -= more
			w.sum -= more
			w.add(Drawn{Event: i, Made: made, Addr: w.address(), Bytes: more, Free: true})
			n += more
		}
		w.out.Excess = max(w.out.Excess, -by-n)
	}
}

// address makes up an address. Those of the highest bytes are of nobody.
func (w *drawer) address() uint64 {
	w.made++
	return -w.made
}

// grow puts bytes on the band.
func (w *drawer) grow(i int32, n int64, made Made) {
	e := Drawn{Event: i, Made: made, Addr: w.address(), Bytes: n}
	w.band = append(w.band, e)
	w.inBand += n
	w.sum += n
	w.out.Unseen = max(w.out.Unseen, w.inBand)
	w.add(e)
}

// shrink takes bytes from the band, which has as many.
func (w *drawer) shrink(i int32, n int64) {
	for n > 0 {
		top := w.band[len(w.band)-1]
		w.band = w.band[:len(w.band)-1]
		w.inBand -= top.Bytes
		w.sum -= top.Bytes
		n -= top.Bytes
		top.Event, top.Free = i, true
		w.add(top)
		if n < 0 {
			w.grow(i, -n, top.Made)
		}
	}
}

// unpaired draws a device as one band, as its events do not tell which free is of which alloc. Without totals it begins
// with the least that it can have held: as much as is freed without having been allocated.
func (w *drawer) unpaired(d *Device) {
	if w.before == 0 {
		run := int64(0)
		for _, i := range d.Events {
			run += w.t.Memory[i].Bytes
			w.before = max(w.before, -run)
		}
	}
	w.sum = w.before
	w.merged(d, func(i int32) {
		m := &w.t.Memory[i]
		by := m.Bytes
		if m.Total != None {
			by = m.Total - w.sum
		}
		w.level(i, by, Unpaired)
	})
	w.out.Unseen = 0
}
