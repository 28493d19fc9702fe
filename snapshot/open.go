package snapshot

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"strata/snapshot/ascend"
	"strata/snapshot/jsontext"
	"strata/snapshot/kineto"
	"strata/snapshot/memtimeline"
	"strata/snapshot/pickle"
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

// Advice that several errors have in common.
const (
	adviceLimit   = "If the file is an honest one, raise the limit: strata --memory-limit 16GiB FILE"
	adviceOpens   = "Strata opens what torch.cuda.memory._dump_snapshot and torch.profiler write"
	adviceRedump  = "Dump the snapshot again, or copy it again"
	adviceProfile = "Record with torch.profiler.profile(profile_memory=True, with_stack=True, record_shapes=True). " +
		"What it has of annotations and operators can be laid over a snapshot of the same run: strata run.pickle " +
		"--with trace.json"
)

// errNoMemoryEvents is the error of a trace of torch.profiler with nothing to show.
var errNoMemoryEvents = errors.New("no events about memory")

// explain makes an *Error of what ended reading; ctx.Err() stays as it is.
func (d *decoding) explain(err error) error {
	if d.ctx.Err() != nil {
		return d.ctx.Err()
	}
	e := &Error{Kind: KindFormat, Name: d.src.Name, Offset: -1, Err: err}
	var inPickle *pickle.Error
	if errors.As(err, &inPickle) {
		e.Offset = inPickle.Offset
	}
	say := func(kind Kind, what, advice string) { e.Kind, e.What, e.Advice = kind, what, advice }
	var packed *unpack.Error
	var page *pictureError
	var timeline *timelineError
	truncated := errors.Is(err, pickle.ErrTruncated)
	switch {
	case errors.Is(err, unpack.ErrFault):
		say(KindIO, unpack.ErrFault.Error(), "Copy the file to a local disk and open the copy")
	case errors.Is(err, pickle.ErrMemory), errors.Is(err, kineto.ErrMemory):
		what := fmt.Sprintf("reading this file takes more than the %d MiB of memory allowed", d.lim.Memory>>20)
		say(KindLimit, what, adviceLimit)
	case errors.Is(err, errRaw):
		say(KindLimit, fmt.Sprintf("the file unpacks to more than the %d MiB allowed", d.lim.Raw>>20), adviceLimit)
	case errors.Is(err, pickle.ErrDepth):
		what := fmt.Sprintf("the file nests its containers more than %d deep, which no snapshot does", d.lim.Depth)
		say(KindLimit, what, "")
	case errors.Is(err, errNotSnapshot):
		say(KindNotSnapshot, "this is no memory snapshot: "+d.describeRoot(), adviceOpens)
	case errors.As(err, &page):
		say(KindNotSnapshot, page.Error(), advicePicture)
		e.Image = page.png
	case errors.As(err, &timeline):
		say(KindFormat, timeline.Error(), "Export it again")
	case errors.Is(err, errNoMemoryEvents):
		what, advice := "this trace of torch.profiler has no events about memory", adviceProfile
		switch {
		case d.profile.NoKineto:
			what += ", as it was written by a PyTorch without Kineto"
		case d.profile.Cut:
			what += " before it is cut off"
			advice = "Copy it again in full. If it has none then: " + advice
		}
		say(KindNotSnapshot, what, advice)
	case errors.Is(err, kineto.ErrNotTrace):
		say(KindNotSnapshot, "this JSON is neither a memory snapshot nor a trace of torch.profiler", adviceOpens)
	case errors.Is(err, errSizes):
		say(KindFormat, "the file is damaged: "+err.Error(), "Dump the snapshot again")
	case errors.Is(err, jsontext.ErrToken):
		say(KindFormat, err.Error(), "If the file is an honest one, leave that out")
	case errors.As(err, &packed):
		say(kindOf[packed.Reason], packed.What, packed.Advice)
	case inPickle != nil && (d.src.Reader == "stream" && !d.likeSnapshot || inPickle.Offset < 16 && !truncated):
		what := "this is no pickle and nothing else that Strata opens"
		if truncated {
			e.Offset = -1
		} else {
			what += ": " + inPickle.What
		}
		say(KindFormat, what, adviceOpens)
	case inPickle != nil && truncated:
		say(KindTruncated, "nothing useful comes before the file is cut off", adviceRedump+" in full")
	case inPickle != nil:
		say(KindFormat, "the file is damaged, and nothing useful remains: "+inPickle.What, adviceRedump)
	default:
		e.What = err.Error()
	}
	return e
}

// kindOf is the Kind of what could not be unpacked, by its reason.
var kindOf = [...]Kind{
	unpack.Damaged: KindFormat, unpack.CutOff: KindTruncated, unpack.Empty: KindEmpty, unpack.Foreign: KindNotSnapshot,
}

// describeRoot says what a pickle is that is no snapshot.
func (d *decoding) describeRoot() string {
	v := d.root
	switch {
	case v.IsDict():
		var keys []string
		for _, kv := range dictEntries(d.b.h.Pairs(v)) {
			if id, ok := kv[0].IsString(); ok && len(keys) < 4 {
				k := clean(d.b.h.Text(id))
				keys = append(keys, fmt.Sprintf("%.40q", k))
			}
		}
		if len(keys) == 0 {
			return "it holds a dict without device_traces and segments"
		}
		return "it holds a dict with " + strings.Join(keys, ", ") + "… but neither device_traces nor segments"
	case v.IsList() && d.b.h.Len(v) == 0:
		return "it holds an empty list"
	case v.IsList() && d.b.h.Len(v) == 1:
		return "it holds a list of one item that is no segment"
	case v.IsList():
		return fmt.Sprintf("it holds a list of %d items that are no segments", d.b.h.Len(v))
	}
	return "it holds something else than a dict or a list"
}
