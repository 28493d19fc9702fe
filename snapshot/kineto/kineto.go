// Package kineto reads the traces that torch.profiler writes, and makes of their memory events what package snapshot
// holds of a snapshot's: allocs and frees in order, with stacks. profiler-files.md, section 1, has the rules.
//
// Reading is one pass: of the millions of events in a trace only those about memory are kept, and the spans that say
// who asked for it.
package kineto

import (
	"errors"
	"math"
)

// None is a number that an event does not have.
const None int64 = math.MinInt64

// Errors of Read beside those of its reader.
var (
	ErrNotTrace = errors.New("not a trace of the PyTorch profiler")
	ErrMemory   = errors.New("the trace takes more memory than the limit allows")
)

// A Trace is a file as it was read. Times are nanoseconds since the Unix epoch, or since an unknown moment if
// Relative.
type Trace struct {
	Header  Header
	Texts   []string // names of events and what else is text; 0 is ""
	Threads []Thread
	Memory  []Memory // in file order
	Spans   []Span   // in file order
	Ops     []Op     // of those spans that have one
	Flows   []Flow   // from forward to backward, in file order

	Relative  bool // the file does not tell where its times begin
	NoKineto  bool // a bare list: written without Kineto
	Events    int  // all in the file
	Mended    int  // events whose name had to be mended
	Skipped   int  // events that could not be read
	FirstBad  int64
	Cut       bool // the file ends too early
	CutReason string
}

// A Header is what a trace says of itself.
type Header struct {
	Devices []Properties // deviceProperties
	Rank    int          // of distributedInfo, -1 without
	World   int          // ranks there are, 0 if not told
	Host    string
	// Recorded says which options of the profiler were on: "profile_memory", "with_stack", …
	Recorded map[string]bool
	base     int64
	hasBase  bool
}

// Properties are those of a GPU.
type Properties struct {
	ID     int    `json:"id"`
	Name   string `json:"name"`
	Memory int64  `json:"totalGlobalMem"` // bytes
}

// A Thread is one that events are of.
type Thread struct {
	PID, TID string
	Name     string // "" if the file does not tell
}

// A Memory is one [memory] or [OutOfMemory] event.
type Memory struct {
	Time   int64
	Order  int64 // among events of the same time
	Bytes  int64 // negative: a free; of an OOM what was asked for
	Addr   int64 // None in files of before PyTorch 1.10
	Total  int64 // allocated on the device after it, None where not told
	Held   int64 // reserved on the device after it, None where not told
	Thread uint32
	Device DeviceID
	OOM    bool
}

// A DeviceID is a device by c10's numbers: Type 0 is the CPU, 1 CUDA, 6 HIP, …; Index −1 is the only one.
type DeviceID struct{ Type, Index int16 }

// Kind says what a span is.
type Kind uint8

// The kinds of spans that are kept.
const (
	OpSpan     Kind = iota // an operator
	Annotation             // a user's annotation, or a step of the profiler
	Frame                  // a call in Python
)

// A Span is something that lasted.
type Span struct {
	Start, End int64
	Text       uint32 // its name
	Thread     uint32
	Op         int32 // index of Trace.Ops, -1 without
	Kind       Kind
}

// An Op is what is said of an operator beyond its span.
type Op struct {
	Sequence int64  // number of its autograd node, None without
	Forward  int64  // the thread of the forward pass: 0 in that itself, None if not told
	Stack    uint32 // text of "Call stack", in files of before 1.11
	Shapes   uint32 // text of "Input Dims"
}

// A Flow is an end of an arrow from an operator to its backward.
type Flow struct {
	ID      int64
	Time    int64
	Thread  uint32
	Forward bool // the end in the forward pass
}

// Text returns a text by its number.
func (t *Trace) Text(id uint32) string { return t.Texts[id] }
