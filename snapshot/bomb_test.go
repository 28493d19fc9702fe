package snapshot

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
)

// laughs is a list that nests w references to one list n times over.
func laughs(n, w int) *node {
	l := listOf("lol lol lol lol lol")
	for range n {
		items := make([]any, w)
		for i := range items {
			items[i] = l
		}
		l = listOf(items...)
	}
	return l
}

// TestAmplification: small files that name big things very often end at the memory limit, before they cost memory
// or time out of proportion.
func TestAmplification(t *testing.T) {
	joke := laughs(12, 10)
	metas := func(meta func(i int) any) *node {
		events := listOf()
		for i := range 20_000 {
			events.items = append(events.items, event("alloc", i, 1, "user_metadata", meta(i)))
		}
		return dictOf("segments", listOf(), "device_traces", listOf(events))
	}
	settings, nested := dictOf(), dictOf("v", 1)
	for i := range 5000 {
		settings.items = append(settings.items, fmt.Sprint(i), joke)
	}
	for range 8 {
		outer := dictOf()
		for i := range 10 {
			outer.items = append(outer.items, strings.Repeat("k", 30_000)+fmt.Sprint(i), nested)
		}
		nested = outer
	}
	wide := dictOf()
	for i := range 50_000 {
		wide.items = append(wide.items, i, nil)
	}
	long := listOf()
	for range 200_000 {
		long.items = append(long.items, 0)
	}
	traces := listOf()
	for range 200_000 {
		traces.items = append(traces.items, long)
	}
	for name, v := range map[string]*node{
		"lists as metadata":   metas(func(i int) any { return listOf(i, joke) }),
		"dicts as metadata":   metas(func(i int) any { return dictOf("i", i, "l", joke) }),
		"wide dicts":          metas(func(i int) any { return dictOf("i", i, "l", wide) }),
		"lists as settings":   dictOf("segments", listOf(), "device_traces", listOf(), "allocator_settings", settings),
		"keys of settings":    dictOf("segments", listOf(), "device_traces", listOf(), "allocator_settings", nested),
		"one list as a trace": dictOf("segments", listOf(), "device_traces", traces),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := busy()
		_, err := Read(t.Context(), "", encode(v, form4), Options{Limits: Limits{Memory: 64 << 20}})
		var e *Error
		if !errors.As(err, &e) || e.Kind != KindLimit {
			t.Errorf("%s: %v", name, err)
		}
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > 1<<30 {
			t.Errorf("%s: %d MiB allocated", name, n>>20)
		}
		if d := busy() - start; d > 20*time.Second {
			t.Errorf("%s: took %v", name, d)
		}
	}
}

// TestGiantNumbers: beside objects, which gopickle would read, a number of a million digits must not be given to
// it: it takes the square of their number.
func TestGiantNumbers(t *testing.T) {
	for _, number := range []string{
		"\x8b" + string(binary.LittleEndian.AppendUint32(nil, 3_000_000)) + strings.Repeat("\x7f", 3_000_000),
		"L" + strings.Repeat("9", 3_000_000) + "L\n",
	} {
		start := busy()
		s := read(t, []byte("\x80\x02}(U\x08segments]U\x01xcos\nsystem\nU\x01y"+number+"u."))
		if s.Source.Reader != "stream" {
			t.Errorf("reader %q", s.Source.Reader)
		}
		if d := busy() - start; d > 5*time.Second {
			t.Errorf("took %v", d)
		}
	}
}

