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
