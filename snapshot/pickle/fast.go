package pickle

import "encoding/binary"

// fastTail is how many bytes the fast loop wants to see beyond an opcode: more
// than any of its opcodes has.
const fastTail = 300

// fast runs the opcodes that nearly all of a snapshot consists of, as long as
// they start before end. It leaves everything else, and everything that is
// wrong, to the general loop: then in.p stands on the opcode.
func (m *Machine) fast(end int) error {
	in, h := &m.in, m.h
	buf, p := in.buf, in.p
	stack, sp := m.stack, m.sp
	array := h.memo.array
	base := -1 // stack position of the last mark
	if n := len(m.marks); n > 0 {
		base = m.marks[n-1]
	}
	for p < end {
		if sp == len(stack) {
			m.sp, in.p = sp, p
			if err := m.growStack(1); err != nil {
				return err
			}
			stack = m.stack
		}
		var v Value
		switch op := buf[p]; op {
		case opBinGet, opLongBinGet:
			if sp == base { // maybe a run of them
				m.sp, in.p = sp, p
				if err := m.gets(); err != nil {
					return err
				}
				sp, p, stack = m.sp, in.p, m.stack
				base = m.lastMark()
				continue
			}
			i, n := uint32(buf[p+1]), 2
			if op == opLongBinGet {
				i, n = binary.LittleEndian.Uint32(buf[p+1:]), 5
			}
			if uint64(i) < uint64(len(array)) {
				v = array[i]
			}
			if v-tagList<<tagShift < 2<<tagShift {
				h.share(v)
			} else if v == Absent {
				m.sp, in.p = sp, p
				return nil
			}
			p += n
		case opMemoize:
			i := h.memo.count
			if sp > max(base, 0) && uint64(i) < uint64(len(array)) && array[i] == Absent && h.memo.sparse == nil {
				v := stack[sp-1]
				if v-tagList<<tagShift < 2<<tagShift {
					h.remember(i, v)
				}
				array[i] = v
				h.memo.count++
				p++
				continue
			}
			m.sp, in.p, m.start = sp, p+1, in.base+int64(p)
			if err := m.step(op); err != nil { // the array must grow, or worse
				return m.wrap(err)
			}
			array = h.memo.array
			p++
			continue
		case opBinInt1:
			v = tagInt<<tagShift | Value(buf[p+1])
			p += 2
		case opBinInt2:
			v = tagInt<<tagShift | Value(binary.LittleEndian.Uint16(buf[p+1:]))
			p += 3
		case opBinInt:
			v = tagInt<<tagShift | Value(int64(int32(binary.LittleEndian.Uint32(buf[p+1:]))))&payloadMask
			p += 5
		case opLong1:
			n := int(buf[p+1])
			if n == 6 || n == 7 { // addresses and times
				shift := 64 - 8*n
				v = tagInt<<tagShift | Value(int64(binary.LittleEndian.Uint64(buf[p+2:])<<shift)>>shift)&payloadMask
			} else if n == 8 { // C++ writes all big ones so
				v = h.Int(int64(binary.LittleEndian.Uint64(buf[p+2:])))
			} else {
				v = h.long(buf[p+2 : p+2+n])
			}
			p += 2 + n
		case opShortBinUnicode:
			n := int(buf[p+1])
			v = h.String(buf[p+2 : p+2+n])
			p += 2 + n
		case opEmptyDict:
			m.sp, in.p = sp, p
			left, err := m.shaped(end)
			if err != nil {
				return m.wrap(err)
			}
			if sp, p = m.sp, in.p; !left {
				continue
			}
			if v = h.NewDict(); sp > max(base, 0) && stack[sp-1].tag() == tagString {
				h.shapes.opens(v, in.base+int64(p), h.memo.count)
			}
			p++
		case opEmptyList:
			v = h.NewList()
			p++
		case opMark:
			if len(m.marks) >= m.MaxDepth {
				m.sp, in.p = sp, p
				return nil
			}
			m.marks = append(m.marks, sp)
			base = sp
			p++
			continue
		case opSetItems, opAppends, opTuple2:
			m.sp, in.p, m.start = sp, p+1, in.base+int64(p)
			if err := m.close(op); err != nil {
				return m.wrap(err)
			}
			sp, p = m.sp, in.p
			base = m.lastMark()
			continue
		default:
			m.sp, in.p = sp, p
			return nil
		}
		stack[sp] = v
		sp++
	}
	m.sp, in.p = sp, p
	return nil
}

// close runs the frequent opcodes that end a container.
func (m *Machine) close(op byte) error {
	switch op {
	case opSetItems:
		return m.setItems()
	case opAppends:
		return m.appends()
	}
	return m.tuple(2)
}

// lastMark is the stack position of the last mark, -1 if there is none.
func (m *Machine) lastMark() int {
	if n := len(m.marks); n > 0 {
		return m.marks[n-1]
	}
	return -1
}
