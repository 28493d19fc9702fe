package cache

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"os"
	"path/filepath"
	"time"

	"strata/snapshot"
)

// An identity distinguishes a state of a file from every other state and file.
type identity struct {
	Device, Inode uint64
	Size          int64
	Modified      int64 // contents changed, nanoseconds since the Unix epoch
	Changed       int64 // anything changed, set by the system alone; 0 where there is no such time
}

// clockTick is the longest time between two changes that leave the same time.
const clockTick = 20 * time.Millisecond

// settled returns the identity of a file, waiting until later changes are sure to change it. It returns false where
// they are not, as on file systems whose times are whole seconds.
func settled(f *os.File) (identity, bool) {
	id, err := identityOf(f)
	age := time.Since(time.Unix(0, id.Changed))
	if err != nil || id.Changed%int64(time.Second) == 0 || age < 0 {
		return id, false
	}
	time.Sleep(clockTick - age)
	now, err := identityOf(f)
	return id, err == nil && now == id
}

// version is part of every key. Raise it when the reader makes another snapshot of some file than before, findings
// included, or when the layout of entries changes: older entries are then not found. TestVersion fails when that is
// forgotten.
const version = 10

// A key names the entry of a file.
type key [sha256.Size]byte

// suffix ends the names of entries.
const suffix = ".columns"

func (k key) path(dir string) string { return k.named(dir, suffix) }

func (k key) named(dir, suffix string) string {
	return filepath.Join(dir, hex.EncodeToString(k[:])+suffix)
}

// keyOf is the key of a file read with the given limits, which can affect the snapshot.
func keyOf(id identity, l snapshot.Limits) key {
	h := sha256.New()
	limits := [...]int64{version, int64(l.Depth), l.Memory, l.Raw}
	for _, part := range []any{limits, id} {
		_ = binary.Write(h, binary.NativeEndian, part) // columns are in this order, too
	}
	return key(h.Sum(nil))
}
