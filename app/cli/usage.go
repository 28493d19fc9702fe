package cli

import (
	"fmt"
	"io"
	"strings"
)

// usage prints how a mode is called. The window's usage names the subcommands.
func usage(w io.Writer, topic Kind) {
	m := modeOf(topic)
	fmt.Fprintf(w, "Usage: %s\n", m.synopsis)
	if m.kind == Window {
		for _, sub := range modes {
			if sub.name != "" {
				fmt.Fprintf(w, "       %s\n", sub.synopsis)
			}
		}
	}
	fmt.Fprintf(w, "\n%s\n\nFlags, before or after file names; -- ends them:\n", m.about)
	for _, options := range [][]option{m.options, everywhere} {
		for _, o := range options {
			printOption(w, o)
		}
	}
	if m.kind == Window {
		fmt.Fprint(w, "\nstrata summary -h and the like print the flags of each subcommand. A file that\nis named like a subcommand opens as ./summary. Exit codes: 0 good, 1 the file\ncannot be used, 2 wrong usage.\n")
	}
}

// printOption prints a flag and, from a column on, what it does.
func printOption(w io.Writer, o option) {
	name := "    "
	if o.short != "" {
		name = "-" + o.short + ", "
	}
	name += "--" + o.long
	if o.arg != "" {
		name += " " + o.arg
	}
	const column = 28
	help := strings.Split(o.help, "\n")
	if len(name) > column-4 {
		fmt.Fprintf(w, "  %s\n", name)
		name = ""
	}
	fmt.Fprintf(w, "  %-*s%s\n", column-2, name, help[0])
	for _, line := range help[1:] {
		fmt.Fprintf(w, "%*s%s\n", column, "", line)
	}
}

// hint is the line that follows a usage error.
func hint(e *UsageError) string { return fmt.Sprintf("See: %s -h", modeOf(e.Topic).call()) }
