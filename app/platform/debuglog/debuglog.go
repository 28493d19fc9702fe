// Package debuglog tells on the terminal, if STRATA_DEBUG is set, why something of the system's was not used.
package debuglog

import (
	"fmt"
	"os"
)

var enabled = os.Getenv("STRATA_DEBUG") != ""

// Print prints a line to standard error if the log is enabled.
func Print(what ...any) {
	if enabled {
		fmt.Fprintln(os.Stderr, "strata: "+fmt.Sprint(what...))
	}
}
