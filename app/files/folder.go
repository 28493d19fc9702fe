// Package files answers what the window asks of files before it reads them: what a folder holds, whether a file has
// changed, whether two paths lead to the same file, and how a typed path may go on.
package files

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"strata/layout/units"
	"strata/snapshot"
	"strata/snapshot/ascend"
)

// folderLimit is how many snapshots of a folder are opened; entryLimit is how many of its entries are examined.
const (
	folderLimit = 200
	entryLimit  = 20_000
)

// A Folder lists the snapshots in a folder. It is the error of Examine for a path that is a folder.
type Folder struct {
	Path  string
	Files []string // snapshots, in natural order
	More  bool     // there are or may be more
}

// Error says that the path is a folder.
func (f *Folder) Error() string { return f.Path + " is a folder" }

// ListFolder finds the snapshots in a folder by their content, and the profiles of torch_npu, which are folders. It
// ignores other subfolders, hidden files and other files.
func ListFolder(ctx context.Context, path string) (*Folder, error) {
	d, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	f := &Folder{Path: path}
	if p := ascend.Find(path); p != nil {
		f.Files = []string{p.Main}
		return f, nil
	}
	names, err := d.Readdirnames(entryLimit)
	if err != nil && len(names) == 0 && err != io.EOF {
		return nil, err
	}
	f.More = len(names) == entryLimit
	slices.SortFunc(names, ComparePaths)
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if strings.HasPrefix(name, ".") {
			continue
		}
		file := filepath.Join(path, name)
		if s, err := snapshot.Sniff(file); err != nil || !s.Snapshot {
			p := ascend.Find(file)
			if p == nil || err == nil {
				continue
			}
			file = p.Main
		}
		if len(f.Files) == folderLimit {
			f.More = true
			break
		}
		f.Files = append(f.Files, file)
	}
	return f, nil
}

// Notice says that not all snapshots were opened; "" if they were.
func (f *Folder) Notice() string {
	if !f.More {
		return ""
	}
	return "The first " + units.Count(int64(len(f.Files))) + " snapshots of " + filepath.Base(f.Path) +
		" are open; there are more in it"
}

// A Stamp identifies the state of a file without reading it whole.
type Stamp struct {
	Size       int64 // bytes
	modified   int64 // nanoseconds since the Unix epoch
	Compressed bool
	real       string // absolute path without links
}

// Changed reports whether a file is there and is not the one that a stamp was made of.
func Changed(path string, stamp Stamp) bool {
	info, err := os.Stat(path)
	return err == nil && (info.Size() != stamp.Size || info.ModTime().UnixNano() != stamp.modified)
}

// Examine examines a file. For a folder the error is a *Folder. A file that cannot be examined gives the zero Stamp and
// no error: reading it will say why.
func Examine(ctx context.Context, path string) (Stamp, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Stamp{}, nil
	}
	if info.IsDir() {
		return Stamp{}, folderError(ctx, path)
	}
	s := Stamp{Size: info.Size(), modified: info.ModTime().UnixNano()}
	if sn, err := snapshot.Sniff(path); err == nil {
		s.Compressed = sn.Packed
	}
	s.real, _ = filepath.EvalSymlinks(Absolute(path))
	return s, nil
}

// folderError returns what Examine returns for a folder.
func folderError(ctx context.Context, path string) error {
	f, err := ListFolder(ctx, path)
	if err == nil {
		return f
	}
	why := err
	if p := (*fs.PathError)(nil); errors.As(err, &p) {
		why = p.Err // the problem card names the folder already
	}
	return cmp.Or(ctx.Err(), error(&snapshot.Error{Kind: snapshot.KindIO, Name: path, Offset: -1,
		What: "the folder cannot be read: " + why.Error(), Err: err}))
}

// ComparePaths orders paths as people do: folder by folder, rank2 before rank10, and a before B before c.
func ComparePaths(a, b string) int {
	x, y := strings.Split(filepath.ToSlash(a), "/"), strings.Split(filepath.ToSlash(b), "/")
	for i := range min(len(x), len(y)) {
		if c := compareNatural(x[i], y[i]); c != 0 {
			return c
		}
	}
	return cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(a, b))
}

// compareNatural orders names by the numbers in them, of any length, and by the text between, ignoring case.
func compareNatural(a, b string) int {
	a, b = strings.ToLower(a), strings.ToLower(b)
	x, y := a, b
	for x != "" && y != "" {
		m, n := digits(x), digits(y)
		if m == 0 || n == 0 {
			if x[0] != y[0] {
				return cmp.Compare(x[0], y[0])
			}
			x, y = x[1:], y[1:]
			continue
		}
		p, q := strings.TrimLeft(x[:m], "0"), strings.TrimLeft(y[:n], "0")
		if c := cmp.Or(cmp.Compare(len(p), len(q)), cmp.Compare(p, q)); c != 0 {
			return c
		}
		x, y = x[m:], y[n:]
	}
	// 7 comes before 07 where nothing else differs.
	return cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(len(a), len(b)))
}

// digits returns how many digits a text begins with.
func digits(s string) int { return len(s) - len(strings.TrimLeft(s, "0123456789")) }
