package snapshot

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// bigPickle is a valid snapshot of at least n bytes.
func bigPickle(n int) []byte {
	var b bytes.Buffer
	b.WriteString(
		"\x80\x04}(\x8c\x08segments]\x8c\rdevice_traces](](\x8c\x06action\x94\x8c\x05alloc\x94\x8c\x04addr\x94\x8c" +
			"\x04size\x94000")
	b.WriteString("0")
	for i := 0; b.Len() < n; i++ {
		b.WriteString("}(h\x00h\x01h\x02J")
		_ = binary.Write(&b, binary.LittleEndian, int32(i))
		b.WriteString("h\x03K\x08u")
		if i%1000 == 999 {
			b.WriteString("e(")
		}
	}
	b.WriteString("eeu.")
	return b.Bytes()
}

// TestCancel: cancelling ends reading at once, whatever is being read.
func TestCancel(t *testing.T) {
	plain := bigPickle(40 << 20)
	if s := read(t, plain); s.Devices[0].Events.Len() < 1e6 {
		t.Fatal(s.Devices[0].Events.Len())
	}
	json := []byte(`{"segments":[],"x":[` + strings.Repeat("1,", 8<<20) + "1]}")
	for name, data := range map[string][]byte{"plain": plain, "gzip": gzipped(t, plain), "json": json,
		"zip": zipped(t, "a.pickle", plain)} {
		ctx, cancel := context.WithCancel(context.Background())
		calls, last := 0, int64(0)
		var at time.Duration
		_, err := Read(ctx, "", data, Options{Progress: func(done, total int64) {
			if done < last || done > total || total != int64(len(data)) {
				t.Errorf("%s: progress %d of %d after %d", name, done, total, last)
			}
			last = done
			if calls++; calls == 5 {
				at = busy()
				cancel()
			}
		}})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v after %d calls", name, err, calls)
		}
		if d := busy() - at; d > 500*time.Millisecond { // 100 ms of two cores, and room for the race detector
			t.Errorf("%s: ended after %v more of work", name, d)
		}
		cancel()
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Read(ctx, "", plain, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled before: %v", err)
	}
}

// TestShrinkingFile: a mapped file that gets shorter is an error, not a crash.
func TestShrinkingFile(t *testing.T) {
	for name, data := range map[string][]byte{"plain": bigPickle(8 << 20), "gzip": gzipped(t, randomBytes(8<<20))} {
		path := filepath.Join(t.TempDir(), "shrinks")
		if name == "gzip" {
			data = gzipped(t, append([]byte("\x80\x04}(\x8c\x08segments]\x8c\x01xB\x00\x00\x00\x08"),
				randomBytes(9<<20)...))
		}
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		shrunk := false
		_, err := Open(context.Background(), path, Options{Progress: func(int64, int64) {
			if !shrunk {
				shrunk = true
				if err := os.Truncate(path, 4096); err != nil {
					t.Fatal(err)
				}
			}
		}})
		var e *Error
		if err != nil && !errors.As(err, &e) {
			t.Errorf("%s: %v", name, err)
		}
		if name == "plain" && (e == nil || e.Kind != KindIO) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func randomBytes(n int) []byte {
	b := make([]byte, n)
	_, _ = io.ReadFull(rand.NewChaCha8([32]byte{1}), b)
	return b
}
