package pickle

// Put, Begin, End, Root and At let another format of the same shape, JSON, build the same values, so that
// limits and salvage hold for it as well.

// Put pushes a value.
func (m *Machine) Put(v Value) error { return m.wrap(m.push(v)) }

// Begin opens a list or a dict. It fails if they are nested too deep.
func (m *Machine) Begin(dict bool) error {
	if len(m.marks) >= m.MaxDepth {
		return m.fail(ErrDepth, "nested more than %d deep", m.MaxDepth)
	}
	v := Absent
	if dict {
		v = m.h.NewDict()
	} else {
		v = m.h.NewList()
	}
	err := m.push(v)
	m.marks = append(m.marks, m.sp)
	return err
}

// End closes the innermost list or dict.
func (m *Machine) End(dict bool) error {
	if dict {
		return m.wrap(m.setItems())
	}
	return m.wrap(m.appends())
}

// Root is the one value on the stack at the end.
func (m *Machine) Root() (Value, error) { return m.stop() }

// At sets the offset that errors name.
func (m *Machine) At(offset int64) { m.start = offset }
