package snapshot

import "testing"

func TestFirstDevice(t *testing.T) {
	dev := func(index int, times []int64, actions ...Action) Device {
		return Device{Index: index, Events: Events{Action: actions, Time: times}}
	}
	host := dev(-1, nil, ActionAlloc)
	for name, c := range map[string]struct {
		s    Snapshot
		want int
	}{
		"the first with events": {Snapshot{Devices: []Device{dev(0, nil), dev(1, nil, ActionAlloc),
			dev(2, nil, ActionAlloc)}}, 1},
		"the one that ran out": {Snapshot{Devices: []Device{dev(0, nil, ActionAlloc),
			dev(3, nil, ActionOOM, ActionAlloc)}}, 3},
		"the last in time": {Snapshot{Devices: []Device{dev(0, []int64{5, 90}, ActionOOM, ActionOOM),
			dev(1, []int64{50}, ActionOOM)}}, 0},
		"host memory alone": {Snapshot{Devices: []Device{dev(0, nil)}, Host: &host}, -1},
		"segments alone":    {Snapshot{Devices: []Device{dev(4, nil)}}, 4},
	} {
		if got := c.s.FirstDevice(); got == nil || got.Index != c.want {
			t.Errorf("%s: %+v, want device %d", name, got, c.want)
		}
	}
	if (&Snapshot{}).FirstDevice() != nil {
		t.Error("a device of none")
	}
}
