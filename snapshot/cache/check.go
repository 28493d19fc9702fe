package cache

import (
	"cmp"
	"errors"
	"reflect"
	"slices"
	"unicode/utf8"
	"unsafe"

	"strata/snapshot"
)

// errInvalid is the error for a snapshot that package snapshot would not have made.
var errInvalid = errors.New("the columns contradict one another")

// A checker checks what package snapshot guarantees and later layers rely upon: lengths, the order of devices, and
// that every index lies within its table.
type checker struct {
	limits map[reflect.Type]uint64 // what values of a type must be below
	bad    bool
}

// check returns errInvalid unless all of s is as package snapshot makes it.
func check(s *snapshot.Snapshot) error {
	stacks := max(len(s.Stacks.Start), 1) - 1
	k := &checker{limits: map[reflect.Type]uint64{
		reflect.TypeFor[snapshot.StringID]():   uint64(len(s.Strings)),
		reflect.TypeFor[snapshot.FrameID]():    uint64(len(s.Frames.Name)),
		reflect.TypeFor[snapshot.StackID]():    uint64(stacks),
		reflect.TypeFor[snapshot.StreamID]():   uint64(len(s.Streams)),
		reflect.TypeFor[snapshot.PoolID]():     uint64(len(s.Pools)),
		reflect.TypeFor[snapshot.MetaID]():     uint64(len(s.Metas)),
		reflect.TypeFor[snapshot.Action]():     uint64(snapshot.ActionUserDefined) + 1,
		reflect.TypeFor[snapshot.BlockState](): uint64(snapshot.BlockUnknown) + 1,
		reflect.TypeFor[snapshot.SpanKind]():   uint64(snapshot.SpanPython) + 1,
		reflect.TypeFor[snapshot.Severity]():   uint64(snapshot.Warning) + 1,
	}}
	source := s.Source
	source.Name = "" // the user's own
	k.walk(reflect.ValueOf(source))
	v := reflect.ValueOf(s).Elem()
	for i := range v.NumField() {
		if v.Field(i).Type() != reflect.TypeFor[snapshot.Source]() {
			k.walk(v.Field(i))
		}
	}
	k.require(s.Source.RawBytes >= 0)
	k.require(len(s.Strings) > 0 && s.Strings[0] == "" && uint64(len(s.Strings)) < 1<<32)
	k.require(len(s.Streams) > 0 && s.Streams[0] == 0)
	k.require(len(s.Pools) > 0 && s.Pools[0] == snapshot.Pool{} && len(s.Metas) > 0 && s.Metas[0] == snapshot.Meta{})
	f, t := &s.Frames, &s.Stacks
	n := len(f.Name)
	k.require(n > 0 && len(f.File) == n && len(f.Line) == n && uint64(n) < 1<<32 && notNegative(f.Line))
	k.require(stacks >= 1 && uint64(stacks) < 1<<32 && len(t.Site) == stacks)
	if !k.bad {
		k.require(t.Start[0] == 0 && t.Start[1] == 0 && slices.IsSorted(t.Start) &&
			int(t.Start[stacks]) == len(t.Frame))
	}
	for i := range s.Devices {
		k.device(&s.Devices[i])
	}
	ascending := func(a, b snapshot.Device) int { return cmp.Or(cmp.Compare(a.Index, b.Index), -1) }
	k.require(slices.IsSortedFunc(s.Devices, ascending)) // none twice
	if s.Host != nil {
		k.require(s.Host.Index == -1)
		k.device(s.Host)
	}
	k.spans(&s.Spans, len(s.Threads))
	for _, f := range s.Findings {
		k.require(f.Count >= 0 && f.Offset >= -1)
	}
	if k.bad {
		return errInvalid
	}
	return nil
}

