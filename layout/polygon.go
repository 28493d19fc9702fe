package layout

// Polygon is the lower edge of an allocation on the Events axis, as corners: between two of them it is a straight
// line. Its upper edge is Size higher. Both are nil for an allocation that is not drawn. Corners are made on
// request, in time proportional to the allocation's life: all polygons together have a corner for every (free,
// block above it) pair.
func (t *Timeline) Polygon(id ID) (timesteps []int32, offsets []int64) {
	if !t.Drawn(id) {
		return nil, nil
	}
	var at int64
	end := t.Timestep[len(t.Actions)]
	last := int32(len(t.Actions)) // actions [Birth, last) happen in its life
	if d := t.Death[id]; d != Never {
		last, end = d-1, t.Timestep[d-1]+1
	}
	first := Moment{Step: t.Birth[id]}
	at, _ = t.Offset(id, first)
	if first.Step > 0 {
		timesteps = append(timesteps, t.Timestep[first.Step-1])
	} else {
		timesteps = append(timesteps, 0)
	}
	offsets = append(offsets, at)
	for a := first.Step; a < last; a++ {
		x := t.Actions[a]
		if x >= 0 || !t.Drawn(^x) || !t.below(^x, id) {
			continue
		}
		begin := t.Timestep[a] + 1
		timesteps = append(timesteps, begin, begin+slideSteps)
		offsets = append(offsets, at, at-t.Size[^x])
		at -= t.Size[^x]
	}
	return append(timesteps, end), append(offsets, at)
}

// Summary is the band that sums up the undrawn allocations: at each of the timesteps its lower edge (the bytes
// drawn) and its height, as the reference notes them, once for every stretch of constant usage (FORMAT.md, sections
// 9.4 and 9.6).
func (t *Timeline) Summary() (timesteps []int32, offsets, sizes []int64) {
	note := func(step, state int32) {
		var undrawn int64
		if t.Undrawn != nil {
			undrawn = t.Undrawn[state]
		}
		timesteps = append(timesteps, step)
		offsets = append(offsets, t.Total[state]-undrawn)
		sizes = append(sizes, undrawn)
	}
	for a := range t.Actions {
		step := t.Timestep[a]
		note(step, t.Shown(int32(a)))
		if t.Timestep[a+1]-step > 1 {
			note(step+1, int32(a)) // the slide: usage still counts the freed block
		}
	}
	return timesteps, offsets, sizes
}
