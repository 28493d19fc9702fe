package install

import (
	"errors"
	"io"
)

func associate(io.Writer, string) error {
	return errors.New("on macOS the application bundle itself says what it opens: move Strata.app into Applications " +
		"and open it once")
}

func undo(io.Writer) error { return associate(nil, "") }
