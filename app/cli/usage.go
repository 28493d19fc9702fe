package cli

import (
	"embed"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"text/template"
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
cannot be used, 2 wrong usage, 3 compare --fail-above.
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

// extras are the templates of the manual page and of the completions for shells.
//
//go:embed extras
var extras embed.FS

// WriteExtras writes what packages hold beside the program into a folder: the manual page (man(7)) and the
// completions for bash, zsh and fish. All are made of the modes, as the parser is. date is the day of the release,
// as 2026-11-29.
func WriteExtras(folder, version, date string) error {
	page := map[string]any{"Version": version, "Date": date,
		"Modes": modes, "Window": &modes[0], "Subcommands": modes[1:], "Names": subcommandNames()}
	functions := template.FuncMap{"roff": roff, "plain": plain,
		"join": func(words []string) string { return strings.Join(words, " ") }}
	for _, name := range []string{"strata.1", "strata.bash", "strata.zsh", "strata.fish"} {
		t := template.Must(template.New(name).Funcs(functions).ParseFS(extras, "extras/"+name))
		var b strings.Builder
		if err := t.Execute(&b, page); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, name), []byte(b.String()), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// TakesFile reports whether an option's value is a file to write or read.
func (o option) TakesFile() bool { return o.Long == "out" || o.Long == "file" }

// Summary is the first sentence about a mode.
func (m *mode) Summary() string { return plain(strings.SplitAfter(m.About, ".")[0]) }

// plain is a help text in one line, without what shells treat specially.
func plain(help string) string {
	return strings.NewReplacer("\n", " ", "'", "", "[", "(", "]", ")", ":", " -").Replace(help)
}

// roff writes text so that nothing in it is a command.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n.", "\n\\&.", "\n'", "\n\\&'").Replace("\n" + s)
	return s[1:]
}
