package atomicfile

import (
	"bufio"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWrite: what fails halfway, or is cancelled, leaves the old file.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "o.png")
	if err := os.WriteFile(out, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	half := func(err error) func(*bufio.Writer) error {
		return func(w *bufio.Writer) error {
			w.WriteString(strings.Repeat("half", 10000))
			return err
		}
	}
	broken := errors.New("broken off")
	if err := Write(context.Background(), out, half(broken)); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := Write(ctx, out, half(nil)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if b, err := os.ReadFile(out); err != nil || string(b) != "old" {
		t.Errorf("%q, %v", b, err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}
