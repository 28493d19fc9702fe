package app

import (
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
)

// folderLimit is how many snapshots of a folder are opened, lookLimit how many
// of its files are looked at for that.
const (
	folderLimit = 200
	lookLimit   = 20_000
)

// A folder is what was found in one. It is an error to a loading that wanted a
// file.
type folder struct {
	path  string
	files []string // snapshots, in natural order
	more  bool     // there are more, or may be
}

func (f *folder) Error() string { return f.path + " is a folder" }

// listFolder finds the snapshots in a folder by their content; folders in it,
// hidden files and what else lies there are left out.
func listFolder(ctx context.Context, path string) (*folder, error) {
	d, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	f := &folder{path: path}
	names, err := d.Readdirnames(lookLimit)
	if err != nil && len(names) == 0 && err != io.EOF {
		return nil, err
	}
	f.more = len(names) == lookLimit
	slices.SortFunc(names, comparePaths)
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if strings.HasPrefix(name, ".") {
			continue
		}
		file := filepath.Join(path, name)
		if s, err := snapshot.Sniff(file); err != nil || !s.Snapshot {
			continue
		}
		if len(f.files) == folderLimit {
			f.more = true
			break
		}
		f.files = append(f.files, file)
	}
	return f, nil
}

// notice says that not all snapshots were opened; "" if they were.
func (f *folder) notice() string {
	if !f.more {
		return ""
	}
	return "The first " + units.Count(int64(len(f.files))) + " snapshots of " + baseName(f.path) + " are open; there are more in it"
}

// A stamp tells one state of a file from others, as far as can be told without
// reading it.
type stamp struct {
	size     int64
	modified int64 // nanoseconds since the Unix epoch
	packed   bool  // compressed
}

// stampOf looks at a file. Of a folder the error is a *folder that lists it.
// That a file cannot be looked at is no error here: reading it will say why.
func stampOf(ctx context.Context, path string) (stamp, error) {
	st, err := os.Stat(path)
	if err != nil {
		return stamp{}, nil
	}
	if st.IsDir() {
		f, err := listFolder(ctx, path)
		switch {
		case ctx.Err() != nil:
			return stamp{}, ctx.Err()
		case err != nil:
			why := err
			if p := (*fs.PathError)(nil); errors.As(err, &p) {
				why = p.Err // the card names the folder already
			}
			return stamp{}, &snapshot.Error{Kind: snapshot.KindIO, Name: path, Offset: -1, What: "the folder cannot be read: " + why.Error(), Err: err}
		}
		return stamp{}, f
	}
	s := stamp{size: st.Size(), modified: st.ModTime().UnixNano()}
	if sn, err := snapshot.Sniff(path); err == nil {
		s.packed = sn.Packed
	}
	return s, nil
}
