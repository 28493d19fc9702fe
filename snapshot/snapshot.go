// Package snapshot reads PyTorch CUDA memory snapshots, the pickle files of
// torch.cuda.memory._dump_snapshot, into columns.
//
// A [Snapshot] is immutable once [Open] or [Read] returned it: every later
// layer may share it between goroutines without locks. What is counted in
// millions (events, blocks, stack references) is held as structs of slices;
// strings, frames, stacks, streams and event metadata are interned, so that
// an event costs a fixed handful of bytes whatever its stack.
//
// # How a file is read
//
// Containers (gzip, zstd, zip, JSON, HTML) are told by their content. A pickle
// goes through the machine of package pickle in one pass; the schema (type
// builder) is handed every dict as soon as it is complete, knows by its keys
// what it is, puts it into columns or tables, and leaves a number in its place.
// JSON feeds the same machine, so that one schema serves all.
//
// A pickle that needs more than plain data (a class or function other than
// torch's restore_type_tag, a call, an instance, a persistent id, an extension
// code, an out-of-band buffer), or one in which a container changes after
// something else has looked at it (only cycles do that), is read by gopickle
// into generic values, which are then poured into the same schema. Nothing
// that a pickle names is ever called: classes, calls and persistent ids become
// inert values. Where gopickle cannot (damaged files) or should not (its values
// would take more than 2 GiB), our machine reads on and takes what is not plain
// data as opaque.
//
// A file that ends early or breaks off in the middle yields what was complete
// before, with a Finding; an [Error] only if nothing useful remains.
//
// # What was tried, and what it gave
//
// Measured on 2.7 million events with stacks, 509 MB, page cache warm, a shared
// two-core machine, in seconds of CPU time because others were using it too.
// Python's pickle.load takes 19.6 s and 1.9 GB, gopickle 43 s and 4.7 GB.
//
//   - One pass, dicts straight into columns, 8-byte values: 1.6 s.
//   - Recognizing a whole stack by the bytes that spell it (three quarters of
//     the file), guessed from the four stacks before, which is right 97 times of
//     100, instead of decoding its memo gets one by one: 1.4 s. Guessing from
//     only the one stack before was right 67 times of 100 and gained nothing.
//   - Columns and memo as arrays grown by what the share of the file read so far
//     says of the rest, on huge pages, taken over without a last copy, instead
//     of chunks copied at the end: 0.95 s. Touching fresh pages had been a third
//     of the time.
//   - A loop of its own for the dozen opcodes nearly everything consists of, its
//     state in local variables: 0.85 s in a profile, 0.98 s as a program,
//     20 times faster than pickle.load.
//   - The file mapped with its pages populated: 10 ms, against 100 ms to read it.
//     Now a goroutine makes them ready ahead of the reader, as it does for the
//     columns, so that another core pays for it.
//   - Dicts with the keys of an earlier one read in one go (package pickle's
//     shapes), not opcode by opcode over the stack, and metadata compared as
//     they are written: 184 instead of 333 ns an event, both on another machine.
//     Comparing the keys' bytes instead of what they fetch gained nothing more.
//   - Columns that grow as fast as rows came lately, to their full length in two
//     steps: 90 MB less at the peak.
//   - Dicts spelled alike compared with the last one in words of eight bytes, and
//     their values taken from where they lie (package pickle's stencils): 1450
//     instead of about 2000 instructions an event, counted one by one, and 110
//     instead of 160 ns at its best. Stencils of whole dicts gained nothing before what varies in
//     its spelling became a gap in them, before the next one was guessed, right
//     99 times of 100, and before each kind of value had a loop of its own: one
//     loop over all of them spilled its registers at every turn.
//   - Usual events looked at once, not field by field: another 16 ns.
//   - One dict in twenty still went the general way, because a frame had begun in
//     the midst of the one that was last in its place of the guesses: now that
//     must happen twice in a row. With loops over offsets instead of slices, and
//     pairs and metadata compared without branches: 1070 instructions an event.
//   - Integers beyond 60 bits in stencils, and no more stencils traced than dicts
//     that fit allow: 20 instead of 340 ms for 130,000 events at addresses beyond
//     2^63, each of which had been traced in vain.
//   - Dicts as metadata known by the bytes that spell them: 71 instead of 193 ms
//     for 217,000 events, a third of them with one.
//   - Stacks that were not guessed looked up by their bytes: 27 instead of 40 ms
//     for 60,000 events with stacks in random order.
//   - JSON by a tokenizer of our own: 2.3 instead of 22 s for 237 MB, of which
//     encoding/json's decoder spent most on memory.
//   - Profile-guided optimization: a tenth to a fifth faster (before stencils), but
//     the program with all its packages then takes four minutes to compile. Not used.
//   - gzip: decompression in a goroutine of its own, in buffers that the decoder
//     takes over. Buffers of 128 KiB rather than a megabyte, the last one used
//     taken first, so that they stay in the caches: 8 of 100. Up to 128 of them, so
//     that neither half waits while the other is held up: 6 of 100. The bytes as
//     a bytes.Reader, for which the decompressor has a loop of its own: 7 of
//     100. Progress by what has been decoded, not by what was inflated ahead, so that
//     columns are not laid out too small and copied near the end: 6. A side that
//     has to wait waits for eight buffers, as to be woken takes longer than to
//     fill one: 1. Leaving fresh pages to the decoder, as both cores are busy:
//     nothing.
//
// All of it together: 0.61 s by the clock, and 0.58 to 0.73 s compressed with gzip,
// where pickle.load takes 26 s. Beside the mapping, the process takes 242 MB at its peak.
//
// The format is described in the project's snapshot-format.md; "A.5" and the
// like in comments name its sections.
package snapshot

