package snapshot

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"strata/snapshot/pickle"
	"strata/snapshot/unpack"
)

// reading is all that comes of reading a pickle with our own machine.
type reading struct {
	snapshot *Snapshot
	parts    rootParts
	seen     evidence
	end      string // where and why it ended early
	err      string
}

// readOnce reads data as a plain pickle; false if the memory did not suffice, or a container changed after its use.
// Whether that is noticed depends on whether a stack was recognized by its bytes (pickle's stackCache), and such a file
// is read in another way.
func readOnce(data []byte, oneByOne bool) (r reading, ok bool) {
	d := &decoding{ctx: context.Background(), lim: Limits{}.forFile(int64(len(data)), false), src: &Source{},
		total: int64(len(data)), share: func(n int64) int64 { return n }, oneByOne: oneByOne}
	d.reset()
	err := d.stream(pickle.NewMachine(d.b.h, data))
	if d.end != nil {
		r.end = d.end.Error()
	}
	if err == nil {
		r.snapshot, err = d.b.finish(d.root)
	}
	if err != nil {
		r.err = err.Error()
	}
	r.parts, r.seen = d.b.root, d.b.evidence
	return r, !errors.Is(err, pickle.ErrMemory) && !errors.Is(err, pickle.ErrMutated)
}

// sameReading fails t unless data reads the same dict by dict and opcode by opcode.
func sameReading(t *testing.T, name string, data []byte) {
	t.Helper()
	whole, ok1 := readOnce(data, false)
	single, ok2 := readOnce(data, true)
	if !ok1 || !ok2 || reflect.DeepEqual(whole, single) {
		return
	}
	if whole.snapshot != nil && single.snapshot != nil {
		diffSnapshots(t, whole.snapshot, single.snapshot)
	}
	whole.snapshot, single.snapshot = nil, nil
	t.Errorf("%s: dict by dict %+v\nopcode by opcode %+v", name, whole, single)
}

// TestShapes: what is read dict by dict comes out as if every opcode had been read by itself, also where the bytes
// are damaged or end.
func TestShapes(t *testing.T) {
	rng := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	for _, form := range append(allForms, formGap) {
		for range 4 {
			sameReading(t, form.String(), encode(manyEvents(rng, 400), form))
		}
	}
	files := snapshotFiles(t)
	more, _ := filepath.Glob("../../shared/cases/*.pickle")
	for _, f := range append(files, more...) {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if len(data) < 2 || unpack.Sniff(data) != unpack.Pickle {
			continue
		}
		sameReading(t, f, data)
		for range max(2, min(30, 2<<20/len(data))) {
			damaged := bytes.Clone(data)
			for range 1 + rng.IntN(4) {
				damaged[rng.IntN(len(damaged))] = byte(rng.Uint32())
			}
			if rng.IntN(4) == 0 {
				damaged = damaged[:1+rng.IntN(len(damaged)-1)]
			}
			sameReading(t, f+", damaged", damaged)
		}
	}
}

// TestShapesAnnotate: an annotation spelled as allocations are, its action a word that was met elsewhere, says
// which PyTorch it was all the same.
func TestShapesAnnotate(t *testing.T) {
	data, end := string(spelledAs("size", "K\x07")), "eeu."
	data = strings.TrimSuffix(data, end)
	event := data[strings.LastIndex(data, "}(h\x01h\x02"):]
	data += "\x8c\x08annotateq\x08" + strings.Repeat(event, 5) + strings.Replace(event, "h\x02", "h\x08", 1) +
		strings.Repeat(event, 10) + end // the last few hundred bytes are read opcode by opcode anyway
	if r, _ := readOnce([]byte(data), true); !r.seen.annotate {
		t.Fatal("there is no annotation")
	}
	sameReading(t, "an annotation", []byte(data))
}

