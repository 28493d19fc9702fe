package compare

import (
	"slices"

	"strata/snapshot"
)

// Devices pairs the devices of two snapshots that have the same number; where none has, the first of each
// (snapshot.Snapshot.FirstDevice), as of two ranks. It is empty where one has none.
func Devices(a, b *snapshot.Snapshot) (pairs [][2]*snapshot.Device) {
	all := b.All()
	for _, d := range a.All() {
		if i := slices.IndexFunc(all, func(o *snapshot.Device) bool { return o.Index == d.Index }); i >= 0 {
			pairs = append(pairs, [2]*snapshot.Device{d, all[i]})
		}
	}
	if x, y := a.FirstDevice(), b.FirstDevice(); pairs == nil && x != nil && y != nil {
		pairs = append(pairs, [2]*snapshot.Device{x, y})
	}
	return pairs
}

// GPUs are those of the pairs that are not of pinned host memory; all if there are no others.
func GPUs(pairs [][2]*snapshot.Device) [][2]*snapshot.Device {
	gpus := slices.DeleteFunc(slices.Clone(pairs), func(p [2]*snapshot.Device) bool { return p[0].Index < 0 })
	if len(gpus) == 0 {
		return pairs
	}
	return gpus
}
