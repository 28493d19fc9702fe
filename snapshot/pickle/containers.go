package pickle

// mark runs MARK. Where a mark and a known call stack follow an empty list, the whole list is read at once.
func (m *Machine) mark() error {
	if len(m.marks) >= m.MaxDepth {
		return m.fail(ErrDepth, "nested more than %d deep", m.MaxDepth)
	}
	if m.sp > m.fence() && m.h.fresh(m.stack[m.sp-1]) {
		cache, list, ahead := &m.h.stacks, m.stack[m.sp-1], m.in.buf[m.in.p:]
		rec, n := cache.match(ahead)
		if n > 0 {
			m.h.SealList(list, rec)
			m.stack[m.sp-1] = rec
			m.in.p += n
			return nil
		}
		cache.expect(list, ahead)
	}
	m.marks = append(m.marks, m.sp)
	m.Cost += 300
	return nil
}

// setItems runs SETITEMS: a dict, a mark, keys and values.
func (m *Machine) setItems() error {
	at, err := m.popItems()
	if err != nil {
		return err
	}
	items := m.stack[at:m.sp]
	if len(items)&1 != 0 {
		return m.fail(nil, "a key without its value")
	}
	m.sp = at
	d := m.stack[at-1]
	if !d.IsDict() {
		return m.onto(d, "items set on what is no dict")
	}
	v, err := m.h.SetItems(d, m.parentKey(at-1), items, !m.Refilled)
	if v.tag() == tagRecord {
		m.h.shapes.learn(items)
	}
	m.stack[at-1] = v
	return m.lenient(err)
}

// parentKey is the value below position at, if it belongs to the same container: the key, when a dict is being
// filled.
func (m *Machine) parentKey(at int) Value {
	for at > m.fence() && m.stack[at-1] == typeTag {
		at--
	}
	if at <= m.fence() {
		return Absent
	}
	return m.stack[at-1]
}

// onto decides what happens when items are added to v, which is no container of the heap.
func (m *Machine) onto(v Value, what string) error {
	switch {
	case v.tag() == tagRecord:
		return m.lenient(ErrMutated)
	case v == Opaque:
		return nil
	}
	return m.fail(nil, "%s", what)
}

// lenient drops an ErrMutated where that is allowed.
func (m *Machine) lenient(err error) error {
	if m.Refilled && err == ErrMutated {
		return nil
	}
	return err
}

// appends runs APPENDS: a list, a mark, items.
func (m *Machine) appends() error {
	at, err := m.popItems()
	if err != nil {
		return err
	}
	items := m.stack[at:m.sp]
	m.sp = at
	return m.appendTo(m.stack[at-1], items, "items appended to what is no list")
}

func (m *Machine) appendTo(list Value, items []Value, what string) error {
	if list.tag() != tagList {
		return m.onto(list, what)
	}
	return m.lenient(m.h.Append(list, items))
}

// addOne runs APPEND and SETITEM.
func (m *Machine) addOne(op byte) error {
	n := 1
	if op == opSetItem {
		n = 2
	}
	if m.sp-n-1 < m.fence() {
		return m.underflow()
	}
	items := m.stack[m.sp-n : m.sp]
	m.sp -= n
	c := m.stack[m.sp-1]
	if op == opAppend {
		return m.appendTo(c, items, "an item appended to what is no list")
	}
	if !c.IsDict() {
		return m.onto(c, "an item set on what is no dict")
	}
	_, err := m.h.SetItems(c, Absent, items, false)
	return m.lenient(err)
}

// container runs the opcodes that make containers of the items above the last mark, and ADDITEMS.
func (m *Machine) container(op byte) error {
	at, err := m.popMark()
	if err != nil {
		return err
	}
	items := m.stack[at:m.sp]
	v := Opaque
	switch op {
	case opList:
		v = m.h.NewList()
		err = m.h.Append(v, items)
	case opDict:
		if len(items)&1 != 0 {
			return m.fail(nil, "a key without its value")
		}
		v, err = m.h.SetItems(m.h.NewDict(), m.parentKey(at), items, !m.Refilled)
	case opTuple:
		v, err = m.h.Tuple(items)
	case opAddItems:
		m.sp = at
		_, err := m.top()
		return err
	}
	if err != nil {
		return err
	}
	m.sp = at
	return m.push(v)
}

// tuple makes a tuple of the last n values.
func (m *Machine) tuple(n int) error {
	at := m.sp - n
	if at < m.fence() {
		return m.underflow()
	}
	in := &m.in
	if n == 2 && at > m.fence() && m.stack[at-1] == typeTag && in.p < len(in.buf) && in.buf[in.p] == opReduce {
		in.p++ // restore_type_tag(value, name) is value: no tuple is needed
		m.stack[at-1] = m.h.Resolve(m.stack[at])
		m.sp = at
		return nil
	}
	v, err := m.h.Tuple(m.stack[at:m.sp])
	if err != nil {
		return err
	}
	m.sp = at
	return m.push(v)
}