// spans checks that columns are equally long and what they index.
func (k *checker) spans(sp *snapshot.Spans, threads int) {
	n := len(sp.Name)
	k.require(len(sp.Kind) == n && len(sp.Thread) == n && len(sp.Start) == n && len(sp.End) == n &&
		len(sp.Parent) == n && len(sp.Sequence) == n && len(sp.Shapes) == n)
	for i, parent := range sp.Parent {
		k.require(parent >= -1 && int(parent) < i)
	}
	k.require(n == 0 || int(slices.Max(sp.Thread)) < threads)
}

func (k *checker) require(ok bool) { k.bad = k.bad || !ok }

// walk checks that texts are as the reader makes them and that ids lie within their tables.
func (k *checker) walk(v reflect.Value) {
	limit, bounded := k.limits[v.Type()]
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			k.walk(v.Field(i))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			k.walk(v.Elem())
		}
	case reflect.Map:
		for key, value := range v.Seq2() {
			k.walk(key)
			k.walk(value)
		}
	case reflect.Slice:
		k.slice(v)
	case reflect.String:
		k.require(clean(v.String()))
	case reflect.Uint8, reflect.Uint32:
		k.require(!bounded || v.Uint() < limit)
	}
}

// slice is walk for a slice, at once where it is a column.
func (k *checker) slice(v reflect.Value) {
	elem := v.Type().Elem()
	limit, bounded := k.limits[elem]
	switch {
	case v.Len() == 0:
	case bounded && elem.Size() == 4:
		k.require(uint64(slices.Max(unsafe.Slice((*uint32)(v.UnsafePointer()), v.Len()))) < limit)
	case bounded:
		k.require(uint64(slices.Max(unsafe.Slice((*uint8)(v.UnsafePointer()), v.Len()))) < limit)
	case elem.Kind() >= reflect.Int && elem.Kind() <= reflect.Uint64 && !bounded: // any number
	default:
		for i := range v.Len() {
			k.walk(v.Index(i))
		}
	}
}

// clean reports whether a text is UTF-8 without control characters, as the reader makes them all.
func clean(t string) bool {
	for _, r := range t {
		if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 {
			return false
		}
	}
	return utf8.ValidString(t)
}

// device checks that columns are equally long and that segments have the blocks in turn.
func (k *checker) device(d *snapshot.Device) {
	e, b := &d.Events, &d.Blocks
	for _, s := range d.Series {
		k.require(len(s.Time) == len(s.Bytes) && slices.IsSorted(s.Time))
	}
	if bands := d.Bands; bands != nil {
		k.require(len(bands.Time) > 1 && slices.IsSorted(bands.Time) && len(e.Action) == 0)
		for _, b := range bands.All {
			k.require(len(b.Bytes) == len(bands.Time) && notNegative(b.Bytes))
		}
	}
	n := len(e.Action)
	k.require(len(e.Addr) == n && len(e.Size) == n && len(e.Stream) == n && len(e.Stack) == n)
	k.require((e.Time == nil || len(e.Time) == n) && (e.Meta == nil || len(e.Meta) == n))
	k.require(!slices.Contains(e.Action, snapshot.ActionOther) && notNegative(e.Size))
	last := int32(-1)
	for _, i := range d.Notes {
		k.require(i > last && int(i) < n)
		last = i
	}
	n = len(b.Addr)
	k.require(len(b.Size) == n && len(b.Requested) == n && len(b.State) == n && len(b.Stack) == n)
	k.require((b.Forward == nil || len(b.Forward) == n) && notNegative(b.Size) && notNegative(b.Requested))
	next := int32(0)
	for i := range d.Segments {
		g := &d.Segments[i]
		k.require(g.First == next && g.End >= g.First && int(g.End) <= n)
		next = g.End
		k.require(min(g.Size, g.Allocated, g.Active, g.Requested) >= 0)
	}
	k.require(int(next) == n)
}

// notNegative reports whether none of list is negative.
func notNegative[T ~int32 | ~int64](list []T) bool {
	var all T
	for _, v := range list {
		all |= v
	}
	return all >= 0
}
