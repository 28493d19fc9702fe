package dialog

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// A script stands in for osascript; AppleScript itself is not checked here.
func TestOsascript(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: needs a shell")
	}
	dir := t.TempDir()
	before := osascript
	defer func() { osascript = before }()
	osascript = filepath.Join(dir, "osascript")
	put := func(script string) {
		if err := os.WriteFile(osascript, []byte("#!/bin/sh\n"+script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	put(`for a in "$@"; do printf '%s\n' "$a"; done > ` + dir + `/arguments; printf '/a b/x\n/c\n\n'`)
	got, err := runOsascript(context.Background(), Request{Title: `say "hi" & do shell script`, Folder: "/runs",
		Multiple: true})
	if err != nil || !slices.Equal(got, []string{"/a b/x", "/c"}) {
		t.Errorf("got %q, %v", got, err)
	}
	args, err := os.ReadFile(filepath.Join(dir, "arguments"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(string(args), "end run\nsay \"hi\" & do shell script\n/runs\n\n") {
		t.Errorf("the title is not an argument of its own:\n%s", args)
	}
	put(`for a in "$@"; do printf '%s\n' "$a"; done > ` + dir + `/arguments; printf '/a b/new.png\n\n'`)
	got, err = runOsascript(context.Background(), Request{Title: "t", Folder: "/runs", save: true, Name: "new.png"})
	if err != nil || !slices.Equal(got, []string{"/a b/new.png"}) {
		t.Errorf("to write: %q, %v", got, err)
	}
	if args, err = os.ReadFile(filepath.Join(dir, "arguments")); err != nil ||
		!strings.Contains(string(args), "choose file name ") ||
		!strings.HasSuffix(string(args), "end run\nt\n/runs\nnew.png\n") {
		t.Errorf("it was asked with\n%s (%v)", args, err)
	}
	put("echo 'execution error: User canceled. (-128)' >&2; exit 1")
	if got, err := runOsascript(context.Background(), Request{Title: "t"}); err != nil || got != nil {
		t.Errorf("cancelled: %q, %v", got, err)
	}
	put("echo 'execution error: broken' >&2; exit 1")
	if _, err := runOsascript(context.Background(), Request{Title: "t"}); err == nil ||
		!strings.Contains(err.Error(), "broken") {
		t.Errorf("the error is %v", err)
	}
	osascript = filepath.Join(dir, "none")
	if _, err := runOsascript(context.Background(), Request{Title: "t"}); !errors.Is(err, ErrNoDialog) {
		t.Errorf("the error is %v", err)
	}
}
