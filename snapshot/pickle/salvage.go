package pickle

// Salvage closes everything that is still open after Run failed, and returns
// what is then the root: what was complete stays. A dict that was being filled
// is dropped unless it is the root, because half an event is not an event; a
// list keeps the items it has. It returns Absent if nothing remains.
func (m *Machine) Salvage() Value {
	bottom := 0
	for bottom < m.sp && m.stack[bottom] == typeTag {
		bottom++
	}
	if bottom >= m.sp {
		return Absent
	}
	for m.sp > bottom+1 || len(m.marks) > 0 {
		if n := len(m.marks); n > 0 {
			at := m.marks[n-1]
			m.marks = m.marks[:n-1]
			if at <= bottom { // a root that is made at its end
				return m.closeRoot(at)
			}
			m.close(at, bottom)
			continue
		}
		// No marks: a container, perhaps a key, a value.
		at := m.sp - 1
		if at-1 > bottom && m.stack[at-2].IsDict() && m.stack[at-1].tag() == tagString {
			at--
		} else if at-2 == bottom && m.stack[bottom].IsDict() {
			at--
		}
		m.close(at, bottom)
	}
	return m.h.Resolve(m.stack[bottom])
}

// close adds the items from position at upwards to the container below them.
func (m *Machine) close(at, bottom int) {
	items := m.stack[at:m.sp]
	m.sp = at
	c := m.stack[at-1]
	switch {
	case c.tag() == tagList:
		// A container that is still open was dropped as Absent.
		keep := items[:0]
		for _, v := range items {
			if v != Absent {
				keep = append(keep, v)
			}
		}
		_ = m.h.Append(c, keep)
	case c.IsDict() && at-1 == bottom:
		items = items[:len(items)&^1]
		if len(items) > 0 && items[len(items)-1] == Absent {
			items = items[:len(items)-2]
		}
		m.stack[at-1], _ = m.h.SetItems(c, Absent, items, false)
	case c.IsDict():
		m.stack[at-1] = Absent
	}
}

// closeRoot makes the root of items whose container would have come last, as
// in MARK … LIST.
func (m *Machine) closeRoot(at int) Value {
	items := m.stack[at:m.sp]
	m.sp = at
	if len(items) > 0 && items[0].tag() == tagString {
		v, err := m.h.SetItems(m.h.NewDict(), Absent, items[:len(items)&^1], false)
		if err != nil {
			return Absent
		}
		return m.h.Resolve(v)
	}
	v := m.h.NewList()
	if m.h.Append(v, items) != nil {
		return Absent
	}
	return v
}
