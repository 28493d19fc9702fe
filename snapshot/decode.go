package snapshot

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"

	"strata/snapshot/ascend"
	"strata/snapshot/jsontext"
	"strata/snapshot/kineto"
	"strata/snapshot/memtimeline"
	"strata/snapshot/objects"
	"strata/snapshot/pickle"
	"strata/snapshot/unpack"
)

// A decoding is the state of reading one file.
type decoding struct {
	ctx  context.Context
	opt  Options
	lim  Limits
	src  *Source
	b    *builder
	root pickle.Value
	end  *pickle.Error // where reading ended early, nil if it did not
	raw  int64         // bytes read
	done int64         // bytes of the file up to where reading ended early
	next int64         // bytes behind the pickle that look like another one

	likeSnapshot bool // the first byte is PROTO or, in protocols 0 and 1, opens a container

	profile *kineto.Trace   // of a trace, else nil
	npu     *ascend.Reading // that it is of, else nil
	beside  *ascend.Profile // the files beside the one that is read, nil if there are none
	found   traceFound

	categories *memtimeline.Timeline // of a memory timeline, else nil

	oneByOne bool // decode every opcode by itself; for tests to compare with

	total int64                 // bytes of the file, for progress
	share func(raw int64) int64 // bytes of the file up to so many of its content
}

// decode reads a file in memory, unpacking it if need be.
func (d *decoding) decode(data []byte) error {
	if err := pageOf(data); err != nil {
		return err
	}
	c, err := unpack.Open(data, min(d.lim.Raw, d.lim.Memory))
	if err != nil {
		return err
	}
	defer c.Close()
	d.src.Compression, d.share = c.Compression, c.Done
	switch c.Format {
	case unpack.Pickle:
		return d.pickle(c)
	case unpack.Table:
		return d.ascend(c)
	}
	head, err := c.Head(sniffBytes)
	if err != nil {
		return err
	}
	if memtimeline.Is(head) {
		return d.timeline(c)
	}
	readers := []func(io.Reader) error{d.json, d.trace}
	if !namesSnapshot(head, `"`) {
		slices.Reverse(readers)
	}
	for i, read := range readers {
		var r io.Reader = bytes.NewReader(c.Data)
		if c.Data == nil {
			if r, err = c.Stream(); err != nil {
				return err
			}
		}
		if err = read(r); !errors.Is(err, kineto.ErrNotTrace) || i > 0 {
			return err
		}
	}
	return err
}

// whole is the content in memory, of most bytes.
func (d *decoding) whole(c *unpack.Content, most int64) ([]byte, error) {
	data := c.Data
	if data == nil {
		r, err := c.Stream()
		if err != nil {
			return nil, err
		}
		if data, err = io.ReadAll(io.LimitReader(r, most+1)); err != nil {
			return nil, err
		}
	}
	if int64(len(data)) > most {
		return nil, pickle.ErrMemory
	}
	d.raw = int64(len(data))
	return data, d.tick(d.raw)
}

func (d *decoding) reset() {
	d.b = newBuilder()
	var handler pickle.Handler = d.b
	if d.oneByOne {
		handler = struct{ pickle.Handler }{d.b} // hides that b is a ShapeHandler
	}
	d.b.h = pickle.NewHeap(handler, knownStrings[:], d.lim.Memory)
}

// tick is called about once for each megabyte.
func (d *decoding) tick(n int64) error {
	if err := d.ctx.Err(); err != nil {
		return err
	}
	if n > d.lim.Raw {
		return errRaw
	}
	if d.opt.Progress != nil {
		d.opt.Progress(d.share(n), d.total)
	}
	return nil
}

var errRaw = errors.New("more bytes than the limit allows")

