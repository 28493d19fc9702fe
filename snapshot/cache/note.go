package cache

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"io"
	"os"

	"strata/snapshot"
)

// noteSuffix ends the names of notes; maxNote is the most bytes that one has.
const (
	noteSuffix = ".note"
	maxNote    = 4 << 20
)

// A Noted is a file about which something short may be kept: what was found out about it, so that it need not be read
// again. It is kept as entries are, under the file's identity.
type Noted struct {
	path, note string // "" if nothing can be kept
	opt        Options
	id         identity
}

// Note returns what was kept about a file, nil if nothing was or the file has changed. what says what it is about, and
// on what it depends.
func Note(path, what string, opt Options) (*Noted, []byte) {
	opt.MaxBytes = cmp.Or(opt.MaxBytes, maxBytes)
	n := &Noted{opt: opt}
	if opt.Disabled {
		return n, nil
	}
	if n.opt.Dir == "" {
		var err error
		if n.opt.Dir, err = Dir(); err != nil {
			return n, nil
		}
	}
	f, _ := openRegular(path, 0)
	if f == nil {
		return n, nil
	}
	defer f.Close()
	id, ok := settled(f)
	if !ok {
		return n, nil
	}
	h := sha256.New()
	file := keyOf(id, snapshot.Limits{})
	h.Write(file[:])
	io.WriteString(h, what)
	n.path, n.id, n.note = path, id, key(h.Sum(nil)).named(n.opt.Dir, noteSuffix)
	note, size := openRegular(n.note, sha256.Size)
	if note == nil || size > maxNote {
		return n, nil
	}
	defer note.Close()
	data, err := io.ReadAll(io.LimitReader(note, maxNote))
	if err != nil || len(data) < sha256.Size {
		return n, nil
	}
	if sum := sha256.Sum256(data[sha256.Size:]); !bytes.Equal(sum[:], data[:sha256.Size]) {
		return n, nil
	}
	return n, data[sha256.Size:]
}

// Keep keeps data about the file unless it has changed since Note. Callers may ignore the error.
func (n *Noted) Keep(data []byte) error {
	if n.path == "" || len(data) > maxNote-sha256.Size {
		return nil
	}
	f, err := os.Open(n.path)
	if err != nil {
		return err
	}
	id, err := identityOf(f)
	f.Close()
	if err != nil || id != n.id {
		return errChanged
	}
	sum := sha256.Sum256(data)
	return n.opt.put(n.note, int64(len(sum)+len(data)), func(f *os.File) error {
		_, err := f.Write(append(sum[:], data...))
		return err
	})
}
