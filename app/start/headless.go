//go:build headless

package start

import (
	"errors"

	"strata/app/options"
)

// Window fails: this program was built without a window.
func Window(options.Options) error {
	return errors.New(
		"this strata was built without a window; strata summary FILE, strata render FILE -o OUT.png and " +
			"the other subcommands work: strata -h lists them")
}