// TestShapesSpelled: dicts that differ in one value only, and in how that is spelled.
func TestShapesSpelled(t *testing.T) {
	for _, spelled := range []string{
		"K\x07", "M\x07\x01", "J\x07\x00\x00\x00", "J\xff\xff\xff\xff", "\x8a\x00", "\x8a\x01\x07", "\x8a\x01\xff",
		"\x8a\x08\x01\x02\x03\x04\x05\x06\x07\x08",
		"\x8a\x08\xff\xff\xff\xff\xff\xff\xff\xff", "\x8a\x08\x00\x00\x00\x00\x00\x00\x00\x08",
		"\x8a\x09\x01\x02\x03\x04\x05\x06\x07\x08\x01", "N", "\x88", "\x89",
		"h\x01", "j\x01\x00\x00\x00", "h\x03", "X\x01\x00\x00\x00a", "\x8c\x01a", "\x8c\x0aabcdefghij",
		"X\x0a\x00\x00\x00abcdefghij", "X\x00\x00\x00\x00\x94",
		"]", "]\x94", "](h\x00h\x00h\x00h\x00h\x00h\x00h\x00h\x00h\x00h\x00h\x00e", "K\x07K\x08\x86",
		"K\x07K\x08\x86\x94", "J\xff\xff\xff\xffK\x08\x86", "K\x07\x8a\x04\xff\xff\xff\xff\x86",
		"\x8a\x09\x01\x02\x03\x04\x05\x06\x07\xff\x00", "\x8a\x09\x01\x02\x03\x04\x05\x06\x07\x08\x00",
		"\x8a\x08\x01\x02\x03\x04\x05\x06\x07\x08K\x08\x86",
		"}h\x01K\x07s", "}\x94h\x01K\x07s", "}\x94", "}(\x8c\x01aK\x07h\x01h\x02u",
		"}\x94(\x8c\x01a\x94\x8c\x02bc\x94X\x01\x00\x00\x00b\x94\x8a\x08\x01\x02\x03\x04\x05\x06\x07\x08u",
		"}(h\x01Nh\x02\x88h\x03J\xff\xff\xff\xffu", "}h\x01\x85h\x02s", "}h\x01]s", "}h\x01}s",
		"}(h\x01](h\x00eh\x02h\x00u", "}(G\x40\x14\x00\x00\x00\x00\x00\x00h\x01u",
		"K\x00\x8a\x00\x86", "G\x40\x14\x00\x00\x00\x00\x00\x00", "}", "}(h\x01h\x02u", ")", "h\x01\x85", "\x8f",
	} {
		for _, key := range []string{"size", "time_us", "frames", "user_metadata", "pool_id", "what"} {
			sameReading(t, strconv.Quote(spelled)+" as "+key, spelledAs(key, spelled))
		}
	}
}

// TestShapesEither: dicts that are spelled with as many bytes, some of them beyond what is usual.
func TestShapesEither(t *testing.T) {
	for _, values := range [][2]string{
		{"J\xff\xff\xff\x0fK\x08\x86", "J\x00\x00\x00\x10K\x08\x86"}, {"K\x08J\xff\xff\xff\x0f\x86",
			"K\x08J\x00\x00\x00\x10\x86"},
		{"K\x08J\xff\xff\xff\x0f\x86", "K\x08J\xff\xff\xff\xff\x86"}, {"J\x07\x00\x00\x00K\x08\x86",
			"J\xff\xff\xff\xffK\x08\x86"},
		{"\x8a\x08\x01\x02\x03\x04\x05\x06\x07\x00", "\x8a\x08\x01\x02\x03\x04\x05\x06\x07\x77"},
		{"\x8a\x07\x01\x02\x03\x04\x05\x06\x07", "\x8a\x07\x01\x02\x03\x04\x05\x06\xf7"},
		{"\x8a\x09\x01\x02\x03\x04\x05\x06\x07\xff\x00", "\x8a\x09\x01\x02\x03\x04\x05\x06\x07\xff\x01"},
		{"\x8a\x09\x01\x02\x03\x04\x05\x06\x07\xff\x00", "\x8a\x09\x01\x02\x03\x04\x05\x06\x07\x0f\x00"},
		{"}(h\x01K\x07h\x02K\x08u", "}(h\x01K\x07h\x02K\x09u"}, {"}h\x01K\x07s", "}h\x01]s"}, {"}", "}h\x01K\x07s"},
		{"}\x94", "}\x94h\x01K\x07s"},
	} {
		for _, key := range []string{"addr", "size", "time_us", "user_metadata", "pool_id", "what"} {
			sameReading(t, strconv.Quote(values[0]+" or "+values[1])+" as "+key, spelledEither(key, values[0],
				values[1]))
			sameReading(t, strconv.Quote(values[1]+" or "+values[0])+" as "+key, spelledEither(key, values[1],
				values[0]))
		}
	}
}

// spelledAs is a snapshot whose events have the same value under key, which is spelled so, and all else alike; now
// and then another value.
func spelledAs(key, spelled string) []byte { return spelledEither(key, spelled, "K\x55") }

// spelledEither does it with the other value given.
func spelledEither(key, spelled, value string) []byte {
	str := func(s string) string { return "X" + string(rune(len(s))) + "\x00\x00\x00" + s }
	first := "}(" + str("action") + "q\x01" + str("alloc") + "q\x02" + str(key) + "q\x03" + spelled
	again := "}(h\x01h\x02h\x03" + spelled
	n := 0 // of keys more
	for _, k := range []string{"stream", "frames", "time_us", "addr", "size"} {
		v := "K\x0a"
		if k == "frames" {
			v = "](" + strings.Repeat("h\x00", 10) + "e"
		}
		if k != key {
			first += str(k) + "q" + string(rune(4+n)) + v
			again += "h" + string(rune(4+n)) + v
			n++
		}
	}
	first, again = first+"u", again+"u"
	other := strings.Replace(again, spelled, value, 1)
	frame := "}(" + str("name") + str("f") + "uq\x00"
	return []byte("\x80\x04}(" + str("segments") + "]" + str("what") + frame + str("device_traces") + "](](" + first +
		strings.Repeat(again, 5) + strings.Repeat(other, 3) + strings.Repeat(again, 3) + strings.Repeat(other+again,
		3) + "eeu.")
}

