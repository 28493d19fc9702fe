// Package cache keeps what package snapshot read from big files as columns in the user's cache directory, so that
// opening such a file again takes a small part of the time.
//
// An entry is named by a hash of a version number, of the file's size and of samples of its bytes. It is used if
// the file's identity (device, inode, size, and the times of the last change of contents and of anything) is the
// one stored; programs cannot set the last of these times, so that a changed file has another one. A copied, moved
// or touched file, and one on a system without such times, is hashed as a whole, which takes a fraction of reading
// it.
//
// No failure here is an error: the original is read instead. Entries are untrusted like snapshots: they are checked
// against checksums, and then every index in them is checked. A restored snapshot refers to no file.
//
// Entries hold columns as they are in memory, little-endian, about a fifth of a plain snapshot. Compressing them
// would take longer than reading them from most disks.
package cache

import (
	"context"
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

func (o Options) withDefaults() Options {
	if o.MaxBytes <= 0 {
		o.MaxBytes = maxBytes
	}
	if o.MinBytes <= 0 {
		o.MinBytes = minBytes
	}
	return o
}

// DirVariable is the environment variable that overrides the directory of entries.
const DirVariable = "STRATA_CACHE_DIR"

// Dir is the directory of entries unless Options name another.
func Dir() (string, error) {
	if dir := os.Getenv(DirVariable); dir != "" {
		return dir, nil
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "strata", "snapshots"), nil
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
	opt = opt.withDefaults()
	o := &Opened{opt: opt}
	if found := o.look(ctx, path, so); found != nil {
		return found, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s, err := snapshot.Open(ctx, path, so)
	if err != nil {
		return nil, err
	}
	o.Snapshot = s
	return o, nil
}

// look records the key and identity of a file and returns its snapshot from an entry, nil if there is none.
func (o *Opened) look(ctx context.Context, path string, so snapshot.Options) *Opened {
	if o.opt.Disabled {
		return nil
	}
	if o.opt.Dir == "" {
		var err error
		if o.opt.Dir, err = Dir(); err != nil {
			return nil
		}
	}
	// Pipes and devices may block when they are opened, and can be read only once.
	if st, err := os.Stat(path); err != nil || !st.Mode().IsRegular() || st.Size() < min(minStored, o.opt.MinBytes) {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	id, err := settled(ctx, f)
	if err != nil {
		return nil
	}
	k, err := keyOf(f, id.size, so.Limits)
	if err != nil {
		return nil
	}
	o.path, o.key, o.id = path, k, id
	s := o.restore(ctx, f, so)
	if s == nil {
		return nil
	}
	s.Source.Name, s.Source.Bytes = path, id.size
	if so.Progress != nil {
		so.Progress(id.size, id.size)
	}
	return &Opened{Snapshot: s, Cached: true}
}

// restore returns the snapshot in the entry of the file f, nil if there is no valid one.
func (o *Opened) restore(ctx context.Context, f *os.File, so snapshot.Options) *snapshot.Snapshot {
	name := o.key.path(o.opt.Dir)
	if st, err := os.Lstat(name); err != nil || !st.Mode().IsRegular() {
		return nil
	}
	entry, err := os.Open(name)
	if err != nil {
		return nil
	}
	defer entry.Close()
	st, err := entry.Stat()
	if err != nil {
		return nil
	}
	r := &reader{
		ctx: ctx, f: entry, size: st.Size(), budget: budget(so.Limits), original: o.id.size, progress: so.Progress,
	}
	h, err := r.front(o.key)
	if err != nil {
		return nil
	}
	known := h.id.sure() && h.id == o.id
	if !known {
		if whole, err := hashAll(ctx, f, o.id.size); err != nil || whole != h.whole {
			return nil
		}
	}
	s, err := r.snapshot()
	if err != nil {
		return nil
	}
	now := time.Now()
	_ = os.Chtimes(name, now, now) // clear removes the least recently used first
	if !known && o.id.sure() && same(f, o.id) {
		introduce(name, o.id)
	}
	return s
}

// budget is how much memory a snapshot may take, in bytes.
func budget(l snapshot.Limits) int64 {
	if l.Memory > 0 {
		return l.Memory
	}
	return 8 << 30
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
	defer f.Close()
	if !same(f, o.id) {
		return errChanged
	}
	if err := check(o.Snapshot); err != nil {
		return err // restore would refuse it
	}
	whole, err := hashAll(ctx, f, o.id.size)
	if err != nil {
		return err
	}
	if !same(f, o.id) {
		return errChanged
	}
	w := newWriter(ctx, o.Snapshot)
	if w.size() > o.opt.MaxBytes {
		return errTooBig
	}
	return o.opt.put(o.key.path(o.opt.Dir), w.size(), func(f *os.File) error {
		return w.write(f, header{key: o.key, whole: whole, id: o.id})
	})
}
