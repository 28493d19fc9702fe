package pickle

// Salvage closes everything that is still open after Run failed, and returns the root. An open dict is dropped
// unless it is the root, because half an event is not an event; a list keeps the items it has. It returns Absent if
// nothing remains.
func (m *Machine) Salvage() Value {
	bottom := 0
	for bottom < m.sp && m.stack[bottom] == typeTag {
		bottom++
	}
	if bottom >= m.sp {
		return Absent
	}
	for n := len(m.marks) - 1; n >= 0; n-- {
		at := m.marks[n]
		m.marks = m.marks[:n]
		if at <= bottom { // the root would have come last, as in MARK … LIST
			return m.makeRoot(m.stack[at:m.sp])
		}
		m.stack[at-1] = m.attach(m.stack[at-1], m.stack[at:m.sp], at-1 == bottom)
		m.sp = at
	}
	root := m.attach(m.stack[bottom], m.stack[bottom+1:m.sp], true)
	m.sp = bottom
	return m.h.Resolve(root)
}

// attach adds the items above an open container c to it, and returns it, or Absent if it is to be dropped. Where an
// item is itself open, the items after it belong to it.
func (m *Machine) attach(c Value, items []Value, root bool) Value {
	switch {
	case c.IsDict() && root:
		for len(items) >= 2 {
			k, v, rest := items[0], items[1], items[2:]
			if len(rest) > 0 && rest[0].tag() != tagString {
				v = m.attach(v, rest, false)
				rest = nil
			}
			items = rest
			if v != Absent {
				// Only a container that contains itself cannot be set.
				_, _ = m.h.SetItems(c, Absent, []Value{k, v}, false)
			}
		}
		return c
	case c.tag() == tagList:
		keep := items[:0:0]
		for i, v := range items {
			if i+1 == len(items) && v.IsDict() || i+1 < len(items) && v.IsDict() && items[i+1].tag() == tagString {
				break // it was being filled
			}
			if i+1 < len(items) && v.tag() == tagList && items[i+1].tag() != tagList && items[i+1] != Absent {
				keep = append(keep, m.attach(v, items[i+1:], false))
				break
			}
			if v != Absent {
				keep = append(keep, v)
			}
		}
		_ = m.h.Append(c, keep)
		return c
	case len(items) == 0 && c.tag() != tagDict:
		return c
	}
	return Absent
}

// makeRoot makes the root of items whose container would have come last.
func (m *Machine) makeRoot(items []Value) Value {
	c := m.h.NewList()
	if len(items) > 0 && items[0].tag() == tagString {
		c = m.h.NewDict()
	}
	return m.h.Resolve(m.attach(c, items, true))
}
