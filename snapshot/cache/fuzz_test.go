package cache

import (
	"bytes"
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
	for _, name := range []string{"torch1.13.pickle", "torch2.0.pickle", "torch2.13.pickle", "fx.pickle",
		"no-stacks.pickle", "pools.pickle"} {
		s, err := snapshot.Open(context.Background(), filepath.Join(root, "testdata/generated", name),
			snapshot.Options{})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(encode(f, shortened(s)))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, entry := range [][]byte{b, repaired(b)} {
			s, err := decodeEntry(entry, key{}, fuzzBudget)
			if err != nil {
				continue
			}
			use(s)
			again, err := decodeEntry(encode(t, s), key{}, fuzzBudget)
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

// repaired is an entry with the magic, key and sum that it should have, and no catalog beyond its end.
func repaired(entry []byte) []byte {
	if len(entry) < headerBytes+sumBytes {
		return entry
	}
	b := bytes.Clone(entry)
	copy(b, magic)
	clear(b[len(magic) : headerBytes-8]) // the key
	catalog, most := b[headerBytes-8:headerBytes], uint64(len(b)-headerBytes-sumBytes)
	binary.LittleEndian.PutUint64(catalog, min(binary.LittleEndian.Uint64(catalog), most))
	end := len(b) - sumBytes
	binary.LittleEndian.PutUint32(b[end:], crc32.Checksum(b[:end], castagnoli))
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
		sum += len(s.Strings[m.Category]) + len(s.Strings[m.User]) + len(s.Strings[m.Internal]) +
			len(s.Strings[m.CompileContext])
		sum += int(s.Pools[m.Pool].A) + len(s.Stacks.Of(m.Forward))
	}
	devices := s.Devices
	if s.Host != nil {
		devices = append(devices[:len(devices):len(devices)], *s.Host)
	}
	for _, d := range devices {
		e, b := &d.Events, &d.Blocks
		for i := range e.Len() {
			sum += int(e.Action[i]) + int(e.Addr[i]) + int(e.Size[i]) + int(s.Streams[e.Stream[i]]) +
				len(s.Stacks.Of(e.Stack[i]))
			if e.Time != nil {
				sum += int(e.Time[i])
			}
			if e.Meta != nil {
				sum += int(s.Metas[e.Meta[i]].User)
			}
		}
		for _, g := range d.Segments {
			for i := g.First; i < g.End; i++ {
				sum += int(b.Addr[i]) + int(b.Size[i]) + int(b.Requested[i]) + int(b.State[i]) +
					len(s.Stacks.Of(b.Stack[i]))
				if b.Forward != nil {
					sum += len(s.Stacks.Of(b.Forward[i]))
				}
			}
			sum += len(s.Stacks.Of(g.Stack)) + len(s.Stacks.Of(g.Forward)) + int(s.Streams[g.Stream]) +
				int(s.Pools[g.Pool].B)
		}
	}
	for _, a := range s.Annotations {
		sum += len(s.Strings[a.Name])
	}
	return sum
}
