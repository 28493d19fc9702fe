package snapshot

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"strata/snapshot/ascend"
	"strata/snapshot/kineto"
	"strata/snapshot/unpack"
)

// ReaderTrace is Source.Reader of a trace of torch.profiler.
const ReaderTrace = "trace"

// ReaderAscend is Source.Reader of the tables of torch_npu's profiler.
const ReaderAscend = "ascend"

// IsTrace reports whether the snapshot was made of a trace of torch.profiler, or of the tables of torch_npu's, which
// have no segments, pools and requested sizes.
func (s *Snapshot) IsTrace() bool {
	return s.Source.Reader == ReaderTrace || s.Source.Reader == ReaderAscend
}

// LacksAllocator says why the file tells nothing of the allocator's segments and what to do, as it is of a profiler; ""
// of snapshots.
func (s *Snapshot) LacksAllocator() string {
	what, module := "", "torch.cuda"
	switch s.Source.Reader {
	case ReaderTrace:
		what = "A trace of torch.profiler does"
	case ReaderAscend:
		what, module = "The tables of torch_npu's profiler do", "torch_npu.npu"
	case ReaderTimeline:
		what = "A memory timeline of torch.profiler does"
	default:
		return ""
	}
	return what + " not tell of segments; for the allocator's state write a snapshot: " + module +
		".memory._dump_snapshot"
}

// trace reads a trace of torch.profiler.
func (d *decoding) trace(r io.Reader) error {
	d.reset()
	d.src.Reader = ReaderTrace
	var err error
	d.profile, d.raw, err = kineto.Read(r, kineto.Options{Tick: d.tick, Memory: d.lim.Memory / 2})
	return err
}

// ascend reads tables of torch_npu's profiler.
func (d *decoding) ascend(c *unpack.Content) error {
	d.reset()
	d.src.Reader = ReaderAscend
	data, err := d.whole(c, d.lim.Memory/8)
	if err != nil {
		return err
	}
	tick := func(int64) error { return d.tick(d.raw) } // what is beside the file is not part of its size
	d.npu, err = ascend.Read(data, d.beside, kineto.Options{Tick: tick, Memory: d.lim.Memory / 2})
	switch {
	case errors.Is(err, kineto.ErrMemory), d.ctx.Err() != nil:
		return err
	case err != nil:
		return &timelineError{err}
	}
	d.profile = d.npu.Trace
	return nil
}

// A tracer makes a snapshot of a trace.
type tracer struct {
	b      *builder
	s      *Snapshot
	t      *kineto.Trace
	stacks *kineto.Stacks
	calls  map[kineto.Call]FrameID
	stack  map[[4]int32]StackID
	npu    *ascend.Reading // that the trace is of, else nil
	// made are the stacks of what no event of the file tells of.
	unseen, unpaired StackID
	found            traceFound
}

// fromTrace makes a snapshot of the trace that was read.
func (d *decoding) fromTrace() (*Snapshot, error) {
	t := d.profile
	if len(t.Memory) == 0 {
		return nil, errNoMemoryEvents
	}
	w := &tracer{b: d.b, s: &Snapshot{Source: *d.src}, t: t, stacks: kineto.NewStacks(t),
		calls: map[kineto.Call]FrameID{}, stack: map[[4]int32]StackID{}, npu: d.npu}
	unseen := "allocated by threads that were not profiled: in the totals, not in the events"
	if d.npu != nil {
		unseen = "workspace and what no operator asked for: in the totals, not in operator_memory.csv"
	}
	w.unseen = w.single(unseen)
	w.unpaired = w.single("all memory: this trace does not tell which free is of which allocation")
	used := map[int]bool{}
	devices := t.Devices()
	for i := range devices {
		p := &devices[i]
		if len(p.Events)+len(p.OOMs) == 0 && len(p.Mapped) == 0 {
			continue
		}
		dev := w.device(p)
		if p.ID.Type == 0 && w.s.Host == nil {
			dev.Index = -1
			w.s.Host = dev
			continue
		}
		dev.Index = max(0, int(p.ID.Index))
		for used[dev.Index] { // another kind of device, or of another process, has that number
			dev.Index++
		}
		used[dev.Index] = true
		w.s.Devices = append(w.s.Devices, *dev)
	}
	slices.SortFunc(w.s.Devices, func(x, y Device) int { return cmp.Compare(x.Index, y.Index) })
	k := tracks{s: w.s, t: t, intern: w.b.intern, first: math.MinInt64, last: math.MaxInt64, device: -1}
	if len(w.s.Devices) > 0 { // else it is the CPU's
		k.device = int32(w.s.Devices[0].Index)
	}
	w.b.h.Spend(40 * len(t.Spans))
	k.annotations()
	k.spans()
	if h := &t.Header; h.Rank >= 0 {
		d.src.Rank, d.src.World = h.Rank, max(h.World, h.Rank+1)
	}
	w.found.python = slices.ContainsFunc(w.b.frames.File, func(f StringID) bool { return f != 0 })
	b, s := w.b, w.s
	s.Strings, s.Frames, s.Streams, s.Pools, s.Metas = b.strs.items, b.frames, b.streams.items, b.pools.items,
		b.metas.items
	s.Stacks = Stacks{Start: b.stacks.start, Frame: b.stacks.frame}
	s.Stacks.Site = s.sites()
	d.found = w.found
	return s, nil
}

