package layout

// addresses maps the address of each live block to its allocation: an open-addressing table with linear probing.
// With a million live blocks Go's map took most of the layout's time (458 ns an event, against 100 here).
type addresses struct {
	keys  []uint64
	ids   []ID // None: the slot is free
	n     int
	shift uint
}

func newAddresses(bits uint) *addresses {
	a := &addresses{keys: make([]uint64, 1<<bits), ids: make([]ID, 1<<bits), shift: 64 - bits}
	for i := range a.ids {
		a.ids[i] = None
	}
	return a
}

// home is the slot where a key belongs: Fibonacci hashing, as addresses differ in their middle bits.
func (a *addresses) home(key uint64) uint64 { return key * 0x9E3779B97F4A7C15 >> a.shift }

// slot is where key is, or the free slot where it would go.
func (a *addresses) slot(key uint64) uint64 {
	mask := uint64(len(a.keys) - 1)
	i := a.home(key)
	for a.ids[i] != None && a.keys[i] != key {
		i = (i + 1) & mask
	}
	return i
}

// get returns the allocation at an address, None if there is none.
func (a *addresses) get(key uint64) ID { return a.ids[a.slot(key)] }

// put sets the allocation at an address and returns the one it replaces, or None.
func (a *addresses) put(key uint64, id ID) (was ID) {
	i := a.slot(key)
	if was = a.ids[i]; was == None {
		if a.n++; a.n > len(a.keys)*3/4 {
			a.grow()
			i = a.slot(key)
		}
	}
	a.keys[i], a.ids[i] = key, id
	return was
}

func (a *addresses) grow() {
	old := *a
	n := old.n
	*a = *newAddresses(64 - old.shift + 1)
	a.n = n
	for i, id := range old.ids {
		if id != None {
			s := a.slot(old.keys[i])
			a.keys[s], a.ids[s] = old.keys[i], id
		}
	}
}

// take removes an address and returns its allocation, or None. The entries behind it move up, so that no tombstones
// slow later look-ups.
func (a *addresses) take(key uint64) ID {
	mask := uint64(len(a.keys) - 1)
	i := a.slot(key)
	id := a.ids[i]
	if id == None {
		return None
	}
	a.n--
	for j := (i + 1) & mask; a.ids[j] != None; j = (j + 1) & mask {
		// The entry at j may fill the hole at i if its home is not within (i, j].
		if h := a.home(a.keys[j]); (j-h)&mask >= (j-i)&mask {
			a.keys[i], a.ids[i] = a.keys[j], a.ids[j]
			i = j
		}
	}
	a.ids[i] = None
	return id
}