// A Snapshot is one file: the traces and the final allocator state of every
// device in it.
type Snapshot struct {
	Source Source

	// Devices holds the devices that have events or segments, ascending by
	// Index. Devices never share addresses.
	Devices []Device

	// Host is the pinned host memory (2.13+, A.2): its Index is -1. Nil when
	// the file has no host events and no host segments.
	Host *Device

	Annotations []Annotation // external annotations in recording order, all devices (A.7)
	Settings    []Setting    // allocator_settings, flattened, in file order (A.8)

	Strings []string // interned; StringID indexes it; 0 is ""
	Frames  Frames   // distinct frames
	Stacks  Stacks   // distinct call stacks
	Streams []int64  // distinct raw stream values; StreamID indexes it; 0 is stream 0
	Pools   []Pool   // distinct pool ids; PoolID indexes it; 0 is "not recorded"
	Metas   []Meta   // distinct event metadata; MetaID indexes it; 0 is "none"

	// Findings is what the reader has to say about the file, gravest first.
	Findings []Finding
}

// Source says where a snapshot came from.
type Source struct {
	Name        string // file name or path as given; "" when read from memory
	Bytes       int64  // size of the file as stored, compressed if it was
	RawBytes    int64  // size after decompression
	Compression string // "none", "gzip", …
	Protocol    int    // highest pickle protocol announced; 0 when none was (protocols 0, 1)
	Reader      string // which reader decoded it: "stream", "gopickle" or "json"
	Version     string // guess of the PyTorch version range that wrote it (A.11), such as "2.5–2.7"; may be ""
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

// Action is the kind of a trace event (A.5.2).
type Action uint8

// The actions of A.5.2. ActionOther stands for names this program does not
// know; such events are kept out of Events and counted in a Finding.
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

// NoTime is the time of an event that has none in a trace where others do.
const NoTime int64 = -1 << 63

// Events is one device's trace in recording order (the truth: never re-sorted
// by time, A.5.3). All slices have the same length, but Time and Meta are nil
// when no event of the trace has one.
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
	Index    int // device index as PyTorch numbers them; -1 for host memory
	Events   Events
	Segments []Segment // in file order
	Blocks   Blocks    // of all segments, in file order; Segment.First and Segment.End index it

	// Overflowed reports that the file itself says the ring buffer wrapped.
	Overflowed bool
}

// A Segment is a contiguous range the allocator holds from the driver (A.3).
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

// BlockState is the state of a block at the dump (A.4).
type BlockState uint8

// The states of A.4; active_awaiting_free is read as BlockPendingFree.
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
	Requested []int64  // bytes asked for; history[0].real_size, else Size, where not recorded (A.4)
	State     []BlockState
	Stack     []StackID // history[0].frames in the old form
	Forward   []StackID // forward_frames; or nil when no block has any
}

// Len is the number of blocks.
func (b *Blocks) Len() int { return len(b.Addr) }

// Frames is the table of distinct frames, structure of slices. Index 0 is a
// placeholder that no stack names.
type Frames struct {
	Name []StringID
	File []StringID
	Line []int32        // 0: none or unknown (A.6)
	FX   map[FrameID]FX // torch.fx fields of the few frames that have them
}

// FX is what augment_with_fx_traces adds to a frame (A.6).
type FX struct {
	Op, Node, Target, OriginalTrace StringID
}

// Stacks is the table of distinct call stacks, innermost frame first.
// Stack 0 is the empty one: "no stack recorded".
type Stacks struct {
	Start []uint32  // len = number of stacks + 1
	Frame []FrameID // the frames of all stacks, one after another
	Site  []FrameID // per stack: the innermost frame of the user's own code, else the one that tells most; 0 if none but noise
}

// Of returns the frames of a stack, innermost first. The caller must not
// change them.
func (s *Stacks) Of(id StackID) []FrameID { return s.Frame[s.Start[id]:s.Start[id+1]] }

// Len is the number of stacks, the empty one included.
func (s *Stacks) Len() int { return len(s.Start) - 1 }

// Pool is a memory pool's id: (0,0) the default, (0,n) a user MemPool, (n,0)
// a CUDA graph's (A.3).
type Pool struct{ A, B int64 }

// Meta is what an event may carry beside its columns (A.5.1).
type Meta struct {
	CompileContext StringID // "N/A" is stored as 0
	User           StringID // user_metadata; a dict is written as key = value lines
	Internal       StringID // internal_metadata
	Category       StringID // of profiler conversions (A.10)
	Pool           PoolID   // pool_id
	Forward        StackID  // forward_frames, as a stack of text frames (Name only)
}

// Annotation is one external annotation (A.7).
type Annotation struct {
	Start  bool // stage START; otherwise END
	Name   StringID
	Device int32
	Time   int64 // microseconds since the Unix epoch
}

// Setting is one allocator setting; nested ones have keys joined by dots.
type Setting struct{ Key, Value string }