// single is the stack of one frame that is a sentence.
func (w *tracer) single(text string) StackID {
	return w.b.stacks.add(w.b.h, []FrameID{w.b.frameFor(frameKey{name: w.b.intern(text)})})
}

// device makes the columns of a device.
func (w *tracer) device(p *kineto.Device) *Device {
	dev := &Device{Name: deviceName(p)}
	for _, known := range w.t.Header.Devices {
		if known.ID == int(p.ID.Index) && (p.ID.Type == 1 || p.ID.Type == 6) {
			dev.Model, dev.Memory = known.Name, known.Memory
		}
	}
	figures := w.stacks.Figures(p)
	dev.Figures, _ = json.Marshal(figures)
	w.found.mapped += figures.Mapped
	if figures.Counts != nil && figures.Pairs != nil {
		w.found.onLive += figures.OnLive
		w.found.size += figures.OtherSize
	}
	drawing := w.stacks.Draw(p)
	w.found.unseen = max(w.found.unseen, drawing.Unseen)
	w.found.odd += drawing.Odd
	w.found.excess = max(w.found.excess, drawing.Excess)
	w.found.unpaired = w.found.unpaired || drawing.Unpaired
	w.events(dev, drawing.Events)
	w.reserved(dev, p)
	w.tables(dev, p.ID)
	if drawing.Before > 0 {
		w.found.before += drawing.Before
		// An address that no allocation has, as the made ones count down from the highest.
		dev.Blocks = Blocks{Addr: []uint64{1}, Size: []int64{drawing.Before}, Requested: []int64{drawing.Before},
			State: []BlockState{BlockAllocated}, Stack: []StackID{0}}
	}
	return dev
}

func deviceName(p *kineto.Device) string {
	name := ""
	switch p.ID.Type {
	case ascend.PTA:
		name = "NPU " + strconv.Itoa(int(p.ID.Index))
	case ascend.GE:
		name = "NPU " + strconv.Itoa(int(p.ID.Index)) + ", graph engine"
	case 0:
		name = "CPU"
	case 1, 6:
		name = "GPU " + strconv.Itoa(max(0, int(p.ID.Index)))
	default:
		kind, index, _ := strings.Cut(p.ID.String(), ":")
		name = strings.TrimSpace(strings.ToUpper(kind) + " " + index)
	}
	if p.PID != "" {
		name += " of process " + p.PID
	}
	return name
}

