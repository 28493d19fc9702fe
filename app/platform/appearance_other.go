//go:build !(linux && !android) && !freebsd && !openbsd && !windows && !darwin

package platform

import "context"

func watchAppearance(context.Context, func(Appearance)) {}
