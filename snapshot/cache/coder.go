package cache

import (
	"encoding/binary"
	"errors"
	"maps"
	"math"
	"slices"
	"unsafe"

	"strata/snapshot"
	"strata/snapshot/hugepages"
)

// A coder walks through a snapshot, writing it or reading it. One walk serves both directions, so that they cannot
// differ. Numbers and texts go into the catalog; slices that can have millions of items become columns, of which the
// catalog has the lengths.
type coder struct {
	reading bool
	catalog []byte // written so far, or still to be read
	columns []column
	budget  int64          // bytes that the snapshot may still take, when reading
	room    int64          // bytes of columns that are left in the entry
	after   []func() error // called when the columns have been read
	err     error
}

// A column is a slice as bytes, or strings one after another when they are written.
type column struct {
	bytes  []byte
	texts  []string
	length int64 // bytes
}

var (
	errCatalog = errors.New("the catalog is damaged")
	errMemory  = errors.New("the columns take more memory than allowed")
)

func (c *coder) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

// charge takes n items of the given size from the budget.
func (c *coder) charge(n int, size uintptr) bool {
	if c.err == nil && int64(n) > c.budget/int64(size) {
		c.fail(errMemory)
	}
	if c.err != nil {
		return false
	}
	c.budget -= int64(n) * int64(size)
	return true
}

func (c *coder) unsigned(v uint64) uint64 {
	if !c.reading {
		c.catalog = binary.AppendUvarint(c.catalog, v)
		return v
	}
	v, n := binary.Uvarint(c.catalog)
	if n <= 0 {
		c.catalog = nil
		c.fail(errCatalog)
		return 0
	}
	c.catalog = c.catalog[n:]
	return v
}

// number codes an integer.
func number[T ~int | ~int32 | ~int64 | ~uint8 | ~uint32 | ~uint64](c *coder, p *T) {
	v := int64(*p)
	v = int64(c.unsigned(uint64(v<<1) ^ uint64(v>>63)))
	if c.reading {
		v = int64(uint64(v)>>1) ^ -(v & 1)
		if *p = T(v); int64(*p) != v {
			c.fail(errCatalog)
		}
	}
}

// flag codes a bool.
func (c *coder) flag(p *bool) {
	var v uint8
	if *p {
		v = 1
	}
	number(c, &v)
	if v > 1 {
		c.fail(errCatalog)
	}
	if c.reading { // other goroutines may be using what is written
		*p = v == 1
	}
}

// text codes a string.
func (c *coder) text(p *string) {
	n := c.unsigned(uint64(len(*p)))
	if !c.reading {
		c.catalog = append(c.catalog, *p...)
		return
	}
	if n > uint64(len(c.catalog)) {
		c.fail(errCatalog)
		return
	}
	*p = string(c.catalog[:n])
	c.catalog = c.catalog[n:]
}

// length codes the length of a slice; it returns -1 for nil.
func (c *coder) length(n int, isNil bool) int {
	v := uint64(n) + 1
	if isNil {
		v = 0
	}
	if v = c.unsigned(v); v > math.MaxInt {
		c.fail(errCatalog)
		v = 0
	}
	return int(v) - 1
}

// list codes a slice of structs in the catalog.
func list[T any](c *coder, p *[]T, each func(*T)) {
	n := c.length(len(*p), *p == nil)
	if !c.reading {
		for i := range *p {
			each(&(*p)[i])
		}
		return
	}
	if n > len(c.catalog) { // an item takes at least a byte
		c.fail(errCatalog)
	}
	if n < 0 || !c.charge(n, unsafe.Sizeof(*new(T))) {
		return
	}
	*p = make([]T, n)
	for i := range *p {
		if each(&(*p)[i]); c.err != nil {
			return
		}
	}
}

// numbers codes a slice of integers, or of structs of them, as a column.
func numbers[T any](c *coder, p *[]T) {
	size := unsafe.Sizeof(*new(T))
	n := c.length(len(*p), *p == nil)
	if c.reading && n >= 0 && c.take(n, size) {
		*p = hugepages.Make[T](n) // on huge pages: half as many page faults in the whole of `strata summary`
	}
	if n > 0 && c.err == nil {
		b := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(*p))), n*int(size))
		c.columns = append(c.columns, column{bytes: b, length: int64(len(b))})
	}
}

// take charges the memory of a column, which must be in the entry in full.
func (c *coder) take(n int, size uintptr) bool {
	if !c.charge(n, size) {
		return false
	}
	if c.room -= int64(n) * int64(size); c.room < 0 {
		c.fail(errCatalog)
	}
	return c.err == nil
}

