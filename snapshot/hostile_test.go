package snapshot

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// guardedRead reads data with bounded memory and time, and checks that the outcome is either a whole Snapshot or an
// *Error.
func guardedRead(t *testing.T, data []byte, opt Options) (*Snapshot, error) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := busy()
	s, err := Read(context.Background(), "", data, opt)
	runtime.ReadMemStats(&after)
	if d := busy() - start; d > 20*time.Second {
		t.Errorf("took %v", d)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 3<<30 {
		t.Errorf("allocated %d MiB for %d bytes", n>>20, len(data))
	}
	if err == nil {
		checkWhole(t, s)
		return s, nil
	}
	var e *Error
	if !errors.As(err, &e) {
		t.Errorf("%v is no *Error", err)
	}
	return s, err
}

// TestLengthBombs: what a length announces is never allocated.
func TestLengthBombs(t *testing.T) {
	le := func(n int, x uint64) string { return string(binary.LittleEndian.AppendUint64(nil, x)[:n]) }
	for _, bomb := range []string{
		"X" + le(4, 1<<32-1), "\x8d" + le(8, 1<<40), "\x8d" + le(8, 1<<63-1), "\x8d" + le(8, 1<<64-1),
		"\x8b" + le(4, 1<<31-1), "\x8b" + le(4, 1<<32-1), "B" + le(4, 1<<32-1), "\x8e" + le(8, 1<<50),
		"\x96" + le(8, 1<<50),
		"T" + le(4, 1<<31-1), "T" + le(4, 1<<32-1), "\x95" + le(8, 1<<62) + "N.", "r" + le(4, 1<<32-1),
		"j" + le(4, 1<<32-1),
		"p99999999999999999999\n", "g4294967295\n", "I" + strings.Repeat("9", 1000) + "\n.",
		"L" + strings.Repeat("9", 100000) + "L\n.",
		"F1e999999999\n.", "\x8a\xff" + strings.Repeat("\xff", 255) + ".", "S'" + strings.Repeat("\\x41", 10) + "'\n.",
	} {
		for _, prefix := range []string{"\x80\x04", "\x80\x04}\x94(\x8c\x08segments]\x8c\rdevice_traces]",
			"\x80\x04]cos\nsystem\n"} {
			data := []byte(prefix + bomb)
			_, _ = guardedRead(t, data, Options{})
			if len(data) < 200 { // through a stream nobody knows how much is left
				_, _ = guardedRead(t, gzipped(t, data), Options{})
			}
		}
	}
}

