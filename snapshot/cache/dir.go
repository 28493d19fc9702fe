package cache

import (
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// tempPrefix begins the names of entries that are being written.
const tempPrefix = "aside-"

// abandoned is the age of a temporary file that no process is writing any more.
const abandoned = time.Hour

// put makes room for an entry of the given size, writes it to a temporary file and renames that.
func (o Options) put(name string, size int64, write func(*os.File) error) (err error) {
	if err := os.MkdirAll(o.Dir, 0o700); err != nil { // other users must not read snapshots
		return err
	}
	o.clear(size, filepath.Base(name))
	f, err := os.CreateTemp(o.Dir, tempPrefix)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	err = write(f)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	return err
}

// clear removes entries, least recently used first, until there is room for one of the given size and name. It also
// removes abandoned temporary files, and no file that the cache has not written.
func (o Options) clear(size int64, name string) {
	dir, err := os.ReadDir(o.Dir)
	if err != nil {
		return
	}
	var entries []fs.FileInfo
	for _, d := range dir {
		info, err := d.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		switch {
		case strings.HasPrefix(d.Name(), tempPrefix):
			if time.Since(info.ModTime()) > abandoned {
				_ = os.Remove(filepath.Join(o.Dir, d.Name()))
				continue
			}
			size += info.Size()
		case d.Name() != name && isEntry(d.Name()):
			entries = append(entries, info)
			size += info.Size()
		}
	}
	slices.SortFunc(entries, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, e := range entries {
		if size <= o.MaxBytes {
			return
		}
		if os.Remove(filepath.Join(o.Dir, e.Name())) == nil {
			size -= e.Size()
		}
	}
}

// isEntry reports whether a file has a name made by key.named.
func isEntry(name string) bool {
	h, ok := strings.CutSuffix(name, suffix)
	if !ok {
		h, ok = strings.CutSuffix(name, noteSuffix)
	}
	b, err := hex.DecodeString(h)
	return ok && err == nil && len(b) == len(key{})
}
