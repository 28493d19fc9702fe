package snapshot

import (
	"strings"
	"unsafe"

	"strata/snapshot/pickle"
)

// A stackTable interns call stacks by content: files have millions of references to a few thousand distinct stacks.
type stackTable struct {
	start []uint32
	frame []FrameID
	id    map[string]StackID // by the bytes of their frames
	buf   []FrameID          // the current stack
}

// add returns the id of the stack with the given frames.
func (t *stackTable) add(h *pickle.Heap, frames []FrameID) (StackID, error) {
	if len(frames) == 0 {
		return 0, nil
	}
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(frames))), len(frames)*int(unsafe.Sizeof(frames[0])))
	if id, ok := t.id[string(bytes)]; ok {
		return id, nil
	}
	if uint64(len(t.frame)+len(frames)) > 1<<32-1 {
		return 0, pickle.ErrMemory
	}
	id := StackID(len(t.start) - 1)
	t.frame = append(t.frame, frames...)
	t.start = append(t.start, uint32(len(t.frame)))
	t.id[string(bytes)] = id
	return id, h.Charge(8*len(frames) + 48)
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
