package terminal

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

func TestTerminal(t *testing.T) {
	if got := Printable("a\x1b[2J\r\nb\u202e\u0000é字 \xff"); got != "a\ufffd[2J\ufffd\ufffdb\ufffd\ufffdé字 \ufffd" {
		t.Errorf("printable: %q", got)
	}
	if got := Clip(strings.Repeat("é", 5)+strings.Repeat("z", 100), 9); got != "éééé…zzzz" {
		t.Errorf("clip: %q", got)
	}
	if got := Wrap("  ", strings.Repeat("abcdefghi ", 12)); strings.Count(got, "\n") != 1 ||
		!strings.Contains(got, "\n  abcdefghi") {
		t.Errorf("wrapped: %q", got)
	}
}

func TestIs(t *testing.T) {
	file, err := os.Create(t.TempDir() + "/log")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if Is(&bytes.Buffer{}) || Is(file) {
		t.Error("a file is taken for a terminal")
	}
}
