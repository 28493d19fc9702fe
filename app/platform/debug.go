package platform

import (
	"fmt"
	"os"
)

// debug makes complain speak.
var debug = os.Getenv("STRATA_DEBUG") != ""

// complain tells on the terminal, where that is asked for, why something of the
// system's was not used.
func complain(what ...any) {
	if debug {
		fmt.Fprintln(os.Stderr, "strata: "+fmt.Sprint(what...))
	}
}