// stream reads a pickle with the machine m. It returns nil if there is a root, perhaps a salvaged one.
func (d *decoding) stream(m *pickle.Machine) error {
	d.b.m = m
	d.b.h.Progress = func() float64 {
		if d.share == nil || d.total == 0 {
			return 0
		}
		return float64(d.share(m.Offset())) / float64(d.total)
	}
	m.MaxDepth = d.lim.Depth
	m.Tick = d.tick
	root, err := m.Run()
	d.raw = m.Offset()
	d.src.Protocol = m.Protocol
	d.src.Reader = "stream"
	d.likeSnapshot = m.First == 0x80 || m.First == '(' || m.First == ']' || m.First == '}'
	if err == nil {
		d.root = root
		d.next = m.Behind()
		return d.ctx.Err()
	}
	if errors.Is(err, pickle.ErrMutated) || isLimit(err) || !errors.As(err, &d.end) {
		return err
	}
	if d.share != nil {
		d.done = d.share(d.end.Offset)
	}
	d.root = m.Salvage()
	return nil
}

// json reads JSON of the shape of a snapshot.
func (d *decoding) json(r io.Reader) error {
	d.reset()
	d.src.Reader = "json"
	m := pickle.NewMachine(d.b.h, nil)
	m.MaxDepth = d.lim.Depth
	n, err := jsontext.Read(r, d.b.h, m, d.tick)
	d.raw = n
	if err == nil {
		d.root, err = m.Root()
		return err
	}
	if d.ctx.Err() != nil || errors.Is(err, errRaw) || errors.Is(err, jsontext.ErrToken) || isLimit(err) {
		return err
	}
	d.end, d.done = &pickle.Error{Offset: n, What: err.Error(), Err: err}, d.share(n)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		d.end.What, d.end.Err = "the JSON ends too early", pickle.ErrTruncated
	}
	d.root = m.Salvage()
	return nil
}

func isLimit(err error) bool {
	return errors.Is(err, pickle.ErrMemory) || errors.Is(err, pickle.ErrDepth)
}

// tree reads a pickle by way of gopickle.
func (d *decoding) tree(data []byte) error {
	d.src.Reader = "gopickle"
	root, err := objects.Load(data)
	if err != nil {
		return err
	}
	if err := d.ctx.Err(); err != nil {
		return err
	}
	d.reset()
	d.root, err = objects.Feed(d.b.h, root, d.lim.Depth, d.ctx.Err)
	return err
}

// maxTree bounds the memory that gopickle may take, as the limit for the file does.
const maxTree = 2 << 30

// maxCopy bounds a streamed pickle that is collected in memory for gopickle.
const maxCopy = 64 << 20

// pickle reads a pickle with our machine, and again in another way if containers change after their use. If it is more
// than plain data, and neither damaged nor too big, gopickle's reading replaces that.
func (d *decoding) pickle(c *unpack.Content) error {
	m, err := d.run(c, false)
	if errors.Is(err, pickle.ErrMutated) {
		m, err = d.run(c, true)
	}
	fit := !m.Unfit && m.Cost <= min(maxTree, d.lim.Memory)
	if err != nil || d.end != nil || !m.Objects && !m.Refilled || !fit {
		return err
	}
	data := c.Data
	if data == nil {
		if d.raw > maxCopy {
			return nil
		}
		r, err := c.Stream()
		if err != nil {
			return err
		}
		if data, err = io.ReadAll(io.LimitReader(r, d.raw)); err != nil {
			return err
		}
	}
	opaque, src := *d, *d.src
	if d.tree(data[:d.raw]) != nil {
		*d, *d.src = opaque, src
	}
	return d.ctx.Err()
}

// run reads a pickle with our machine, which it returns.
func (d *decoding) run(c *unpack.Content, refilled bool) (*pickle.Machine, error) {
	d.reset()
	m := pickle.NewMachine(d.b.h, c.Data)
	if c.Data == nil {
		r, err := c.Stream()
		if err != nil {
			return m, err
		}
		m = pickle.NewStreamMachine(d.b.h, r)
	}
	m.Refilled = refilled
	return m, d.stream(m)
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