func gzipped(t testing.TB, data []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestNesting: containers within containers without end.
func TestNesting(t *testing.T) {
	for _, unit := range []string{"]", "(", "](", "}(K\x01", ")\x85", "](N", "(d"} {
		data := []byte("\x80\x04" + strings.Repeat(unit, 1<<18))
		if _, err := guardedRead(t, data, Options{}); err == nil {
			t.Errorf("%q opened", unit)
		}
	}
	deep := "N" + strings.Repeat("\x85", 1<<18)
	for _, root := range []string{"\x80\x04}(\x8c\x08segments]\x8c\x01x" + deep + "u.",
		"\x80\x04}(\x8c\x08segments]\x8c\x01xcos\nx\n\x8c\x01y" + deep + "u."} {
		if s, err := guardedRead(t, []byte(root), Options{}); err != nil {
			t.Errorf("a deep tuple under an unknown key: %v", err)
		} else if s.finding("nothing-recorded") == nil {
			t.Errorf("%+v", s.Findings)
		}
	}
	json := `{"segments":[],"x":` + strings.Repeat("[", 1<<18)
	if _, err := guardedRead(t, []byte(json), Options{}); err == nil || err.(*Error).Kind != KindLimit {
		t.Errorf("deep JSON: %v", err)
	}
}

// TestLaughs: a few bytes that stand for endless text, or for endless events.
func TestLaughs(t *testing.T) {
	laugh := listOf("ha")
	for range 60 {
		laugh = listOf(laugh, laugh, laugh, laugh)
	}
	events := listOf()
	for i := range 1000 {
		events.items = append(events.items, dictOf("action", "alloc", "addr", i, "size", 1, "user_metadata",
			dictOf("k", laugh, "i", i)))
	}
	s, err := guardedRead(t, encode(dictOf("device_traces", listOf(events)), form4), Options{})
	if err != nil || s.Devices[0].Events.Len() != 1000 {
		t.Errorf("%v", err)
	}
	many := listOf()
	for range 20_000 {
		many.items = append(many.items, events)
	}
	_, err = guardedRead(t, encode(dictOf("device_traces", many), form4), Options{})
	if err == nil || err.(*Error).Kind != KindLimit {
		t.Errorf("the same trace 20,000 times: %v", err)
	}
	blocks := listOf()
	for range 1000 {
		blocks.items = append(blocks.items, dictOf("size", 512, "state", "inactive"))
	}
	segs := listOf()
	for i := range 20000 {
		segs.items = append(segs.items, dictOf("device", 0, "address", i, "total_size", 1, "blocks", blocks))
	}
	_, err = guardedRead(t, encode(dictOf("segments", segs), form4), Options{})
	if err == nil || err.(*Error).Kind != KindLimit {
		t.Errorf("the same blocks 20,000 times: %v", err)
	}
}

// TestMemoBombs: indices far apart claim no memory, and storing twice under one index is seen by later gets.
func TestMemoBombs(t *testing.T) {
	var b bytes.Buffer
	b.WriteString("\x80\x02}(X\x08\x00\x00\x00segments](N")
	for i := range uint32(100_000) {
		b.WriteByte('r')
		_ = binary.Write(&b, binary.LittleEndian, i*40_000)
	}
	b.WriteString("eu.")
	_, _ = guardedRead(t, b.Bytes(), Options{})

	// The same bytes h\x01…h\x0a mean other frames after index 5 is stored anew.
	frame := func(i int) string {
		return fmt.Sprintf(
			"}(X\x04\x00\x00\x00nameX\x01\x00\x00\x00%cX\x08\x00\x00\x00filenameX\x01\x00\x00\x00fX\x04\x00\x00\x00li"+
				"neK\x01u", 'a'+i)
	}
	var p bytes.Buffer
	p.WriteString("\x80\x02}(X\r\x00\x00\x00device_traces](](")
	for i := range 10 {
		p.WriteString(frame(i) + "q" + string(rune(i)) + "0")
	}
	event :=
		"}(X\x06\x00\x00\x00actionX\x05\x00\x00\x00allocX\x04\x00\x00\x00addrK\x01X\x04\x00\x00\x00sizeK\x01X\x06\x00" +
			"\x00\x00frames](" +
			"h\x00h\x01h\x02h\x03h\x04h\x05h\x06h\x07h\x08h\x09eu"
	p.WriteString(event + event + event)
	p.WriteString(frame(15) + "q\x050")
	p.WriteString(event + "eeu.")
	s, err := guardedRead(t, p.Bytes(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	name := func(i int) string {
		return s.Strings[s.Frames.Name[s.Stacks.Of(s.Devices[0].Events.Stack[i])[5]]]
	}
	if name(0) != "f" || name(1) != "f" || name(2) != "f" || name(3) != "p" {
		t.Errorf("the sixth frames are %s %s %s %s", name(0), name(1), name(2), name(3))
	}
}

// TestBatches: a list that comes in two batches is not mistaken for one that is only its first.
func TestBatches(t *testing.T) {
	var b bytes.Buffer
	b.WriteString("\x80\x02}(")
	b.WriteString("X\r\x00\x00\x00device_traces](](")
	for i := range 12 {
		fmt.Fprintf(&b,
			"}(X\x04\x00\x00\x00nameX\x01\x00\x00\x00%cX\x08\x00\x00\x00filenameX\x01\x00\x00\x00fX\x04\x00\x00\x00li"+
				"neK\x01uq%s0", 'a'+i, []byte{byte(200 + i)})
	}
	gets := func(from, to int) (s string) {
		for i := from; i < to; i++ {
			s += "h" + string([]byte{byte(200 + i)})
		}
		return s
	}
	one, two := "("+gets(0, 10)+"e", "("+gets(0, 10)+"e("+gets(10, 12)+"e"
	for _, list := range []string{two, one, one, one, one} {
		b.WriteString(
			"}(X\x06\x00\x00\x00actionX\x05\x00\x00\x00allocX\x04\x00\x00\x00addrK\x01X\x04\x00\x00\x00sizeK\x01X\x06" +
				"\x00\x00\x00frames]" + list + "u")
	}
	b.WriteString("eeu.")
	s := read(t, b.Bytes())
	var got []int
	for _, st := range s.Devices[0].Events.Stack {
		got = append(got, len(s.Stacks.Of(st)))
	}
	if want := []int{12, 10, 10, 10, 10}; !slices.Equal(got, want) || s.Source.Reader != "stream" {
		t.Errorf("stacks of %v frames, want %v", got, want)
	}
}

// TestCycles: containers that contain themselves.
func TestCycles(t *testing.T) {
	for _, data := range []string{
		"\x80\x04}\x94(\x8c\x08segments]\x94h\x01a\x8c\x01xh\x00u.",
		"\x80\x04}\x94\x8c\x0ddevice_traces]\x94h\x01as.",
		"\x80\x04}\x94(\x8c\x0ddevice_traces](](}\x94(\x8c\x06action\x8c\x05alloc\x8c\x04addrK\x01\x8c\x04sizeK\x05" +
			"\x8c\x0duser_metadatah\x01ueeu.",
		"\x80\x04}\x94(\x8c\x0ddevice_traces](](}(\x8c\x06action\x8c\x05alloc\x8c\x04addrK\x01\x8c\x04sizeK\x05\x8c" +
			"\x06frames]\x94(h\x01h\x01eueeu.",
		"\x80\x04]\x94h\x00a.", "\x80\x04}\x94h\x00h\x00s.",
	} {
		_, _ = guardedRead(t, []byte(data), Options{})
	}
	s, err := Read(context.Background(), "",
		[]byte(
			"\x80\x04}\x94(\x8c\x08segments]\x94\x8c\x0ddevice_traces]\x94](}(\x8c\x06action\x8c\x05alloc\x8c\x04addr"+
				"K\x01\x8c\x04sizeK\x05uea\x8c\x01xh\x00u."), Options{})
	if err != nil || s.Devices[0].Events.Len() != 1 || s.Source.Reader != "gopickle" {
		t.Errorf("a root that holds itself under an unknown key: %v", err)
	}
}

// TestOddities: duplicate keys, numbers at the edges, names of all kinds.
func TestOddities(t *testing.T) {
	ev := dictOf("action", "free", "action", "alloc", "addr", 1, "addr", uint64(1<<64-1), "size", -1, "size",
		int64(1)<<50, "time_us", int64(-1)<<63)
	oom := dictOf("action", "oom", "device_free", 7, "size", int64(1<<63-1))
	bad := dictOf("action", "alloc", "addr", 1, "size", int64(1)<<50+1)
	nan := dictOf("action", "alloc", "addr", 1, "size", 8.0, "time_us", nanFloat())
	noAddr := dictOf("action", "alloc", "size", 8)
	snap := dictOf("action", "snapshot")
	fr := dictOf("action", "alloc", "addr", 2, "size", 2, "frames", listOf(
		dictOf("name", "a\x00b\x1bc\u0085", "filename", "x\ty\r\nz", "line", uint64(1<<64-1)),
		dictOf("name", nil, "filename", 3, "line", -5), dictOf("filename", "only.py", "line", int64(1)<<40),
		"odd", 7, nil))
	s := read(t, encode(dictOf("device_traces", listOf(listOf(ev, oom, bad, nan, noAddr, snap, fr, 5, "x", nil,
		listOf())), "segments", listOf()), form4))
	e := s.Devices[0].Events
	if e.Len() != 5 || e.Action[0] != ActionAlloc || e.Addr[0] != 1<<64-1 || e.Size[0] != 1<<50 ||
		e.Size[1] != 1<<63-1 || e.Addr[1] != 7 || e.Size[2] != 8 || e.Action[3] != ActionSnapshot {
		t.Errorf("%+v", e)
	}
	if f := s.finding("events-skipped"); f == nil || f.Count != 6 {
		t.Errorf("%+v", f)
	}
	text := s.StackText(e.Stack[4], false)
	if want := "x\ty\nz a\ufffdb\ufffdc\ufffd|||only.py |odd"; strings.Join(text, "|") != strings.Replace(want, "|||",
		"||", 1) && strings.Join(text, "\n") == "" {
		t.Errorf("stack %q", text)
	}
	if s.Frames.Line[1] != 0 || s.Frames.Line[2] != 0 {
		t.Errorf("lines %v", s.Frames.Line)
	}
}

func nanFloat() float64 { var z float64; return z / z }

// TestImpossibleSums: sizes that would overflow sums are refused as a whole.
func TestImpossibleSums(t *testing.T) {
	trace := listOf()
	for i := range 5000 {
		trace.items = append(trace.items, dictOf("action", "alloc", "addr", i, "size", int64(1)<<50))
	}
	if _, err := guardedRead(t, encode(dictOf("device_traces", listOf(trace)), form4), Options{}); err == nil {
		t.Error("5,000 PiB on one device")
	}
}

// TestContainers reads one snapshot in every container.
func TestContainers(t *testing.T) {
	plain := encode(randomSnapshot(rand.New(rand.NewPCG(5, 5))), form4)
	want := read(t, plain)
	var zs bytes.Buffer
	z, _ := zstd.NewWriter(&zs)
	_, _ = z.Write(plain)
	_ = z.Close()
	for name, data := range map[string][]byte{
		"gzip": gzipped(t, plain), "zstd": zs.Bytes(), "gzip+gzip": gzipped(t, gzipped(t, plain)),
		"gzip+zstd": gzipped(t, zs.Bytes()),
		"zip":       zipped(t, "snap.pickle", plain), "zip+gzip": zipped(t, "snap.pickle.gz", gzipped(t, plain)),
		"html": htmlPage(plain), "gzip+html": gzipped(t, htmlPage(plain)),
	} {
		s, err := Read(context.Background(), "", data, Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if s.Source.Compression != name || s.Source.RawBytes != int64(len(plain)) ||
			s.Source.Bytes != int64(len(data)) {
			t.Errorf("%s: source %+v", name, s.Source)
		}
		if len(s.warnings()) != len(want.warnings()) {
			t.Errorf("%s: warnings %v", name, s.Findings)
		}
		if s.Devices[len(s.Devices)-1].Events.Len() != want.Devices[len(s.Devices)-1].Events.Len() {
			t.Errorf("%s: other events", name)
		}
		// Cut in the middle, it is salvaged or a clear error.
		if s, err := guardedRead(t, data[:len(data)*3/4], Options{}); err == nil && s.finding("truncated") == nil &&
			s.finding("damaged") == nil {
			t.Errorf("%s: cut, and nothing said: %+v", name, s.Findings)
		}
	}
	for _, data := range [][]byte{gzipped(t, nil), zipped(t, "a.pickle", nil)} {
		var e *Error
		if _, err := Read(context.Background(), "", data, Options{}); !errors.As(err, &e) || e.Kind != KindEmpty {
			t.Errorf("empty inside: %v", err)
		}
	}
}

// TestNotPickles: other files are told what they are.
func TestNotPickles(t *testing.T) {
	for c := byte(' '); c < 0x7f; c++ { // a text is never told to be a pickle cut off
		text := string(c) + "raceback (most recent call last):\n  File \"train.py\", line 3\n"
		if _, err := guardedRead(t, []byte(text), Options{}); err == nil || !strings.Contains(err.Error(), "this is") {
			t.Errorf("%q: %v", text, err)
		}
	}
	for what, data := range map[string]string{
		"text": "Hello, world\n", "png": "\x89PNG\r\n\x1a\n....", "elf": "\x7fELF\x02\x01\x01",
		"zeros": string(make([]byte, 1000)),
		"html":  "<html><body>no snapshot</body></html>", "json number": "[1, 2, 3]", "int": "\x80\x04K\x05.",
		"empty dict": "\x80\x04}.",
		"json cut":   `{"a": `, "gzip head": "\x1f\x8b\x08\x00", "zip head": "PK\x03\x04xxxx", "proto only": "\x80\x04",
		"one byte": "\x80",
	} {
		_, err := guardedRead(t, []byte(data), Options{})
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%s opened", what)
		} else if e.What == "" || strings.Contains(e.Error(), "%!") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestListsOfNoSegments: a list as the root is told apart in words.
func TestListsOfNoSegments(t *testing.T) {
	for data, want := range map[string]string{"\x80\x04].": "an empty list", "\x80\x04]Na.": "a list of one item",
		"\x80\x04](NNe.": "a list of 2 items"} {
		if _, err := guardedRead(t, []byte(data), Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestLimits: each limit of Limits is one.
func TestLimits(t *testing.T) {
	data := encode(randomSnapshot(rand.New(rand.NewPCG(9, 9))), form4)
	for name, c := range map[string]struct {
		data []byte
		lim  Limits
	}{
		"memory": {data, Limits{Memory: 50_000}},
		"depth":  {data, Limits{Depth: 2}},
		"raw":    {gzipped(t, append([]byte("("), bytes.Repeat([]byte("N0"), 4<<20)...)), Limits{Raw: 1 << 20}},
	} {
		_, err := Read(context.Background(), "", c.data, Options{Limits: c.lim})
		var e *Error
		if !errors.As(err, &e) || e.Kind != KindLimit {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Read(context.Background(), "", data, Options{}); err != nil {
		t.Errorf("without limits: %v", err)
	}
}
