package cli

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"
)

// usage prints how a mode is called. The window's usage names the subcommands.
func usage(w io.Writer, topic Kind) {
	m := modeOf(topic)
	fmt.Fprintf(w, "Usage: %s\n", m.Synopsis)
	if m.kind == Window {
		for _, sub := range modes {
			if sub.Name != "" {
				fmt.Fprintf(w, "       %s\n", sub.Synopsis)
			}
		}
	}
	fmt.Fprintf(w, "\n%s\n\nFlags, before or after file names; -- ends them:\n", m.About)
	for _, o := range m.Flags() {
		printOption(w, o)
	}
	if m.kind == Window {
		fmt.Fprint(w, `
strata summary -h and the like print the flags of each subcommand. A file that
is named like a subcommand opens as ./summary. Exit codes: 0 good, 1 the file
cannot be used, 2 wrong usage.
`)
	}
}

// printOption prints a flag and, from a column on, what it does.
func printOption(w io.Writer, o option) {
	name := "    "
	if o.Short != "" {
		name = "-" + o.Short + ", "
	}
	name += "--" + o.Long
	if o.Arg != "" {
		name += " " + o.Arg
	}
	const column = 28
	help := strings.Split(o.Help, "\n")
	if len(name) > column-4 {
		fmt.Fprintf(w, "  %s\n", name)
		name = ""
	}
	fmt.Fprintf(w, "  %-*s%s\n", column-2, name, help[0])
	for _, line := range help[1:] {
		fmt.Fprintf(w, "%*s%s\n", column, "", line)
	}
}

// release is the version of a released build, set by
// -ldflags "-X strata/app/cli.release=v1.2.3".
var release string

// version prints one line: version, commit, how it was built.
func version(w io.Writer) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	fmt.Fprintln(w, versionLine(release, info))
}

// versionLine says which Strata a build is.
func versionLine(release string, info *debug.BuildInfo) string {
	setting := map[string]string{}
	for _, s := range info.Settings {
		setting[s.Key] = s.Value
	}
	name := release
	if name == "" {
		name = info.Main.Version
	}
	if name == "" || name == "(devel)" {
		name = "development build"
	}
	line := "strata " + name
	if commit := setting["vcs.revision"]; commit != "" {
		line += ", commit " + commit[:min(12, len(commit))]
		if setting["vcs.modified"] == "true" {
			line += " with changes"
		}
		if t := setting["vcs.time"]; t != "" {
			line += " of " + t
		}
	}
	return line + fmt.Sprintf(" (%s, %s/%s)", runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
