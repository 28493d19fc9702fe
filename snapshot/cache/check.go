package cache

import (
	"cmp"
	"errors"
	"slices"
	"unicode/utf8"

	"strata/snapshot"
)

// errInvalid is the error for a snapshot that package snapshot would not have made.
var errInvalid = errors.New("the columns contradict one another")

// A checker checks what package snapshot guarantees and later layers rely upon: lengths, the order of devices, and
// that every index lies within its table.
type checker struct {
	s       *snapshot.Snapshot
	strings uint32 // how many there are
	frames  uint32
	stacks  uint32
	bad     bool
}

// check returns errInvalid unless all of s is as package snapshot makes it.
func check(s *snapshot.Snapshot) error {
	k := &checker{s: s}
	k.strings, k.frames = uint32(len(s.Strings)), uint32(len(s.Frames.Name))
	k.stacks = uint32(max(len(s.Stacks.Start), 1) - 1)
	k.require(len(s.Strings) > 0 && s.Strings[0] == "" && uint64(len(s.Strings)) < 1<<32)
	k.require(len(s.Streams) > 0 && s.Streams[0] == 0)
	k.require(len(s.Pools) > 0 && s.Pools[0] == snapshot.Pool{} && len(s.Metas) > 0 && s.Metas[0] == snapshot.Meta{})
	k.checkTexts()
	k.checkFrames()
	k.checkStacks()
	for i := range s.Metas {
		m := &s.Metas[i]
		k.require(max(uint32(m.CompileContext), uint32(m.User), uint32(m.Internal), uint32(m.Category)) < k.strings)
		k.require(int(m.Pool) < len(s.Pools) && uint32(m.Forward) < k.stacks)
	}
	for i := range s.Devices {
		k.checkDevice(&s.Devices[i])
	}
	ascending := func(a, b snapshot.Device) int { return cmp.Or(cmp.Compare(a.Index, b.Index), -1) }
	k.require(slices.IsSortedFunc(s.Devices, ascending)) // none twice
	if s.Host != nil {
		k.require(s.Host.Index == -1)
		k.checkDevice(s.Host)
	}
	for i := range s.Annotations {
		k.require(max(uint32(s.Annotations[i].Name), uint32(s.Annotations[i].Extra)) < k.strings)
	}
	if k.bad {
		return errInvalid
	}
	return nil
}

func (k *checker) require(ok bool) { k.bad = k.bad || !ok }

// checkTexts checks that texts are as the reader makes them.
func (k *checker) checkTexts() {
	for _, t := range k.s.Strings {
		k.require(clean(t))
	}
	for _, x := range k.s.Settings {
		k.require(clean(x.Key) && clean(x.Value))
	}
	for _, f := range k.s.Findings {
		k.require(clean(f.ID) && clean(f.Title) && clean(f.Explain) && clean(f.Advice))
		k.require(f.Severity <= snapshot.Warning && f.Count >= 0 && f.Offset >= -1)
	}
	src := &k.s.Source
	k.require(clean(src.Compression) && clean(src.Reader) && clean(src.Version) && src.RawBytes >= 0)
}

// clean reports whether a text is UTF-8 without control characters, as the reader makes them all.
func clean(t string) bool {
	for i := 0; i < len(t); i++ {
		if c := t[i]; c < ' ' && c != '\n' && c != '\t' || c >= 0x7f {
			return cleanSlow(t[i:])
		}
	}
	return true
}

func cleanSlow(t string) bool {
	for _, r := range t {
		if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 {
			return false
		}
	}
	return utf8.ValidString(t)
}

func (k *checker) checkFrames() {
	f := &k.s.Frames
	n := len(f.Name)
	k.require(n > 0 && len(f.File) == n && len(f.Line) == n && uint64(n) < 1<<32)
	k.require(below(f.Name, k.strings) && below(f.File, k.strings) && notNegative(f.Line))
	for id, x := range f.FX {
		k.require(uint32(id) < k.frames)
		k.require(max(uint32(x.Op), uint32(x.Node), uint32(x.Target), uint32(x.OriginalTrace)) < k.strings)
	}
}

func (k *checker) checkStacks() {
	t := &k.s.Stacks
	n := len(t.Start) - 1
	k.require(n >= 1 && uint64(n) < 1<<32 && len(t.Site) == n)
	if k.bad {
		return
	}
	k.require(t.Start[0] == 0 && t.Start[1] == 0 && slices.IsSorted(t.Start) && int(t.Start[n]) == len(t.Frame))
	k.require(below(t.Frame, k.frames) && below(t.Site, k.frames))
}

func (k *checker) checkDevice(d *snapshot.Device) {
	k.checkEvents(&d.Events)
	b := &d.Blocks
	n := len(b.Addr)
	k.require(len(b.Size) == n && len(b.Requested) == n && len(b.State) == n && len(b.Stack) == n)
	k.require(b.Forward == nil || len(b.Forward) == n)
	k.require(below(b.State, uint32(snapshot.BlockUnknown)+1) && below(b.Stack, k.stacks) && below(b.Forward, k.stacks))
	k.require(notNegative(b.Size) && notNegative(b.Requested))
	next := int32(0)
	for i := range d.Segments {
		g := &d.Segments[i]
		k.require(g.First == next && g.End >= g.First && int(g.End) <= n)
		next = g.End
		k.require(min(g.Size, g.Allocated, g.Active, g.Requested) >= 0)
		k.require(int(g.Stream) < len(k.s.Streams) && int(g.Pool) < len(k.s.Pools))
		k.require(max(uint32(g.Stack), uint32(g.Forward)) < k.stacks)
	}
	k.require(int(next) == n)
	last := int32(-1)
	for _, i := range d.Notes {
		k.require(i > last && int(i) < len(d.Events.Action))
		last = i
	}
}

func (k *checker) checkEvents(e *snapshot.Events) {
	n := len(e.Action)
	k.require(len(e.Addr) == n && len(e.Size) == n && len(e.Stream) == n && len(e.Stack) == n)
	k.require((e.Time == nil || len(e.Time) == n) && (e.Meta == nil || len(e.Meta) == n))
	k.require(below(e.Action, uint32(snapshot.ActionUserDefined)+1) && !slices.Contains(e.Action, snapshot.ActionOther))
	k.require(notNegative(e.Size) && below(e.Stream, uint32(len(k.s.Streams))))
	k.require(below(e.Stack, k.stacks) && below(e.Meta, uint32(len(k.s.Metas))))
}

// below reports whether all of list are less than n.
func below[T ~uint8 | ~uint32](list []T, n uint32) bool {
	var most T
	for _, v := range list {
		most = max(most, v)
	}
	return len(list) == 0 || uint32(most) < n
}

// notNegative reports whether none of list is negative.
func notNegative[T ~int32 | ~int64](list []T) bool {
	var all T
	for _, v := range list {
		all |= v
	}
	return all >= 0
}
