//go:build !unix && !windows

package unpack

import (
	"errors"
	"os"
)

func mapFile(*os.File, int64) ([]byte, func(), error) {
	return nil, nil, errors.New("files are not mapped on this system")
}
