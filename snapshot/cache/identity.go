package cache

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"strata/snapshot"
)

// An identity distinguishes a state of a file from every other state and file.
type identity struct {
	device, inode uint64
	size          int64
	modified      int64 // contents changed, nanoseconds since the Unix epoch
	changed       int64 // anything changed, set by the system alone; 0 where there is no such time
}

// sure reports whether equal identities are enough to know that the bytes are the same.
func (id identity) sure() bool { return id.changed != 0 }

// Two changes within one tick of a file system's clock leave the same time. A tick is a few milliseconds, or seconds
// on old file systems, whose times are whole seconds.
const (
	fineTick   = 20 * time.Millisecond
	coarseTick = 3 * time.Second
)

var (
	errUnsettled = errors.New("the file was changed just now")
	errChanged   = errors.New("the file has changed since it was read")
	errTooBig    = errors.New("the columns take more than the cache may")
)

// settled returns the identity of a file, waiting until later changes are sure to change it.
func settled(ctx context.Context, f *os.File) (identity, error) {
	id, err := identityOf(f)
	if err != nil {
		return id, err
	}
	last := id.changed
	if last == 0 {
		last = id.modified
	}
	tick := fineTick
	if last%int64(time.Second) == 0 {
		tick = coarseTick
		id.changed = 0
	}
	wait := tick - time.Since(time.Unix(0, last))
	switch {
	case wait <= 0:
		return id, nil
	case tick == coarseTick || wait > tick: // too long to wait, or a time in the future
		return id, errUnsettled
	}
	select {
	case <-time.After(wait):
	case <-ctx.Done():
		return id, ctx.Err()
	}
	if !same(f, id) {
		return id, errUnsettled
	}
	return id, nil
}

// same reports whether a file has that identity.
func same(f *os.File, id identity) bool {
	now, err := identityOf(f)
	if id.changed == 0 {
		now.changed = 0
	}
	return err == nil && now == id
}

// version is part of every key. Raise it when the reader makes another snapshot of some file than before, findings
// included, or when the layout of entries changes: older entries are then not found. TestVersion fails when that is
// forgotten.
const version = 2

// A key names the entry of a file.
type key [sha256.Size]byte

// suffix ends the names of entries.
const suffix = ".columns"

func (k key) path(dir string) string { return filepath.Join(dir, hex.EncodeToString(k[:])+suffix) }

// A key covers so many samples of so many bytes each, from the beginning of the file to its end.
const (
	sampleBytes = 16 << 10
	samples     = 18
)

// keyOf is the key of a file read with the given limits, which can affect the snapshot.
func keyOf(f io.ReaderAt, size int64, l snapshot.Limits) (key, error) {
	h := sha256.New()
	for _, n := range []int64{version, size, int64(l.Depth), l.Memory, l.Raw} {
		_ = binary.Write(h, binary.NativeEndian, n) // columns are in this order, too
	}
	var buf [sampleBytes]byte
	for i := range int64(samples) {
		at := max(size-sampleBytes, 0) / (samples - 1) * i
		if i == samples-1 {
			at = max(size-sampleBytes, 0)
		}
		n := min(size-at, sampleBytes)
		if _, err := f.ReadAt(buf[:n], at); err != nil {
			return key{}, err
		}
		h.Write(buf[:n])
	}
	return key(h.Sum(nil)), nil
}

// leafBytes is how much of a file one goroutine hashes at a time.
const leafBytes = 1 << 20

// hashAll is a hash of all bytes of a file.
func hashAll(ctx context.Context, f io.ReaderAt, size int64) (sum [sha256.Size]byte, err error) {
	leaves := make([][sha256.Size]byte, (size+leafBytes-1)/leafBytes)
	err = parallel(ctx, len(leaves), func() func(int) error {
		buf := make([]byte, min(leafBytes, size))
		return func(i int) error {
			at := int64(i) * leafBytes
			b := buf[:min(leafBytes, size-at)]
			if _, err := f.ReadAt(b, at); err != nil {
				return err
			}
			leaves[i] = sha256.Sum256(b)
			return nil
		}
	})
	h := sha256.New()
	_ = binary.Write(h, binary.LittleEndian, size)
	for i := range leaves {
		h.Write(leaves[i][:])
	}
	h.Sum(sum[:0])
	return sum, err
}

// parallel calls workers with 0 to n-1, in up to eight goroutines with a worker each, until one fails or ctx is done.
func parallel(ctx context.Context, n int, worker func() func(int) error) error {
	var next atomic.Int64
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0), 8) {
		wg.Go(func() {
			do := worker()
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				if err := do(i); err != nil {
					cancel(err)
				}
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}
