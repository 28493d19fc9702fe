package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// notOver keeps a picture from being written over the file it is drawn from.
func notOver(file, out string) error {
	if out == "-" {
		return nil
	}
	a, errA := os.Stat(file)
	b, errB := os.Stat(out)
	if errA == nil && errB == nil && os.SameFile(a, b) {
		return usageErrorf(Render, "-o %s is the snapshot itself; give the picture another name", out)
	}
	return nil
}

// writeAside writes a file beside its place and then renames it, so that
// there is never half of it. What is no regular file, such as /dev/stdout, is
// written directly. A link stays one: what it points to is replaced.
func writeAside(ctx context.Context, out string, write func(*bufio.Writer) error) error {
	if target, err := filepath.EvalSymlinks(out); err == nil {
		out = target
	}
	mode := fs.FileMode(0o666) // less what the umask takes
	info, err := os.Stat(out)
	switch {
	case err == nil && info.IsDir():
		return fmt.Errorf("%s: is a folder; name the picture in it", out)
	case err == nil && !info.Mode().IsRegular():
		if err := writeTo(out, os.O_WRONLY, 0, write); err != nil {
			return cannotWrite(out, err)
		}
		return nil
	case err == nil:
		mode = info.Mode().Perm()
	case !errors.Is(err, fs.ErrNotExist):
		return cannotWrite(out, err)
	}
	aside := filepath.Join(filepath.Dir(out), fmt.Sprintf(".strata-%x.png", rand.Uint64()))
	defer os.Remove(aside) // gone after the rename
	if err := writeTo(aside, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode, write); err != nil {
		return cannotWrite(out, err)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err := os.Rename(aside, out); err != nil {
		return cannotWrite(out, err)
	}
	return nil
}

// writeTo opens a file and has it written.
func writeTo(name string, flag int, mode fs.FileMode, write func(*bufio.Writer) error) error {
	f, err := os.OpenFile(name, flag, mode)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	if err = write(w); err == nil {
		err = w.Flush()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

// cannotWrite is a sentence without the name of the file aside.
func cannotWrite(out string, err error) error {
	var p *fs.PathError
	var l *os.LinkError
	switch {
	case errors.As(err, &p):
		err = p.Err
	case errors.As(err, &l):
		err = l.Err
	}
	return fmt.Errorf("%s: cannot be written: %w", out, err)
}
