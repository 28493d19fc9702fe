package pickle

import "encoding/binary"

// gets runs a whole run of memo gets: three quarters of all opcodes, and of
// all bytes, of a snapshot with stacks.
func (m *Machine) gets() error {
	in := &m.in
	buf, p := in.buf, in.p
	stack, sp := m.stack, m.sp
	wholeList := len(m.marks) > 0 && sp == m.marks[len(m.marks)-1] && m.h.fresh(stack, sp-1)
	if wholeList {
		if rec, n := m.h.runs.match(buf[p:]); n > 0 {
			m.h.SealList(stack[sp-1], rec)
			stack[sp-1] = rec
			m.marks = m.marks[:len(m.marks)-1]
			in.p += n
			return nil
		}
	}
	array := m.h.memo.array
	last := in.eof
	if len(buf)-p > tickBytes {
		buf, last = buf[:p+tickBytes], false
	}
	for {
		var i uint32
		q := p
		if len(buf)-p < 5 {
			if !last || p >= len(buf) || buf[p] != opBinGet && buf[p] != opLongBinGet {
				break
			}
			n := 2
			if buf[p] == opLongBinGet {
				n = 5
			}
			if len(buf)-p < n {
				in.p, m.sp = p, sp
				return in.end()
			}
			i = uint32(buf[p+1])
			p += n
		} else {
			w := buf[p : p+5]
			if w[0] == opLongBinGet {
				i = binary.LittleEndian.Uint32(w[1:])
				p += 5
			} else if w[0] == opBinGet {
				i = uint32(w[1])
				p += 2
			} else {
				break
			}
		}
		var v Value
		if uint64(i) < uint64(len(array)) {
			v = array[i]
		}
		if v-tagList<<tagShift < 2<<tagShift || v == Absent {
			var err error
			if v, err = m.h.memoGet(i); err != nil {
				m.start = in.base + int64(q)
				in.p, m.sp = q, sp
				return err
			}
		}
		if sp == len(stack) {
			m.sp = sp
			if err := m.growStack(1); err != nil {
				return err
			}
			stack = m.stack
		}
		stack[sp] = v
		sp++
	}
	if wholeList && p < len(buf) && buf[p] == opAppends && p-in.p >= minRunBytes && sp-m.sp < maxRunItems {
		m.h.runs.built(stack[m.sp-1], buf[in.p:p], sp-m.sp)
	}
	in.p, m.sp = p, sp
	return nil
}
