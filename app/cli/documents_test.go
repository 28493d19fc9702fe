package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// page reads a document of the project.
func page(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// blocks returns the indented blocks of a part of a document.
func blocks(text string) []string {
	var found []string
	inside := false
	for line := range strings.Lines(text) {
		code, indented := strings.CutPrefix(line, "    ")
		switch {
		case indented && !inside:
			found = append(found, code)
		case indented:
			found[len(found)-1] += code
		}
		inside = indented
	}
	return found
}

// TestDocumentsHaveEveryFlag: COMMANDS.md tells of every flag of every mode, and its table of the window's flags
// has the values that the parser takes; the README has every subcommand.
func TestDocumentsHaveEveryFlag(t *testing.T) {
	commands, readme := page(t, "app/cli/COMMANDS.md"), page(t, "README.md")
	calls, rest, _ := strings.Cut(commands, "## Examples") // which tell nobody what a flag is for
	_, rest, _ = strings.Cut(rest, "\n## ")
	commands = calls + rest
	for i := range modes {
		m := &modes[i]
		for _, o := range m.Options {
			flag := "--" + o.Long
			if m.kind == Window {
				flag = "`" + flag
				if o.Arg != "" {
					flag += " " + strings.ReplaceAll(o.Arg, "|", `\|`)
				}
				flag += "`"
			}
			if !strings.Contains(commands, flag) && !(o.Short != "" && strings.Contains(commands, "-"+o.Short+" ")) {
				t.Errorf("COMMANDS.md says nothing of %s of %s", flag, m.Call())
			}
		}
		_, call, _ := strings.Cut(calls, "\n    strata "+m.Name+" ")
		call, _, _ = strings.Cut(call, "\n    strata ")
		for _, claimed := range regexp.MustCompile(`--([a-z-]+)`).FindAllStringSubmatch(call, -1) {
			if m.Name != "" && !slices.ContainsFunc(m.Options, func(o option) bool { return o.Long == claimed[1] }) {
				t.Errorf("COMMANDS.md has %s of %s, which there is not", claimed[0], m.Call())
			}
		}
		for name, text := range map[string]string{"COMMANDS.md": commands, "the README": readme} {
			if m.Name != "" && !strings.Contains(text, "    strata "+m.Name) {
				t.Errorf("%s says nothing of %s", name, m.Call())
			}
		}
	}
}

// quoted splits a command line at spaces outside of double quotes.
func quoted(line string) (args []string) {
	for i, part := range strings.Split(line, `"`) {
		if i%2 == 0 {
			args = append(args, strings.Fields(part)...)
		} else {
			args = append(args, part)
		}
	}
	return args
}

// TestExamples runs the examples of the documents as they stand, on the bundled sample.
func TestExamples(t *testing.T) {
	testdata, err := filepath.Abs(filepath.Join(root, "testdata"))
	if err != nil {
		t.Fatal(err)
	}
	_, commands, _ := strings.Cut(page(t, "app/cli/COMMANDS.md"), "## Examples")
	commands, _, _ = strings.Cut(commands, "\n## ")
	examples := strings.Split(strings.Join(blocks(commands), ""), "\n")
	for _, block := range blocks(page(t, "README.md")) {
		for line := range strings.Lines(block) {
			if line, _, _ = strings.Cut(line, " #"); strings.Contains(line, "testdata/") {
				examples = append(examples, strings.TrimPrefix(line, "./"))
			}
		}
	}
	_, sql, _ := strings.Cut(page(t, "layout/query/SQL.md"), "## Queries")
	sql, _, _ = strings.Cut(sql, "\n## ")
	for _, block := range blocks(sql) {
		examples = append(examples, `strata query testdata/sample.pickle.gz "`+block+`"`)
	}
	t.Chdir(t.TempDir())
	ran := 0
	for _, example := range examples {
		args := quoted(strings.ReplaceAll(example, "testdata/", filepath.ToSlash(testdata)+"/"))
		if len(args) == 0 {
			continue
		}
		ran++
		if m := modeNamed(args[1]); m.find("--no-cache") != nil {
			args = append(args, "--no-cache")
		}
		stdout, stderr, code := run(t, args[1:]...)
		if code != 0 || args[1] == "query" && strings.Count(stdout, "\n") < 3 {
			t.Errorf("%s\nexit %d, %s%s", example, code, stdout, stderr)
		}
	}
	if ran < 12 {
		t.Errorf("only %d examples found", ran)
	}
}