// TestDictsInSeveralGoes: a writer may fill a dict in several goes. Where gopickle cannot read the rest of the file
// (here it fails on a zero of no bytes), our machine must know that more may come.
func TestDictsInSeveralGoes(t *testing.T) {
	in := func(first, rest string) []byte {
		return []byte("\x80\x02}(U\x08segments]U\x0ddevice_traces](](}(" + first + "u" + rest + "eeU\x04zero\x8a\x00u.")
	}
	for _, data := range [][]byte{
		in("U\x06actionU\x05alloc", "(U\x04addrK\x07U\x04sizeK\x02u"),
		in("U\x06actionU\x05alloc", "U\x04addrK\x07sU\x04sizeK\x02s"),
		in("U\x04sizeK\x05U\x05stateN", "(U\x06actionU\x05allocU\x04addrK\x07U\x04sizeK\x02u"),
	} {
		for _, data := range [][]byte{data, gzipped(t, data)} {
			s := read(t, data)
			if len(s.Devices) != 1 || s.Devices[0].Events.Len() != 1 {
				t.Errorf("%q: %+v", data, s.Findings)
				continue
			}
			if e := &s.Devices[0].Events; e.Addr[0] != 7 || e.Size[0] != 2 {
				t.Errorf("address %d, size %d", e.Addr[0], e.Size[0])
			}
		}
	}
}

// TestImpossibleTimes: times so far apart that their difference overflows are no times.
func TestImpossibleTimes(t *testing.T) {
	events := listOf(event("alloc", 1, 1, "time_us", 5))
	for i, us := range []any{-1 << 62, 1<<62 - 1, int64(-1 << 63), int64(1<<63 - 1), 1e18 * 9, uint64(1 << 63)} {
		events.items = append(events.items, event("alloc", 2+i, 1, "time_us", us))
	}
	note := dictOf("stage", "START", "name", "x", "device", 0, "time_us", -1<<62)
	s := read(t, encode(dictOf("segments", listOf(), "device_traces", listOf(events), "external_annotations",
		listOf(note)), form4))
	e := &s.Devices[0].Events
	if e.Len() != len(events.items) || e.Time[0] != 5 {
		t.Fatalf("%d events, times %v", e.Len(), e.Time)
	}
	for _, us := range e.Time[1:] {
		if us != NoTime {
			t.Errorf("time %d", us)
		}
	}
	if f := s.finding("annotations-skipped"); f == nil || f.Count != 1 || len(s.Annotations) != 0 {
		t.Errorf("annotations %v, %v", s.Annotations, f)
	}
}

// TestEndlessJSON: blanks and texts without end are not looked through again and again, and a text is not kept for
// ever.
func TestEndlessJSON(t *testing.T) {
	for _, c := range []struct{ begin, more, want string }{{"", " ", "one text"}, {`"`, "x", "one text"},
		{"", "1", "one text"}} {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, _ = z.Write([]byte(`{"segments":[],"device_traces":[` + c.begin))
		more := bytes.Repeat([]byte(c.more), 1<<20)
		for range 100 {
			_, _ = z.Write(more)
		}
		_ = z.Close()
		start := busy()
		_, err := Read(t.Context(), "", b.Bytes(), Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Error(err)
		}
		if d := busy() - start; d > 20*time.Second {
			t.Errorf("took %v", d)
		}
	}
}

// TestLayers: three containers around one another are opened, not four.
func TestLayers(t *testing.T) {
	data := encode(dictOf("segments", listOf(), "device_traces", listOf()), form4)
	for range 3 {
		data = gzipped(t, data)
	}
	if s := read(t, data); s.Source.Compression != "gzip+gzip+gzip" {
		t.Errorf("compression %q", s.Source.Compression)
	}
	_, err := Read(t.Context(), "f", gzipped(t, data), Options{})
	if err == nil || !strings.Contains(err.Error(), "too many times") {
		t.Errorf("four layers: %v", err)
	}
}

// TestDamagedContainers: what cannot be unpacked is told in a sentence with what to do.
func TestDamagedContainers(t *testing.T) {
	good := gzipped(t, bytes.Repeat([]byte("a"), 5000))
	two := zipped(t, "x", nil)
	for _, data := range [][]byte{good[:5], good[:14], append([]byte("\x1f\x8b\x08\x00"),
		bytes.Repeat([]byte{0xff}, 50)...),
		two[:20], []byte("\x28\xb5\x2f\xfd\x00"), gzipped(t, gzipped(t, gzipped(t, gzipped(t, []byte("N.")))))} {
		_, err := Read(t.Context(), "f", data, Options{})
		var e *Error
		if !errors.As(err, &e) || e.Advice == "" || !strings.HasPrefix(err.Error(), "f: ") {
			t.Errorf("%v", err)
		}
	}
}
