package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// extra returns what WriteExtras writes into a file.
func extra(t *testing.T, name string) string {
	t.Helper()
	dir := t.TempDir()
	if err := WriteExtras(dir, "v1.2-3", "2026-11-29"); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestManualHasEverything(t *testing.T) {
	texts := map[string]string{"man": strings.ReplaceAll(extra(t, "strata.1"), `\-`, "-")}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		texts[shell] = extra(t, "strata."+shell)
	}
	for what, text := range texts {
		for _, m := range modes {
			if !strings.Contains(text, m.Name) {
				t.Errorf("%s: no %s", what, m.Name)
			}
			for _, o := range m.Options {
				if !strings.Contains(text, "--"+o.Long) && !strings.Contains(text, "-l "+o.Long) {
					t.Errorf("%s: no --%s", what, o.Long)
				}
			}
		}
	}
}

// man must read the page without a complaint.
func TestManualPage(t *testing.T) {
	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Skip("SKIPPED: groff is not installed")
	}
	cmd := exec.Command(groff, "-man", "-Tutf8", "-ww")
	cmd.Stdin = strings.NewReader(extra(t, "strata.1"))
	var complaints strings.Builder
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil || complaints.Len() > 0 {
		t.Fatalf("groff: %v: %s", err, &complaints)
	}
	if !strings.Contains(string(out), "strata - see what held") {
		t.Errorf("the page has no name:\n%s", out)
	}
}

// The completion is run by bash itself.
func TestBashCompletes(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("SKIPPED: bash is not installed")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "run rank0.pickle"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ words, want string }{
		{"strata sum", "summary"},
		{"strata summary --j", "--json"},
		{"strata render --ax", "--axis"},
		{"strata render --axis t", "time"},
		{"strata --theme sys", "system"},
		{"strata associate --u", "--undo"},
		{"strata record x", "xpu"},
		{"strata run", "run rank0.pickle"},
	} {
		words := strings.Fields(c.words)
		script := extra(t, "strata.bash") + "\nCOMP_WORDS=(" + c.words +
			")\nCOMP_CWORD=$((${#COMP_WORDS[@]}-1))\n_strata\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n"
		cmd := exec.Command(bash, "-c", script)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil || strings.TrimSpace(string(out)) != c.want {
			t.Errorf("%q completes %q to %q, want %q (%v)", c.words, words[len(words)-1], out, c.want, err)
		}
	}
}

// advised is an error with advice, as display.StartError makes them.
type advised struct{}

func (advised) Error() string   { return "all of it" }
func (advised) Lines() []string { return []string{"no window\x1b[2J.", "Install it."} }

func TestFailPrintsAdvice(t *testing.T) {
	var b strings.Builder
	if code := Fail(&b, fmt.Errorf("outer: %w", advised{})); code != ExitUnusable {
		t.Errorf("the exit code is %d", code)
	}
	if lines := strings.Split(b.String(), "\n"); len(lines) != 3 || lines[1] != "Install it." ||
		strings.Contains(lines[0], "\x1b") {
		t.Errorf("it printed %q", b.String())
	}
}
