package snapshot

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"strata/snapshot/ascend"
	"strata/snapshot/kineto"
	"strata/snapshot/memtimeline"
	"strata/snapshot/unpack"
)

// Options are the options of Open and Read; the zero value is usable.
type Options struct {
	// Progress, when not nil, is called now and then from the reading goroutine with the bytes of the file consumed
	// so far and its size (0 when unknown). It must return quickly.
	Progress func(done, total int64)
	Limits   Limits
	// Phase, when not nil, is called from the same goroutine at the end of each phase, with the bytes processed: those
	// of the file, in PhaseFinish those of its content unpacked.
	Phase func(p Phase, took time.Duration, bytes int64)
}

// Phase is a part of reading a file.
type Phase uint8

// The phases of Open, in their order; Read has the last two.
const (
	PhaseMap    Phase = iota // mapping a big regular file, which is read from the disk while it is decoded
	PhaseRead                // reading any other file
	PhaseDecode              // decompressing and decoding into columns
	PhaseFinish              // assembling the columns, finding what to report
)

// String is the phase in a word.
func (p Phase) String() string { return [...]string{"map", "read", "decode", "finish"}[p] }

// ended reports the end of a phase that began at begun, and returns the time now.
func (o *Options) ended(p Phase, begun time.Time, bytes int64) time.Time {
	now := time.Now()
	if o.Phase != nil {
		o.Phase(p, now.Sub(begun), bytes)
	}
	return now
}

// Kind says what sort of failure an Error is.
type Kind uint8

// The kinds of failure of Open and Read.
const (
	KindIO          Kind = iota // the file could not be read
	KindEmpty                   // no bytes at all
	KindFormat                  // no pickle, or a damaged one of which nothing useful remains
	KindTruncated               // ends too early, and nothing useful remains
	KindNotSnapshot             // a good pickle of something else
	KindLimit                   // a limit of Limits was met
)

// An Error says why a file cannot be used.
type Error struct {
	Kind   Kind
	Name   string // the file, "" if read from memory
	Offset int64  // byte in the decompressed stream, -1 if there is none
	What   string // what is wrong, a sentence without the full stop
	Advice string // what to do, likewise; may be empty
	Err    error  // cause, may be nil
	Image  []byte // a PNG that is all the file holds, else nil
}

