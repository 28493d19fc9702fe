//go:build !linux

package display

import "errors"

// Choose has nothing to choose from on this system.
func Choose(backend string) error {
	if backend != "" {
		return errors.New("--backend is for Linux, where there are x11 and wayland")
	}
	return nil
}