// texts codes a slice of strings as a column of lengths and one of bytes. Strings that are read share their memory.
func (c *coder) texts(p *[]string) {
	var lengths []uint32
	var total uint64
	if *p != nil {
		lengths = make([]uint32, len(*p))
	}
	for i, s := range *p {
		if len(s) > math.MaxUint32 {
			c.fail(errTooBig)
			return
		}
		lengths[i] = uint32(len(s))
		total += uint64(len(s))
	}
	numbers(c, &lengths)
	total = c.unsigned(total)
	if !c.reading {
		if total > 0 {
			c.columns = append(c.columns, column{texts: *p, length: int64(total)})
		}
		return
	}
	if total > math.MaxInt {
		c.fail(errCatalog)
	}
	if c.err != nil || !c.take(int(total), 1) || !c.charge(len(lengths), unsafe.Sizeof("")) {
		return
	}
	all := hugepages.Make[byte](int(total))
	if total > 0 {
		c.columns = append(c.columns, column{bytes: all, length: int64(total)})
	}
	c.after = append(c.after, func() error {
		if lengths == nil {
			return nil
		}
		out, rest := make([]string, len(lengths)), unsafe.String(unsafe.SliceData(all), len(all))
		for i, n := range lengths {
			if int64(n) > int64(len(rest)) {
				return errCatalog
			}
			out[i], rest = rest[:n], rest[n:]
		}
		if rest != "" {
			return errCatalog
		}
		*p = out
		return nil
	})
}

// snapshot codes a whole snapshot.
func (c *coder) snapshot(s *snapshot.Snapshot) {
	c.source(&s.Source)
	list(c, &s.Devices, c.device)
	host := s.Host != nil
	if c.flag(&host); host {
		if c.reading {
			s.Host = &snapshot.Device{}
		}
		c.device(s.Host)
	}
	list(c, &s.Annotations, func(a *snapshot.Annotation) {
		c.flag(&a.Start)
		number(c, &a.Name)
		number(c, &a.Device)
		number(c, &a.Time)
		number(c, &a.Extra)
	})
	list(c, &s.Settings, func(x *snapshot.Setting) {
		c.text(&x.Key)
		c.text(&x.Value)
	})
	c.texts(&s.Strings)
	c.frames(&s.Frames)
	numbers(c, &s.Stacks.Start)
	numbers(c, &s.Stacks.Frame)
	numbers(c, &s.Stacks.Site)
	numbers(c, &s.Streams)
	numbers(c, &s.Pools)
	numbers(c, &s.Metas)
	list(c, &s.Findings, func(f *snapshot.Finding) {
		c.text(&f.ID)
		number(c, &f.Severity)
		c.text(&f.Title)
		c.text(&f.Explain)
		c.text(&f.Advice)
		number(c, &f.Count)
		number(c, &f.Offset)
	})
}

// source codes all but the name and size of the file, which are those of the file that is opened.
func (c *coder) source(s *snapshot.Source) {
	number(c, &s.RawBytes)
	c.text(&s.Compression)
	number(c, &s.Protocol)
	c.text(&s.Reader)
	c.text(&s.Version)
}

func (c *coder) device(d *snapshot.Device) {
	number(c, &d.Index)
	c.flag(&d.Overflowed)
	e, b := &d.Events, &d.Blocks
	numbers(c, &e.Action)
	numbers(c, &e.Addr)
	numbers(c, &e.Size)
	numbers(c, &e.Stream)
	numbers(c, &e.Time)
	numbers(c, &e.Stack)
	numbers(c, &e.Meta)
	list(c, &d.Segments, c.segment)
	numbers(c, &b.Addr)
	numbers(c, &b.Size)
	numbers(c, &b.Requested)
	numbers(c, &b.State)
	numbers(c, &b.Stack)
	numbers(c, &b.Forward)
	numbers(c, &d.Notes)
}

func (c *coder) segment(g *snapshot.Segment) {
	number(c, &g.Addr)
	number(c, &g.Size)
	number(c, &g.Allocated)
	number(c, &g.Active)
	number(c, &g.Requested)
	number(c, &g.Stream)
	number(c, &g.Pool)
	c.flag(&g.Large)
	c.flag(&g.Expandable)
	number(c, &g.Stack)
	number(c, &g.Forward)
	number(c, &g.First)
	number(c, &g.End)
}

func (c *coder) frames(f *snapshot.Frames) {
	numbers(c, &f.Name)
	numbers(c, &f.File)
	numbers(c, &f.Line)
	type entry struct {
		frame snapshot.FrameID
		fx    snapshot.FX
	}
	var entries []entry
	if f.FX != nil {
		entries = make([]entry, 0, len(f.FX))
	}
	for _, id := range slices.Sorted(maps.Keys(f.FX)) {
		entries = append(entries, entry{id, f.FX[id]})
	}
	list(c, &entries, func(e *entry) {
		number(c, &e.frame)
		number(c, &e.fx.Op)
		number(c, &e.fx.Node)
		number(c, &e.fx.Target)
		number(c, &e.fx.OriginalTrace)
	})
	if !c.reading || entries == nil || !c.charge(len(entries), 2*unsafe.Sizeof(entry{})) {
		return
	}
	f.FX = make(map[snapshot.FrameID]snapshot.FX, len(entries))
	for _, e := range entries {
		f.FX[e.frame] = e.fx
	}
}
