// Package snapshot reads PyTorch memory snapshots, the files of torch.cuda.memory._dump_snapshot, into columns.
//
// A [Snapshot] is immutable once [Open] or [Read] returned it, so goroutines share it without locks. What a file
// has in millions (events, blocks, frames of stacks) is held as structs of slices; strings, frames, stacks, streams
// and metadata are interned, so that an event takes a fixed number of bytes.
//
// A pickle is decoded in one pass: package pickle hands every complete dict to the schema (type builder), which
// classifies it by its keys, stores it in columns or tables, and leaves a record in its place. JSON feeds the same
// schema. A pickle that needs more than plain data is decoded by gopickle, whose values then go through the schema
// too; nothing that a pickle names is ever imported or called. A damaged file yields what was complete before the
// damage, with a Finding.
//
// FORMAT.md describes the file format, PERFORMANCE.md what makes reading fast and what was tried.
package snapshot

import (
	"strata/layout/units"
	"strata/snapshot/kineto"
)

// A Snapshot is one file: the traces and the final allocator state of every device in it.
type Snapshot struct {
	Source Source

	// Devices holds the devices that have events or segments, ascending by Index. Devices never share addresses.
	Devices []Device

	// Host is the pinned host memory (2.13+; FORMAT.md, section 7.4): its Index is -1. Nil when the file has no
	// host events and no host segments.
	Host *Device

	Annotations []Annotation // external annotations in recording order, all devices (FORMAT.md, section 5.1)
	Settings    []Setting    // allocator_settings, flattened, in file order (FORMAT.md, section 6)

	Strings []string // interned; StringID indexes it; 0 is ""
	Frames  Frames   // distinct frames
	Stacks  Stacks   // distinct call stacks
	Streams []int64  // distinct raw stream values; StreamID indexes it; 0 is stream 0
	Pools   []Pool   // distinct pool ids; PoolID indexes it; 0 is "not recorded"
	Metas   []Meta   // distinct event metadata; MetaID indexes it; 0 is "none"

	Spans   Spans // of a trace, thread by thread as they begin
	Threads []Thread

	// Findings is what the reader has to say about the file, gravest first.
	Findings []Finding

	own OwnCode // see WithOwnCode
}

// Source says where a snapshot came from.
type Source struct {
	Name        string // file name or path as given; "" when read from memory
	Bytes       int64  // size of the file as stored, compressed if it was
	RawBytes    int64  // size after decompression
	Compression string // "none", "gzip", …
	Protocol    int    // highest pickle protocol announced; 0 when none was (protocols 0, 1)
	Reader      string // which reader decoded it: "stream", "gopickle", "json", ReaderTrace or ReaderTimeline
	Maker       string // MakerROCm, MakerXPU, MakerNPU, or "" for CUDA
	Rank, World int    // of a trace: its rank among so many processes; World is 0 where the file does not tell
	Version     string // PyTorch versions that may have written it (FORMAT.md, section 1.3), such as "2.5–2.7", or ""
}

// IDs index the tables of a Snapshot. The zero value always means "none".
type (
	StringID uint32
	FrameID  uint32
	StackID  uint32
	StreamID uint32
	PoolID   uint32
	MetaID   uint32
)

// Action is the kind of a trace event (FORMAT.md, section 3.2).
type Action uint8

// The actions of FORMAT.md, section 3.2. ActionOther stands for names this program does not know; such events are
// kept out of Events and counted in a Finding.
const (
	ActionOther Action = iota
	ActionAlloc
	ActionFreeRequested
	ActionFreeCompleted
	ActionFree // request and completion in one
	ActionSegmentAlloc
	ActionSegmentFree
	ActionSegmentMap
	ActionSegmentUnmap
	ActionSnapshot
	ActionOOM
	ActionAnnotate
	ActionWorkspaceSnapshot
	ActionUserDefined
)

// String is the action's name in files, "other" of ActionOther.
func (a Action) String() string {
	return [...]string{ActionOther: "other", ActionAlloc: "alloc", ActionFreeRequested: "free_requested",
		ActionFreeCompleted: "free_completed", ActionFree: "free", ActionSegmentAlloc: "segment_alloc",
		ActionSegmentFree: "segment_free", ActionSegmentMap: "segment_map", ActionSegmentUnmap: "segment_unmap",
		ActionSnapshot: "snapshot", ActionOOM: "oom", ActionAnnotate: "annotate",
		ActionWorkspaceSnapshot: "workspace_snapshot", ActionUserDefined: "user_defined"}[a]
}

// NoTime is the time of an event that has none in a trace where others do.
const NoTime int64 = -1 << 63

