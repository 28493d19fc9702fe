// Package atomicfile writes a temporary file and renames it, so that readers never see half of one.
package atomicfile

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

// Write writes a temporary file in the folder of out and renames it. What is no regular file, such as /dev/stdout, is
// written directly. A symbolic link stays one: what it points to is replaced. The error is a sentence about out, or
// that of ctx.
func Write(ctx context.Context, out string, write func(*bufio.Writer) error) error {
	if target, err := filepath.EvalSymlinks(out); err == nil {
		out = target
	}
	mode := fs.FileMode(0o666) // less what the umask takes
	info, err := os.Stat(out)
	switch {
	case err == nil && info.IsDir():
		return fmt.Errorf("%s: is a folder; name the file in it", out)
	case err == nil && !info.Mode().IsRegular():
		if err := writeTo(out, os.O_WRONLY, 0, write); err != nil {
			return CannotWrite(out, err)
		}
		return nil
	case err == nil:
		mode = info.Mode().Perm()
	case !errors.Is(err, fs.ErrNotExist):
		return CannotWrite(out, err)
	}
	temp := TempName(out)
	defer os.Remove(temp) // gone after the rename
	if err := writeTo(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode, write); ctx.Err() != nil {
		return ctx.Err()
	} else if err != nil {
		return CannotWrite(out, err)
	}
	if err := os.Rename(temp, out); err != nil {
		return CannotWrite(out, err)
	}
	return nil
}

// TempName returns the name of a file or folder that can be renamed to out.
func TempName(out string) string {
	return filepath.Join(filepath.Dir(out), fmt.Sprintf(".strata-%x", rand.Uint64()))
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

// CannotWrite returns err as a sentence about out, without the name of the temporary file.
func CannotWrite(out string, err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		err = p.Err
	} else if l, ok := errors.AsType[*os.LinkError](err); ok {
		err = l.Err
	}
	return fmt.Errorf("%s: cannot be written: %w", out, err)
}

// Same reports whether two names are of one file that is there.
func Same(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}