// events fills the columns of events.
func (w *tracer) events(dev *Device, drawn []kineto.Drawn) {
	e := &dev.Events
	n := len(drawn)
	e.Action, e.Addr, e.Size = make([]Action, n), make([]uint64, n), make([]int64, n)
	e.Stream, e.Time, e.Stack = make([]StreamID, n), make([]int64, n), make([]StackID, n)
	e.Meta = make([]MetaID, n)
	for k, x := range drawn {
		e.Addr[k], e.Size[k] = x.Addr, x.Bytes
		e.Time[k] = w.t.Memory[x.Event].Time / 1000
		if w.npu != nil && x.Made == kineto.Real {
			e.Stream[k] = w.b.streams.add(w.b.h, w.npu.Streams[x.Event], 32)
		}
		switch {
		case x.OOM:
			e.Action[k], e.Addr[k] = ActionOOM, UnknownFree
		case x.Free:
			e.Action[k] = ActionFree
		default:
			e.Action[k] = ActionAlloc
		}
		switch x.Made {
		case kineto.Unseen:
			e.Stack[k] = w.unseen
		case kineto.Unpaired:
			e.Stack[k] = w.unpaired
		default:
			e.Stack[k], e.Meta[k] = w.stackOf(x.Event), w.meta(x.Event)
		}
	}
}

// reserved makes a line of what the events say is reserved.
func (w *tracer) reserved(dev *Device, p *kineto.Device) {
	line := Series{Name: SeriesReserved}
	for _, i := range p.Events {
		m := &w.t.Memory[i]
		if n := len(line.Bytes); m.Held == kineto.None || n > 0 && line.Bytes[n-1] == m.Held {
			continue
		}
		line.Time, line.Bytes = append(line.Time, m.Time/1000), append(line.Bytes, m.Held)
	}
	if slices.ContainsFunc(line.Bytes, func(n int64) bool { return n != 0 }) {
		dev.Series = append(dev.Series, line)
	}
}

// tables takes what the tables of torch_npu's profiler tell of a device beside its events.
func (w *tracer) tables(dev *Device, id kineto.DeviceID) {
	if w.npu == nil {
		return
	}
	dev.Figures = nil
	if id.Type != ascend.PTA {
		return
	}
	dev.Figures, _ = json.Marshal(kineto.Figures{Name: dev.Name, Events: dev.Events.Len(), Tables: w.npu.Figures})
	for _, l := range w.npu.Lines {
		if l.Device == id.Index {
			name := clean(l.Component + " " + l.Name)
			dev.Series = append(dev.Series, Series{Name: name, Time: l.Times, Bytes: l.Bytes})
		}
	}
}

// stackOf is the stack of an event.
func (w *tracer) stackOf(event int32) StackID {
	key := w.stacks.Key(event)
	if id, known := w.stack[key]; known {
		return id
	}
	buf := w.b.stacks.buf[:0]
	for _, c := range w.stacks.Of(event) {
		frame, known := w.calls[c]
		if !known {
			frame = w.b.frameFor(w.frame(c))
			w.calls[c] = frame
		}
		buf = append(buf, frame)
	}
	w.b.stacks.buf = buf
	id := w.b.stacks.add(w.b.h, buf)
	w.stack[key] = id
	return id
}

// frame takes a Python frame's name apart: "file.py(12): function".
func (w *tracer) frame(c kineto.Call) frameKey {
	file, name, cut := strings.Cut(c.Text, "): ")
	open := strings.LastIndexByte(file, '(')
	if !c.Python || !cut || open < 0 {
		return frameKey{name: w.b.intern(clean(c.Text))}
	}
	line, err := strconv.ParseInt(file[open+1:], 10, 32)
	if err != nil {
		return frameKey{name: w.b.intern(clean(c.Text))}
	}
	return frameKey{name: w.b.intern(clean(name)), file: w.b.intern(clean(file[:open])), line: int32(max(0, line))}
}

// meta says which operator, module and thread asked.
func (w *tracer) meta(event int32) MetaID {
	th := &w.t.Threads[w.t.Memory[event].Thread]
	thread := cmp.Or(th.Name, "thread "+th.TID)
	return w.b.metas.add(w.b.h, Meta{Op: w.b.intern(clean(w.stacks.Op(event))),
		Module: w.b.intern(clean(w.stacks.Module(event))), Step: w.b.intern(clean(w.stacks.Step(event))),
		Thread: w.b.intern(clean(thread))}, 80)
}

// UnknownFree is Events.Addr of an ActionOOM where the file does not tell what the driver had free.
const UnknownFree uint64 = math.MaxUint64