// Error is the whole message: file, what, where, what to do.
func (e *Error) Error() string {
	s := e.What
	if e.Offset >= 0 {
		s += fmt.Sprintf(" at byte %d", e.Offset)
	}
	if e.Name != "" {
		s = e.Name + ": " + s
	}
	if e.Advice != "" {
		s += ". " + e.Advice
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Open reads the snapshot in the file at path. The error is an *Error, or ctx.Err() when cancelled.
func Open(ctx context.Context, path string, opt Options) (*Snapshot, error) {
	begun := time.Now()
	profile := ascend.Find(path)
	if profile != nil {
		path = profile.Main
	}
	f, err := unpack.Load(path)
	if err != nil {
		what := "the file cannot be read: " + cause(err)
		return nil, &Error{Kind: KindIO, Name: path, Offset: -1, What: what, Err: err}
	}
	defer f.Release()
	phase := PhaseRead
	if f.Mapped {
		phase = PhaseMap
	}
	opt.ended(phase, begun, int64(len(f.Data)))
	return readPart(ctx, path, f.Data, profile, opt)
}

// cause is an error without the path, which the message has anyway.
func cause(err error) string {
	var pe *os.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}

// Read reads a snapshot from bytes in memory; name is for messages. The snapshot keeps no reference to data.
func Read(ctx context.Context, name string, data []byte, opt Options) (*Snapshot, error) {
	return readPart(ctx, name, data, nil, opt)
}

// readPart is Read of a file that may be part of a profile.
func readPart(ctx context.Context, name string, data []byte, p *ascend.Profile, opt Options) (*Snapshot, error) {
	if len(data) == 0 {
		return nil, &Error{Kind: KindEmpty, Name: name, Offset: -1, What: "the file is empty",
			Advice: "Dump the snapshot again, and see whether the disk was full"}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	begun := time.Now()
	size := int64(len(data))
	d := &decoding{
		ctx: ctx, opt: opt, lim: opt.Limits.forFile(size, unpack.Sniff(data).Packed()), total: size,
		src: &Source{Name: name, Bytes: size}, beside: p,
	}
	defer holdMemory(d.lim.Memory)()
	if err := unpack.Guard(data, func() error { return d.decode(data) }); err != nil {
		return nil, d.explain(err)
	}
	d.src.RawBytes = d.raw
	begun = opt.ended(PhaseDecode, begun, d.total)
	var s *Snapshot
	var err error
	switch {
	case d.profile != nil:
		s, err = d.fromTrace()
	case d.categories != nil:
		s = d.fromTimeline()
	default:
		s, err = d.b.finish(d.root)
	}
	if err != nil || d.end != nil && s.nothing() {
		if d.end != nil {
			err = d.end
		}
		return nil, d.explain(err)
	}
	switch s.Source = *d.src; {
	case d.profile != nil:
		s.Findings = d.traceFindings(s)
	case d.categories != nil:
		s.Findings = d.timelineFindings(s)
	default:
		s.Source.Maker = d.b.maker(s)
		s.Source.Version = d.b.version(s.Source.Maker)
		s.Findings = d.findings(s)
	}
	opt.ended(PhaseFinish, begun, d.raw)
	if opt.Progress != nil {
		opt.Progress(d.total, d.total)
	}
	return s, nil
}

// nothing reports whether a snapshot shows nothing at all.
func (s *Snapshot) nothing() bool {
	return len(s.Devices) == 0 && s.Host == nil && len(s.Annotations) == 0
}

// Sniffed is what the head of a file tells of it.
type Sniffed struct {
	Snapshot bool // it looks like one; reading it may still find that it is none
	Packed   bool // it is compressed, so that its content is several times as big
}

// sniffBytes is how many bytes of a file's content Sniff looks at.
const sniffBytes = 64 << 10

// Sniff looks at the head of a file to tell whether it is a snapshot, or a trace that is shown like one. It goes by the
// content, not by the name.
func Sniff(path string) (Sniffed, error) {
	st, err := os.Stat(path)
	if err != nil {
		return Sniffed{}, err
	}
	if !st.Mode().IsRegular() {
		return Sniffed{}, errors.New("it is no regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return Sniffed{}, err
	}
	defer f.Close()
	var head [unpack.SniffBytes]byte
	n, _ := f.ReadAt(head[:], 0)
	s := Sniffed{Packed: unpack.Sniff(head[:n]).Packed()}
	if memtimeline.IsHTML(head[:n]) {
		s.Snapshot = true
		return s, nil
	}
	c, err := unpack.OpenAt(f, st.Size(), sniffBytes)
	if err != nil {
		return s, nil
	}
	defer c.Close()
	content, err := c.Head(sniffBytes)
	if err != nil || len(content) == 0 {
		return s, nil
	}
	if p := ascend.Find(path); p != nil && filepath.Base(p.Main) != filepath.Base(path) {
		return s, nil // opening any part of a profile opens the whole
	}
	switch c.Format {
	case unpack.JSON:
		s.Snapshot = namesSnapshot(content, `"`) || kineto.Is(content) || memtimeline.Is(content)
	case unpack.Table:
		s.Snapshot = true
	default: // the first opcode of a pickled dict or list
		s.Snapshot = bytes.IndexByte([]byte("\x80(}]"), content[0]) >= 0 && namesSnapshot(content, "")
	}
	return s, nil
}

// snapshotKeys are the keys that a snapshot begins with; the last one is of a list of segments.
var snapshotKeys = []uint32{
	sSegments, sDeviceTraces, sAllocatorSettings, sExternalAnnotations, sHostSegments, sHostTraces, sTotalSize,
}

// namesSnapshot reports whether the head of a pickle or of JSON has one of snapshotKeys, between quotes.
func namesSnapshot(head []byte, quote string) bool {
	return slices.ContainsFunc(snapshotKeys, func(k uint32) bool {
		return bytes.Contains(head, []byte(quote+knownStrings[k]+quote))
	})
}

// Limits bound what a file may cost; 0 means the default.
type Limits struct {
	Depth  int   // nesting of containers; default 1000
	Memory int64 // bytes of columns, tables and memo; default by the file's size, at most 8 GiB
	Raw    int64 // bytes after decompression; default 64 GiB
}

// unpacking is how many times the memory limit a file may unpack to. A snapshot takes less than half its size in
// memory.
const unpacking = 16

// MemoryLimit is the Limits for a file that may take so many bytes of memory.
func MemoryLimit(bytes int64) Limits { return Limits{Memory: bytes, Raw: unpacking * bytes} }

const (
	defaultDepth = 1000
	maxMemory    = 8 << 30
	defaultRaw   = 64 << 30
	maxRatio     = 1200 // of compression; gzip alone reaches 1032 at most, snapshots 100
)

// forFile fills in the defaults for a file of size bytes. A snapshot takes half its size in memory if it is big, and a
// few megabytes more if it is small; compressed, it can be a hundred times bigger.
func (l Limits) forFile(size int64, packed bool) Limits {
	if l.Depth <= 0 {
		l.Depth = defaultDepth
	}
	if l.Memory <= 0 {
		factor := int64(8)
		if packed {
			factor = 200
		}
		l.Memory = maxMemory
		if size < maxMemory/factor {
			l.Memory = min(maxMemory, 256<<20+factor*size)
		}
	}
	if l.Raw <= 0 {
		l.Raw = defaultRaw
		if packed {
			l.Raw = min(l.Raw, 1<<30+maxRatio*size)
		}
	}
	return l
}

// held is the memory that all readings in progress may take together.
var held struct {
	sync.Mutex
	readings     int
	base, before int64 // of the process when the first began: its memory, and its limit
	sum          int64
}

// heldSlack is what a reading takes beside what [Limits.Memory] counts: buffers of decompression, and garbage.
const heldSlack = 64 << 20

// holdMemory lets the process grow by bytes until release is called, by the garbage collector's limit. Without it
// garbage takes as much again as what is in use, and a hostile file two or three times its limit. Snapshots come
// nowhere near the limit, so that it does not slow them down.
func holdMemory(bytes int64) (release func()) {
	held.Lock()
	defer held.Unlock()
	if held.readings == 0 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		held.base, held.before, held.sum = int64(m.Sys-m.HeapReleased), debug.SetMemoryLimit(-1), 0
	}
	held.readings++
	bytes = min(bytes, math.MaxInt64/1024) + heldSlack
	held.sum += bytes
	debug.SetMemoryLimit(min(held.before, held.base+held.sum))
	return func() {
		held.Lock()
		defer held.Unlock()
		held.readings--
		held.sum -= bytes
		limit := held.before
		if held.readings > 0 {
			limit = min(limit, held.base+held.sum)
		}
		debug.SetMemoryLimit(limit)
	}
}
