package layout

import (
	"math/rand/v2"
	"testing"
)

// TestAddresses compares the table with Go's map under random use, with keys that collide.
func TestAddresses(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	a, want := newAddresses(3), map[uint64]ID{}
	for i := range 200_000 {
		key := rng.Uint64N(600) * 512
		if rng.IntN(100) == 0 {
			key += 1 << 63
		}
		switch rng.IntN(3) {
		case 0:
			was := a.put(key, ID(i))
			if id, ok := want[key]; ok != (was != None) || ok && id != was {
				t.Fatalf("step %d: put replaced %d at %#x, want %d (%v)", i, was, key, id, ok)
			}
			want[key] = ID(i)
		case 1:
			got := a.take(key)
			if id, ok := want[key]; ok != (got != None) || ok && id != got {
				t.Fatalf("step %d: took %d at %#x, want %d (%v)", i, got, key, id, ok)
			}
			delete(want, key)
		default:
			got := a.get(key)
			if id, ok := want[key]; ok != (got != None) || ok && id != got {
				t.Fatalf("step %d: got %d at %#x, want %d (%v)", i, got, key, id, ok)
			}
		}
		if a.n != len(want) {
			t.Fatalf("step %d: %d entries, want %d", i, a.n, len(want))
		}
	}
}
