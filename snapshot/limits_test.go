package snapshot

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"runtime"
	"testing"
)

// TestMemoryStays: whatever a compressed file is full of, reading it does not take several times the memory that
// the message about the limit names, garbage included.
func TestMemoryStays(t *testing.T) {
	const limit = 128 << 20
	float := binary.BigEndian.AppendUint64([]byte("G"), 0x3ff0000000000000)
	wide := []byte("\x8a\x08\x01\x02\x03\x04\x05\x06\x07\x7f")
	event := "}(h\x00h\x01h\x02K\x01h\x03K\x01u"
	for name, f := range map[string]struct {
		before, unit string
		n            int
	}{
		"floats":      {"](", string(float), 32 << 20},
		"lost floats": {"", string(float) + "0", 32 << 20},
		"lost longs":  {"", string(wide) + "0", 32 << 20},
		"lists":       {"", "]", 8 << 20},
		"dicts":       {"", "}", 8 << 20},
		"memo":        {"K\x01", "\x94", 64 << 20},
		"events":      {"", event, 8 << 20},
	} {
		b :=
			[]byte(
				"\x80\x04\x8c\x06actionq\x00\x8c\x05allocq\x01\x8c\x04addrq\x02\x8c\x04sizeq\x030000}(\x8c\x08segment" +
					"s]\x8c\x0ddevice_traces](](" + f.before)
		b = gzipped(t, append(b, bytes.Repeat([]byte(f.unit), f.n)...))
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		before, most := m.HeapAlloc, uint64(0)
		_, err := Read(context.Background(), "", b, Options{Limits: Limits{Memory: limit},
			Progress: func(int64, int64) {
				runtime.ReadMemStats(&m)
				most = max(most, m.HeapAlloc)
			}})
		var e *Error
		if !errors.As(err, &e) || e.Kind != KindLimit {
			t.Errorf("%s: %v", name, err)
		}
		if most > before+2*limit+heldSlack {
			t.Errorf("%s: %d MiB", name, (most-before)>>20)
		}
	}
	if held.readings != 0 || held.sum != 0 {
		t.Errorf("%d readings hold %d bytes", held.readings, held.sum)
	}
}
