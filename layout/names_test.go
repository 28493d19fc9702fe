package layout

import (
	"testing"

	"strata/snapshot"
)

// TestPoolName: pools have the names that PyTorch's users know, and one that was not recorded is not called the
// default one.
func TestPoolName(t *testing.T) {
	s := &snapshot.Snapshot{Pools: []snapshot.Pool{{}, {}, {A: 0, B: 7}, {A: 3}, {A: 1, B: 2}}}
	for id, want := range [][2]string{
		{"not recorded", "pool not recorded"}, {"default", "default pool"}, {"MemPool 7", "MemPool 7"},
		{"CUDA graph 3", "CUDA graph 3"}, {"(1, 2)", "pool (1, 2)"},
	} {
		name := PoolName(s, snapshot.PoolID(id))
		if name != want[0] || PoolTitle(name) != want[1] {
			t.Errorf("pool %d is %q, %q, want %q", id, name, PoolTitle(name), want)
		}
	}
}
