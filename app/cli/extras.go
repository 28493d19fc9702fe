package cli

import (
	"embed"
	"os"
	"path/filepath"
	"strings"
	"text/template"
)

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
