package snapshot

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"
)

// TestDamagedLength: a length beyond all memory is damage where less is left, whatever the file is packed in; what
// comes before it is shown.
func TestDamagedLength(t *testing.T) {
	data := encode(manyEvents(rand.New(rand.NewPCG(5, 5)), 9000), form4)
	at := len(data)/2 + bytes.Index(data[len(data)/2:], []byte("}\x94("))
	copy(data[at:], "X\xff\xff\xff\xff")
	want := 0
	for i, packed := range [][]byte{data, gzipped(t, data), zipped(t, "a.pickle", data)} {
		s, err := Read(context.Background(), "", packed, Options{Limits: Limits{Memory: 64 << 20}})
		if err != nil {
			t.Fatalf("%d: %v", i, err)
		}
		if i == 0 {
			want = s.Devices[0].Events.Len()
		}
		if got := s.Devices[0].Events.Len(); got < 3000 || got != want {
			t.Errorf("%d: %d events, want %d", i, got, want)
		}
		if f := s.Findings[0]; f.ID != "damaged" || f.Offset != int64(at) ||
			!strings.Contains(f.Explain, fmt.Sprintf("a length of %d where", uint32(1<<32-1))) {
			t.Errorf("%d: %+v, want it at %d", i, f, at)
		}
	}
}

// TestDamage flips bytes of real files at random places.
func TestDamage(t *testing.T) {
	files := snapshotFiles(t)
	rng := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	if testing.Short() {
		files = files[:5]
	}
	salvaged := 0
	for _, f := range files {
		orig, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		tries := max(2, min(40, 4<<20/len(orig)))
		for range tries {
			data := bytes.Clone(orig)
			for range 1 + rng.IntN(3) {
				data[rng.IntN(len(data))] = byte(rng.Uint32())
			}
			if rng.IntN(4) == 0 {
				data = data[:rng.IntN(len(data))]
			}
			if len(data) == 0 {
				continue
			}
			s, err := Read(context.Background(), "", data, Options{})
			if err != nil {
				var e *Error
				if !errors.As(err, &e) {
					t.Errorf("%s: %v", f, err)
				}
				continue
			}
			checkWhole(t, s)
			salvaged++
		}
	}
	if salvaged == 0 {
		t.Error("nothing was salvaged")
	}
}
