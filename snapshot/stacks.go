package snapshot

import (
	"hash/maphash"
	"strings"
	"unsafe"

	"strata/snapshot/pickle"
)

// A stackTable interns call stacks by content: files have millions of references to a few thousand distinct stacks.
type stackTable struct {
	start []uint32
	frame []FrameID
	hash  []uint32
	table []uint32 // open addressing, StackID+1
	seed  maphash.Seed
	buf   []FrameID // the current stack
}

func (t *stackTable) init() {
	t.seed = maphash.MakeSeed()
	t.start = []uint32{0, 0} // stack 0 is the empty one
	t.hash = []uint32{0}
	t.table = make([]uint32, 1024)
}

// add returns the id of the stack with the given frames.
func (t *stackTable) add(h *pickle.Heap, frames []FrameID) (StackID, error) {
	if len(frames) == 0 {
		return 0, nil
	}
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(frames))), len(frames)*int(unsafe.Sizeof(frames[0])))
	hash := uint32(maphash.Bytes(t.seed, bytes))
	m := uint32(len(t.table) - 1)
	i := hash & m
	for ; t.table[i] != 0; i = (i + 1) & m {
		id := t.table[i] - 1
		if t.hash[id] == hash && equalFrames(t.frame[t.start[id]:t.start[id+1]], frames) {
			return StackID(id), nil
		}
	}
	if uint64(len(t.frame)+len(frames)) > 1<<32-1 {
		return 0, pickle.ErrMemory
	}
	id := uint32(len(t.start) - 1)
	t.frame = append(t.frame, frames...)
	t.start = append(t.start, uint32(len(t.frame)))
	t.hash = append(t.hash, hash)
	t.table[i] = id + 1
	if len(t.hash)*2 > len(t.table) {
		t.grow()
	}
	return StackID(id), h.Charge(4*len(frames) + 20)
}

func (t *stackTable) grow() {
	n := make([]uint32, len(t.table)*2)
	m := uint32(len(n) - 1)
	for id := 1; id < len(t.hash); id++ {
		i := t.hash[id] & m
		for n[i] != 0 {
			i = (i + 1) & m
		}
		n[i] = uint32(id) + 1
	}
	t.table = n
}

func equalFrames(a, b []FrameID) bool {
	if len(a) != len(b) {
		return false
	}
	for i, f := range a {
		if b[i] != f {
			return false
		}
	}
	return true
}

// stack returns the stack of a list or tuple of frames, or of the text lines of forward_frames. Everything else is
// the empty stack. The list is replaced by the stack's record, which all that share the list then find.
func (b *builder) stack(v pickle.Value) (StackID, error) {
	v = b.h.Resolve(v)
	if class, n, ok := v.Record(); ok {
		if class == classStack {
			return StackID(n), nil
		}
		return 0, nil
	}
	if !v.IsList() {
		return 0, nil
	}
	buf := b.stacks.buf[:0]
	for _, f := range b.h.Items(v) {
		if class, n, ok := f.Record(); ok && class == classFrame {
			buf = append(buf, FrameID(n))
			continue
		}
		if id, ok := f.IsString(); ok {
			fr, err := b.textLine(id)
			if err != nil {
				return 0, err
			}
			buf = append(buf, fr)
		}
	}
	b.stacks.buf = buf
	id, err := b.stacks.add(b.h, buf)
	b.h.SealList(v, pickle.Record(classStack, uint64(id)))
	return id, err
}

// textLine makes a frame of one preformatted line of forward_frames.
func (b *builder) textLine(id uint32) (FrameID, error) {
	if f, ok := b.textFrame[id]; ok {
		return f, nil
	}
	f, err := b.frameFor(frameKey{name: b.intern(clean(strings.TrimRight(b.h.Text(id), "\n")))})
	b.textFrame[id] = f
	return f, err
}