// TestShapesMemo: dicts of one shape whose memo entries skip indices, or are stored where something else is, or
// whose keys change under them.
func TestShapesMemo(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 7))
		str := func(s string) string { return "X" + string(rune(len(s))) + "\x00\x00\x00" + s }
		b := []byte("\x80\x04}(" + str("segments") + "]" + str("device_traces") + "](](}q\x00(" + str("action") +
			"q\x01" +
			str("alloc") + "q\x02" + str("addr") + "q\x03K\x05" + str("size") + "q\x04K\x07" + str("user_metadata") +
			"q\x05}" + str("a") + "q\x06" + str("b") + "q\x07su")
		n := byte(8) // the next index
		for n < 200 {
			put := "q" + string([]byte{n})
			switch odd := rng.IntN(60); {
			case odd == 0: // an index is left out, and met later
				put = "q" + string([]byte{n + byte(rng.IntN(9))})
			case odd == 1: // over another one
				put = "q" + string([]byte{byte(rng.IntN(int(n)))})
			case odd == 2:
				b = append(b, str([]string{"free", "size", "odd"}[rng.IntN(3)])+"q"+
					string([]byte{byte(1 + rng.IntN(7))})+"0"...)
			case seed%2 == 0:
				put = "\x94"
			}
			b = append(b, "}"+put+"(h\x01h\x02h\x03K"+string([]byte{n})+"h\x04"...)
			switch rng.IntN(8) {
			case 0:
				b = append(b, 'h', byte(rng.IntN(int(n))))
			default:
				b = append(b, "K\x07"...)
			}
			b = append(b, "h\x05}h\x06h"+string([]byte{byte(5 + rng.IntN(3))})+"su"...)
			n++
		}
		sameReading(t, "seed "+strconv.FormatUint(seed, 10), append(b, "eeu."...))
	}
}

// TestShapesInner: events with dicts of their own, in all the ways in which what is in them can be met again.
func TestShapesInner(t *testing.T) {
	for _, form := range append(allForms, formGap) {
		for seed := range uint64(20) {
			sameReading(t, form.String()+", seed "+strconv.FormatUint(seed, 10),
				encode(innerEvents(rand.New(rand.NewPCG(seed, 9)), 300), form))
		}
	}
}

// FuzzShapes is TestShapes on any bytes.
func FuzzShapes(f *testing.F) {
	seeds(f)
	rng := rand.New(rand.NewPCG(3, 1))
	for _, form := range append(allForms, formGap) {
		f.Add(encode(manyEvents(rng, 8), form))
		f.Add(encode(innerEvents(rng, 12), form))
	}
	f.Add(spelledAs("user_metadata", "}\x94(\x8c\x01a\x94\x8c\x02bc\x94h\x01Nu"))
	f.Add(spelledAs("addr", "\x8a\x09\x01\x02\x03\x04\x05\x06\x07\xff\x00"))
	f.Add(spelledAs("size", "J\xff\xff\xff\xff"))
	f.Add(spelledAs("frames", "]\x94"))
	f.Add(spelledAs("pool_id", "K\x07K\x08\x86\x94"))
	f.Add(spelledAs("user_metadata", "\x8c\x0aabcdefghij"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < 1<<16 {
			sameReading(t, "fuzz", data)
		}
	})
}

// TestShapesSharedEmpty: an empty list that one event has under two keys says nothing of what an empty list under
// only one of them becomes.
func TestShapesSharedEmpty(t *testing.T) {
	events := listOf()
	for i := range 40 {
		a, b := listOf(), listOf()
		if i < 10 {
			b = a
		}
		events.items = append(events.items, dictOf("action", "alloc", "addr", i*512, "size", 512, "frames", a,
			"user_metadata", b))
	}
	sameReading(t, "an empty list under two keys", encode(dictOf("segments", listOf(), "device_traces", listOf(events)),
		form4))
}

// TestShapesSkippedEmpty: the empty list of an event that is skipped becomes what that of any other event does,
// whoever has it afterwards.
func TestShapesSkippedEmpty(t *testing.T) {
	events := listOf()
	var skipped *node
	for i := range 60 {
		a, action, size, addr := listOf(), any("alloc"), any(512), any(i*512)
		switch i % 9 {
		case 3:
			action = "odd"
		case 5:
			size = -1
		case 7:
			addr = nil
		}
		e := []any{"action", action, "addr", addr, "size", size, "frames", a}
		if skipped != nil {
			e = append(e, "user_metadata", skipped)
		}
		skipped = nil
		if i%9 == 3 || i%9 == 5 || i%9 == 7 {
			skipped = a
		}
		events.items = append(events.items, dictOf(e...))
	}
	sameReading(t, "an empty list of a skipped event",
		encode(dictOf("segments", listOf(), "device_traces", listOf(events)), form4))
}
