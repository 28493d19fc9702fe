//go:build !(linux && !android) && !freebsd && !openbsd && !windows && !darwin

package dialog

import "context"

func show(context.Context, Request, uintptr) ([]string, error) { return nil, ErrNoDialog }
