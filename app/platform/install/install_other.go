//go:build !(linux && !android) && !freebsd && !openbsd && !windows

package install

import (
	"errors"
	"io"
	"runtime"
)

func associate(io.Writer, string) error {
	if runtime.GOOS == "darwin" {
		return errors.New("on macOS the application bundle itself says what it opens: move Strata.app into Applications and open it once")
	}
	return ErrUnsupported
}

func undo(io.Writer) error { return associate(nil, "") }