// Events is one device's trace in recording order (the truth: never re-sorted by time, FORMAT.md, section 3.3). All
// slices have the same length, but Time and Meta are nil when no event of the trace has one.
type Events struct {
	Action []Action
	Addr   []uint64   // block or segment start; for ActionOOM the driver's free bytes (device_free)
	Size   []int64    // bytes; requested bytes for alloc and free; never negative
	Stream []StreamID // index into Snapshot.Streams
	Time   []int64    // microseconds since the Unix epoch, NoTime where missing; or nil
	Stack  []StackID
	Meta   []MetaID // or nil
}

// Len is the number of events.
func (e *Events) Len() int { return len(e.Action) }

// A Device is one device's trace and its allocator state at the dump.
type Device struct {
	Index    int    // device index as PyTorch numbers them; -1 for host memory
	Name     string // of a trace's device, such as "GPU 0" or "CPU"; "" in snapshots, see Title
	Model    string // what the file calls the GPU, "" where it does not
	Memory   int64  // bytes of the whole device, 0 where the file does not tell
	Events   Events
	Segments []Segment // in file order
	Blocks   Blocks    // of all segments, in file order; Segment.First and Segment.End index it
	Notes    []int32   // its annotate events, ascending indexes of Events; their texts are Meta.User
	Series   []Series
	Bands    *Bands // of a memory timeline, which has no events; else nil
	Figures  []byte // of a trace's device: JSON of a kineto.Figures

	// Overflowed reports that the file itself says the ring buffer wrapped.
	Overflowed bool
}

// Title is what to call the device.
func (d *Device) Title() string {
	if d.Name != "" {
		return d.Name
	}
	return units.Device(d.Index)
}

// Reserved is what the allocator held from the driver at the end, bytes.
func (d *Device) Reserved() (bytes int64) {
	for i := range d.Segments {
		bytes += d.Segments[i].Size
	}
	if s := d.SeriesOf(SeriesReserved); s != nil {
		bytes += s.Bytes[len(s.Bytes)-1]
	}
	return bytes
}

// SeriesOf is the series of a name, nil if there is none or it is empty.
func (d *Device) SeriesOf(name string) *Series {
	for i := range d.Series {
		if s := &d.Series[i]; s.Name == name && len(s.Bytes) > 0 {
			return s
		}
	}
	return nil
}

// SeriesReserved is the name of the Series of what the allocator holds from the driver.
const SeriesReserved = "reserved"

// UnknownBytes is a value of a Series where its file tells none.
const UnknownBytes int64 = -1

// A Series is a figure of a device over time that its events do not add up to: Bytes[i] holds from Time[i]
// (microseconds since the Unix epoch) on.
type Series struct {
	Name  string
	File  string // that was laid over the snapshot, "" of the snapshot's own
	Time  []int64
	Bytes []int64
}

// A Segment is a contiguous range the allocator holds from the driver (FORMAT.md, section 2.1).
type Segment struct {
	Addr       uint64
	Size       int64 // total_size, bytes
	Allocated  int64 // allocated_size, bytes
	Active     int64 // active_size, bytes
	Requested  int64 // requested_size, bytes; 0 when not recorded
	Stream     StreamID
	Pool       PoolID
	Large      bool // segment_type "large"
	Expandable bool
	Stack      StackID
	Forward    StackID // forward_frames, as a stack of text frames
	First, End int32   // its blocks are Blocks[First:End]
}

// BlockState is the state of a block at the dump (FORMAT.md, section 2.2).
type BlockState uint8

// The states of FORMAT.md, section 2.2; active_awaiting_free is read as BlockPendingFree.
const (
	BlockInactive BlockState = iota
	BlockAllocated
	BlockPendingFree
	BlockUnknown // a state string this program does not know
)

// Blocks is a structure of equally long slices.
type Blocks struct {
	Addr      []uint64 // computed from the segment where the file has none (before 2.1)
	Size      []int64  // bytes occupied
	Requested []int64  // bytes asked for; history[0].real_size, else Size, where not recorded (FORMAT.md, section 2.3)
	State     []BlockState
	Stack     []StackID // history[0].frames in the old form
	Forward   []StackID // forward_frames; or nil when no block has any
}

// Len is the number of blocks.
func (b *Blocks) Len() int { return len(b.Addr) }

// Frames is the table of distinct frames, structure of slices. Index 0 is a placeholder that no stack names.
type Frames struct {
	Name []StringID
	File []StringID
	Line []int32        // 0: none or unknown (FORMAT.md, section 4.1)
	FX   map[FrameID]FX // torch.fx fields of the few frames that have them
}

