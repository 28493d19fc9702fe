package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func manual(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	if err := Manual(&b, "v1.2-3", "2026-11-29"); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func completion(t *testing.T, shell string) string {
	t.Helper()
	var b strings.Builder
	if err := Completion(&b, shell); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestManualHasEverything(t *testing.T) {
	texts := map[string]string{"man": strings.ReplaceAll(manual(t), `\-`, "-")}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		texts[shell] = completion(t, shell)
	}
	for what, text := range texts {
		for _, m := range modes {
			if !strings.Contains(text, m.name) {
				t.Errorf("%s: no %s", what, m.name)
			}
			for _, o := range m.options {
				if !strings.Contains(text, "--"+o.long) && !strings.Contains(text, "-l "+o.long) {
					t.Errorf("%s: no --%s", what, o.long)
				}
			}
		}
	}
	if err := Completion(&strings.Builder{}, "csh"); err == nil {
		t.Error("there is a completion for csh")
	}
}

// man must read the page without a complaint.
func TestManualPage(t *testing.T) {
	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Skip("SKIPPED: groff is not installed")
	}
	cmd := exec.Command(groff, "-man", "-Tutf8", "-ww")
	cmd.Stdin = strings.NewReader(manual(t))
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
		script := completion(t, "bash") + "\nCOMP_WORDS=(" + c.words +
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
