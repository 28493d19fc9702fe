//go:build !headless

// Package start opens the window, or says that this program has none: built with the tag headless it needs no
// library of a desktop, and its subcommands run anywhere.
package start

import (
	"strata/app"
	"strata/app/options"
)

// Window opens the window and returns when it is closed.
func Window(o options.Options) error { return app.Run(o) }
