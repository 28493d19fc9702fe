package hub

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"strata/app/atomicfile"
)

// local is the place that a path names: a folder, or a config itself.
func local(path string) place {
	home, _ := os.UserHomeDir()
	path = expand(path, home)
	info, err := os.Stat(path)
	if err != nil || info.IsDir() {
		return folder(Local, path)
	}
	return place{Local, func(_ context.Context, name string, limit int64) ([]byte, error) {
		if name == "config.json" {
			return readFile(path, limit)
		}
		return readFile(filepath.Join(filepath.Dir(path), name), limit)
	}}
}

// folder is the place of a model's files in a folder on this machine.
func folder(from Source, dir string) place {
	return place{from, func(_ context.Context, name string, limit int64) ([]byte, error) {
		return readFile(filepath.Join(dir, name), limit)
	}}
}

// readFile reads a file of at most limit bytes. The error is errAbsent or a sentence.
func readFile(path string, limit int64) ([]byte, error) {
	data, err := readSmall(path, limit)
	switch {
	case err == nil:
		return data, nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, errAbsent
	case errors.Is(err, errTooLarge):
		return nil, fmt.Errorf("%s is larger than %d MiB, which no such file is", clip(path), limit>>20)
	}
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		err = pathErr.Err
	}
	return nil, fmt.Errorf("%s cannot be read: %v", clip(path), err)
}

var errTooLarge = errors.New("too large")

// readSmall reads a regular file of at most limit bytes. Pipes and devices, which may never end or answer, are not
// opened.
func readSmall(path string, limit int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is no regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = errTooLarge
	}
	return data, err
}

// commitHash is what refs of a hub cache hold and snapshots are named by.
var commitHash = regexp.MustCompile(`^[0-9a-fA-F]{7,64}$`)

// cachedSnapshot is the folder of a model's files in the cache of the hub's libraries, "" where there is none:
// refs/<revision> holds the commit, and snapshots/<commit> the files, as links to blobs.
func cachedSnapshot(cache string, id ID) string {
	if cache == "" {
		return ""
	}
	base := filepath.Join(cache, id.folder())
	commit := id.Revision
	if ref, err := readSmall(filepath.Join(base, "refs", filepath.FromSlash(id.Revision)), 256); err == nil {
		commit = strings.TrimSpace(string(ref))
	}
	if !commitHash.MatchString(commit) {
		return ""
	}
	dir := filepath.Join(base, "snapshots", commit)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return ""
	}
	return dir
}

// ownFolder is where Strata keeps a model's files, a folder for each endpoint: a mirror's answers are not the
// hub's. "" keeps none.
func (c *Client) ownFolder(id ID) string {
	if c.settings.Cache == "" || id.Path != "" {
		return ""
	}
	hub := c.settings.endpoint()
	host := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '.' || r == '-' {
			return r
		}
		return '_'
	}, strings.ToLower(hub.Host+hub.Path))
	// A revision may have slashes, which must not nest here, and '~' is in none.
	return filepath.Join(c.settings.Cache, host, id.folder(), strings.ReplaceAll(id.Revision, "/", "~"))
}

// keepFile writes a file into a cache folder, whole or not at all. That the cache cannot be written is no reason to
// fail.
func keepFile(ctx context.Context, dir, name string, data []byte) {
	if dir == "" || os.MkdirAll(dir, 0o755) != nil {
		return
	}
	_ = atomicfile.Write(ctx, filepath.Join(dir, name), func(w *bufio.Writer) error {
		_, err := w.Write(data)
		return err
	})
}