// FX is what augment_with_fx_traces adds to a frame (FORMAT.md, section 4.3).
type FX struct {
	Op, Node, Target, OriginalTrace StringID
}

// Stacks is the table of distinct call stacks, innermost frame first. Stack 0 is the empty one: "no stack
// recorded".
type Stacks struct {
	Start []uint32  // len = number of stacks + 1
	Frame []FrameID // the frames of all stacks, one after another
	Site  []FrameID // by stack: its innermost frame of the user's own code, else the most telling; 0 if all are noise
}

// Of returns the frames of a stack, innermost first. The caller must not change them.
func (s *Stacks) Of(id StackID) []FrameID { return s.Frame[s.Start[id]:s.Start[id+1]] }

// Len is the number of stacks, the empty one included.
func (s *Stacks) Len() int { return len(s.Start) - 1 }

// Pool is a memory pool's id: (0,0) the default, (0,n) a user MemPool, (n,0) a CUDA graph's (FORMAT.md, section
// 2.1).
type Pool struct{ A, B int64 }

// Meta is what an event may carry beside its columns (FORMAT.md, section 3.1).
type Meta struct {
	CompileContext StringID // "N/A" is stored as 0
	User           StringID // user_metadata; a dict is written as key = value lines
	Internal       StringID // internal_metadata
	Category       StringID // of profiler conversions (FORMAT.md, section 7.5)
	Pool           PoolID   // pool_id
	Forward        StackID  // forward_frames, as a stack of text frames (Name only)

	// Of traces: the outermost operator, the innermost torch.nn.Module, the step of the profiler, and the thread that
	// asked.
	Op, Module, Step, Thread StringID
}

// Annotation is one external annotation (FORMAT.md, section 5.1).
type Annotation struct {
	Start  bool // stage START; otherwise END
	Name   StringID
	Device int32
	Time   int64    // microseconds since the Unix epoch
	Extra  StringID // what else the file says of it, as key = value lines
}

// SpanKind says what a span of a trace is.
type SpanKind uint8

// The kinds of spans: operators, annotations with the profiler's steps, and calls in Python.
const (
	SpanOperator SpanKind = iota
	SpanAnnotation
	SpanPython
)

// String is the category that traces give the kind.
func (k SpanKind) String() string {
	return [...]string{"cpu_op", "user_annotation", "python_function"}[k]
}

// NoSequence is Spans.Sequence of what has none.
const NoSequence = kineto.None

// Spans is what lasted in a trace, a structure of equally long slices.
type Spans struct {
	Name       []StringID
	Kind       []SpanKind
	Thread     []uint32 // index of Snapshot.Threads
	Start, End []int64  // nanoseconds since the Unix epoch
	Parent     []int32  // the span around it in its thread, -1 without; less than its own index
	Sequence   []int64  // number of an operator's autograd node, NoSequence without
	Shapes     []StringID
}

// Thread is a thread of a trace.
type Thread struct{ PID, TID, Name string }

// Setting is one allocator setting; nested ones have keys joined by dots.
type Setting struct{ Key, Value string }

// All returns the devices, host memory last.
func (s *Snapshot) All() (all []*Device) {
	for i := range s.Devices {
		all = append(all, &s.Devices[i])
	}
	if s.Host != nil {
		all = append(all, s.Host)
	}
	return all
}

// LastOOM returns the device whose request was the last to fail for want of memory, and the index of that event; nil if
// none failed. Events without times count as earlier than those with, and among them those of later devices as later.
func (s *Snapshot) LastOOM() (device *Device, event int) {
	latest := NoTime
	for i := range s.Devices {
		d := &s.Devices[i]
		for e := d.Events.Len() - 1; e >= 0; e-- {
			if d.Events.Action[e] != ActionOOM {
				continue
			}
			at := NoTime
			if d.Events.Time != nil {
				at = d.Events.Time[e]
			}
			if device == nil || at >= latest {
				device, event, latest = d, e, at
			}
			break
		}
	}
	return device, event
}

// FirstDevice returns the device to show first: the one that ran out of memory last, else the first with events, host
// memory counting as the last, else the first with segments; nil if there is none.
func (s *Snapshot) FirstDevice() *Device {
	if d, _ := s.LastOOM(); d != nil {
		return d
	}
	for i := range s.Devices {
		if s.Devices[i].Events.Len() > 0 {
			return &s.Devices[i]
		}
	}
	if s.Host != nil && (s.Host.Events.Len() > 0 || len(s.Devices) == 0) {
		return s.Host
	}
	if len(s.Devices) > 0 {
		return &s.Devices[0]
	}
	return nil
}
