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

// asideMark begins the names of entries that are being written.
const asideMark = "aside-"

// abandoned is the age from which on nobody is writing a file any more.
const abandoned = time.Hour

// put writes an entry of known size aside, makes room for it, and gives it its name.
func (o Options) put(name string, size int64, write func(*os.File) error) (err error) {
	if err := os.MkdirAll(o.Dir, 0o700); err != nil { // what is in snapshots is nobody else's business
		return err
	}
	o.clear(size, filepath.Base(name))
	f, err := os.CreateTemp(o.Dir, asideMark)
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

// clear removes entries, least recently used first, until one more of the given size and name may come. It removes
// what was left aside as well, and nothing that is not named like the cache's own.
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
		case strings.HasPrefix(d.Name(), asideMark):
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

// isEntry reports whether a file is named as key.path does it.
func isEntry(name string) bool {
	h, ok := strings.CutSuffix(name, suffix)
	b, err := hex.DecodeString(h)
	return ok && err == nil && len(b) == len(key{})
}
