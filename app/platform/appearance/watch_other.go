//go:build !(linux && !android) && !freebsd && !openbsd && !windows && !darwin

package appearance

import "context"

func watch(context.Context, func(Appearance)) {}
