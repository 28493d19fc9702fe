// Package cache keeps what package snapshot read from big files as columns in the user's cache directory, so that
// opening such a file again takes a small part of the time.
//
// An entry is named by a hash of a version number and of the file's identity: device, inode, size, and the times of
// the last change of contents and of anything. Programs cannot set the last of these times, so that a changed file has
// another one; a file that was copied is read again. Files on systems without such times are not kept.
//
// No failure here is an error: the original is read instead. Entries are untrusted like snapshots: they are checked
// against a checksum, and then every index in them is checked. A restored snapshot refers to no file.
//
// Entries hold columns as they are in memory, about a fifth of a plain snapshot. Compressing them would take longer
// than reading them from most disks.
package cache

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"strata/snapshot"
)

// Options are the options of Open; the zero value is usable.
type Options struct {
	Dir      string // of the entries; "" is what Dir returns
	MaxBytes int64  // of all entries together; 0 is 2 GiB
	MinBytes int64  // of the smallest snapshot, unpacked, that is stored; 0 is 8 MiB: smaller ones are read as fast
	Disabled bool   // neither look for an entry nor store one
}

const (
	maxBytes = 2 << 30
	minBytes = 8 << 20

	// minStored is the size of the smallest file that is looked for, compressed or not.
	minStored = 64 << 10
)

var (
	errChanged = errors.New("the file has changed since it was read")
	errTooBig  = errors.New("the columns take more than the cache may")
)

// DirVariable is the environment variable that overrides the directory of entries.
const DirVariable = "STRATA_CACHE_DIR"

// Dir is the directory of entries unless Options name another.
func Dir() (string, error) {
	if dir := os.Getenv(DirVariable); dir != "" {
		return dir, nil
	}
	dir, err := os.UserCacheDir()
	return filepath.Join(dir, "strata", "snapshots"), err
}

// Opened is an open snapshot, which can be stored if it was read from its file.
type Opened struct {
	Snapshot *snapshot.Snapshot
	Cached   bool // it was restored from an entry

	path string // "" if there is nothing to store
	opt  Options
	key  key
	id   identity
}

// Open opens a snapshot: from its entry if there is one, else by snapshot.Open, whose errors and options these are.
func Open(ctx context.Context, path string, so snapshot.Options, opt Options) (*Opened, error) {
	opt.MaxBytes, opt.MinBytes = cmp.Or(opt.MaxBytes, maxBytes), cmp.Or(opt.MinBytes, minBytes)
	o := &Opened{opt: opt}
	if s := o.look(ctx, path, so); s != nil {
		return &Opened{Snapshot: s, Cached: true}, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var err error
	o.Snapshot, err = snapshot.Open(ctx, path, so)
	if err != nil {
		return nil, err
	}
	return o, nil
}

// look records the key and identity of a file and returns its snapshot from an entry, nil if there is none.
func (o *Opened) look(ctx context.Context, path string, so snapshot.Options) *snapshot.Snapshot {
	if o.opt.Disabled {
		return nil
	}
	if o.opt.Dir == "" {
		var err error
		if o.opt.Dir, err = Dir(); err != nil {
			return nil
		}
	}
	f, _ := openRegular(path, min(minStored, o.opt.MinBytes))
	if f == nil {
		return nil
	}
	defer f.Close()
	id, ok := settled(f)
	if !ok {
		return nil
	}
	o.path, o.key, o.id = path, keyOf(id, so.Limits), id
	name := o.key.path(o.opt.Dir)
	entry, size := openRegular(name, 0)
	if entry == nil {
		return nil
	}
	defer entry.Close()
	budget := so.Limits.Memory
	if budget <= 0 {
		budget = 8 << 30
	}
	s, err := decode(ctx, entry, size, o.key, budget, func(share float64) {
		if so.Progress != nil {
			so.Progress(int64(share*float64(id.Size)), id.Size)
		}
	})
	if err != nil {
		return nil
	}
	now := time.Now()
	_ = os.Chtimes(name, now, now) // clear removes the least recently used first
	s.Source.Name, s.Source.Bytes = path, id.Size
	return s
}

// openRegular opens a regular file of at least so many bytes and tells how many it has. It returns nil for any other:
// pipes and devices may block when they are opened, and can be read only once.
func openRegular(path string, least int64) (f *os.File, size int64) {
	st, err := os.Stat(path)
	if err != nil || !st.Mode().IsRegular() || st.Size() < least {
		return nil, 0
	}
	if f, err = os.Open(path); err != nil {
		return nil, 0
	}
	return f, st.Size()
}

// Store writes an entry for the snapshot, if it is big enough and was read from a file that has not changed since. It
// may run while the snapshot is in use. Callers may ignore the error: only the time of the next Open depends on it.
func (o *Opened) Store(ctx context.Context) error {
	if o.path == "" || o.Snapshot.Source.RawBytes < o.opt.MinBytes {
		return nil
	}
	f, err := os.Open(o.path)
	if err != nil {
		return err
	}
	id, err := identityOf(f)
	f.Close()
	if err != nil || id != o.id {
		return errChanged
	}
	if err := check(o.Snapshot); err != nil {
		return err // look would refuse it
	}
	w := encoderOf(o.Snapshot)
	if w.size() > o.opt.MaxBytes {
		return errTooBig
	}
	return o.opt.put(o.key.path(o.opt.Dir), w.size(), func(f *os.File) error { return w.write(ctx, f, o.key) })
}
