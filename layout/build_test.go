package layout

import (
	"math/rand/v2"
	"testing"
)

// TestAddresses holds the table against Go's map, with few addresses, so that chains form and wrap around the end.
func TestAddresses(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	a, want := newAddresses(4), map[uint64]ID{}
	for i := range 200_000 {
		span := uint64(8 + i/1000*16)
		addr := r.Uint64N(span) * 512
		id, is := a.get(addr)
		if w, has := want[addr]; is != has || is && id != w {
			t.Fatalf("operation %d: get %d = %d, %v; want %d, %v", i, addr, id, is, w, has)
		}
		if r.IntN(2) == 0 {
			a.set(addr, ID(i))
			want[addr] = ID(i)
			continue
		}
		if got, was := a.take(addr); was != is || was && got != id {
			t.Fatalf("operation %d: take %d = %d, %v; want %d, %v", i, addr, got, was, id, is)
		}
		delete(want, addr)
		if a.n != len(want) {
			t.Fatalf("operation %d: %d entries, want %d", i, a.n, len(want))
		}
	}
}
