package cache

import (
	"context"
	"encoding/binary"
	"hash/crc32"
	"path/filepath"
	"reflect"
	"testing"

	"strata/snapshot"
)

// fuzzBudget keeps what a fuzzed entry may take small.
const fuzzBudget = 64 << 20

// FuzzEntry reads entries that anybody might have written: as they are, and with every checksum put right, so that
// what is behind the checksums is tried as well. What is taken must be fit for use, and come out of a new entry the
// same.
func FuzzEntry(f *testing.F) {
	for _, name := range []string{"torch1.13.pickle", "torch2.0.pickle", "torch2.13.pickle", "fx.pickle", "no-stacks.pickle", "pools.pickle"} {
		s, err := snapshot.Open(context.Background(), filepath.Join(root, "testdata/generated", name), snapshot.Options{})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(encode(f, shortened(s), header{}))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, entry := range [][]byte{b, repaired(b)} {
			s, err := decode(entry, key{}, fuzzBudget)
			if err != nil {
				continue
			}
			use(s)
			again, err := decode(encode(t, s, header{}), key{}, fuzzBudget)
			if err != nil || !reflect.DeepEqual(s, again) {
				t.Fatalf("not the same from a new entry: %v", err)
			}
		}
	})
}

// shortened leaves a few events of each device, so that a fuzzer has little to change in vain.
func shortened(s *snapshot.Snapshot) *snapshot.Snapshot {
	for i := range s.Devices {
		e := &s.Devices[i].Events
		n := min(6, e.Len())
		e.Action, e.Addr, e.Size, e.Stream, e.Stack = e.Action[:n], e.Addr[:n], e.Size[:n], e.Stream[:n], e.Stack[:n]
		if e.Time != nil {
			e.Time = e.Time[:n]
		}
		if e.Meta != nil {
			e.Meta = e.Meta[:n]
		}
	}
	return s
}

// repaired is an entry with the size and all sums that its catalog asks for.
func repaired(entry []byte) []byte {
	if len(entry) < catalogAt {
		return entry
	}
	b := append([]byte{}, entry...)
	at := len(magic) + 64
	copy(b, magic)
	clear(b[len(magic) : len(magic)+32]) // the key
	binary.LittleEndian.PutUint64(b[at:], uint64(len(b)))
	catalog := binary.LittleEndian.Uint64(b[at+8:])
	if catalog > uint64(len(b)-catalogAt) {
		catalog = uint64(len(b) - catalogAt)
		binary.LittleEndian.PutUint64(b[at+8:], catalog)
	}
	c := &coder{reading: true, catalog: b[catalogAt:][:catalog], budget: fuzzBudget, room: int64(len(b))}
	c.snapshot(&snapshot.Snapshot{})
	blocks := blocksOf(c.columns)
	columns := int64(catalogAt) + int64(catalog) + 4*blocks
	if columns > int64(len(b)) {
		return b
	}
	binary.LittleEndian.PutUint64(b[at+16:], uint64(blocks))
	sums := b[int64(catalogAt)+int64(catalog) : columns]
	rest := b[columns:]
	for i := range c.columns {
		for left := c.columns[i].length; left > 0 && len(sums) > 0; {
			n := min(left, blockBytes, int64(len(rest)))
			if n == 0 {
				break
			}
			binary.LittleEndian.PutUint32(sums, sumOf(rest[:n]))
			sums, rest, left = sums[4:], rest[n:], left-n
		}
	}
	sum := crc32.Update(sumOf(b[:headerBytes-4]), castagnoli, b[catalogAt:columns])
	binary.LittleEndian.PutUint32(b[headerBytes-4:], sum)
	return b
}

// use follows every id in a snapshot, as later layers do.
func use(s *snapshot.Snapshot) (sum int) {
	for i := range s.Stacks.Len() {
		sum += len(s.StackText(snapshot.StackID(i), i%2 == 0))
		if site := s.Stacks.Site[i]; s.IsFramework(site) {
			sum += len(s.FrameText(site))
		}
	}
	for _, m := range s.Metas {
		sum += len(s.Strings[m.Category]) + len(s.Strings[m.User]) + len(s.Strings[m.Internal]) + len(s.Strings[m.CompileContext])
		sum += int(s.Pools[m.Pool].A) + len(s.Stacks.Of(m.Forward))
	}
	devices := s.Devices
	if s.Host != nil {
		devices = append(devices[:len(devices):len(devices)], *s.Host)
	}
	for _, d := range devices {
		e, b := &d.Events, &d.Blocks
		for i := range e.Len() {
			sum += int(e.Action[i]) + int(e.Addr[i]) + int(e.Size[i]) + int(s.Streams[e.Stream[i]]) + len(s.Stacks.Of(e.Stack[i]))
			if e.Time != nil {
				sum += int(e.Time[i])
			}
			if e.Meta != nil {
				sum += int(s.Metas[e.Meta[i]].User)
			}
		}
		for _, g := range d.Segments {
			for i := g.First; i < g.End; i++ {
				sum += int(b.Addr[i]) + int(b.Size[i]) + int(b.Requested[i]) + int(b.State[i]) + len(s.Stacks.Of(b.Stack[i]))
				if b.Forward != nil {
					sum += len(s.Stacks.Of(b.Forward[i]))
				}
			}
			sum += len(s.Stacks.Of(g.Stack)) + len(s.Stacks.Of(g.Forward)) + int(s.Streams[g.Stream]) + int(s.Pools[g.Pool].B)
		}
	}
	for _, a := range s.Annotations {
		sum += len(s.Strings[a.Name])
	}
	return sum
}
