package dialog

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// programs puts shell scripts, and nothing else, on PATH, and hides the session bus.
func programs(t *testing.T, scripts map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, script := range scripts {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+strings.ReplaceAll(script, "$DIR", dir)+
			"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir)
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path="+filepath.Join(dir, "none"))
	t.Setenv("XDG_RUNTIME_DIR", dir)
	return dir
}

// record is a script's beginning that keeps its arguments, a line each.
const record = `for a in "$@"; do printf '%s\n' "[$a]"; done > $DIR/arguments; `

func TestDialogChain(t *testing.T) {
	dialog := Request{Title: "Open", Folder: "/runs here", Filters: Snapshots(), Multiple: true}
	for _, c := range []struct {
		name    string
		scripts map[string]string
		want    []string
		err     error
		args    []string // among the arguments
	}{
		{"zenity", map[string]string{"zenity": record + `printf '/a b/x.pickle\n/c/é.pickle\n'`, "kdialog": "echo /no"},
			[]string{"/a b/x.pickle", "/c/é.pickle"}, nil,
			[]string{"[--multiple]", "[--filename=/runs here/]", "[--attach=77]", "[--title=Open]",
				"[--file-filter=Memory snapshots and profiler traces | *.pickle *.pkl *.gz *.zst *.xz *.bz2 *.tar " +
					"*.tgz *.zip *.json *.json.tmp *.html *.csv]",
				"[--file-filter=All files | *]"}},
		{"zenity, cancelled", map[string]string{"zenity": "echo 'Gtk-WARNING: theme' >&2; exit 1",
			"kdialog": "echo /no"}, nil, nil, nil},
		{"zenity without a display", map[string]string{"zenity": "echo 'Unable to init server' >&2; echo 'cannot " +
			"open display: ' >&2; exit 1", "kdialog": "echo /k"}, []string{"/k"}, nil, nil},
		{"zenity too old", map[string]string{"zenity": "exit 255", "kdialog": "echo /k"}, []string{"/k"}, nil, nil},
		{"kdialog", map[string]string{"kdialog": record + "echo /k/1; echo /k/2"}, []string{"/k/1", "/k/2"}, nil,
			[]string{"[--multiple]", "[--separate-output]", "[/runs here]", "[--getopenfilename]", "[77]"}},
		{"nothing", nil, nil, ErrNoDialog, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := programs(t, c.scripts)
			got, err := Open(context.Background(), dialog, 77)
			if !slices.Equal(got, c.want) || !errors.Is(err, c.err) {
				t.Errorf("got %q, %v; want %q, %v", got, err, c.want, c.err)
			}
			if c.args == nil {
				return
			}
			args, err := os.ReadFile(filepath.Join(dir, "arguments"))
			if err != nil {
				t.Fatal(err)
			}
			for _, a := range c.args {
				if !strings.Contains(string(args), a+"\n") {
					t.Errorf("no %s among\n%s", a, args)
				}
			}
		})
	}
}

func TestSaveDialogChain(t *testing.T) {
	out := t.TempDir()
	taken := filepath.Join(out, "taken")
	if err := os.WriteFile(taken+".png", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		scripts map[string]string
		folder  string
		want    string
		err     error
		args    []string // among the arguments
	}{
		{"zenity", map[string]string{"zenity": record + `printf '/a b/é.png\n'`}, "/runs here", "/a b/é.png", nil,
			[]string{"[--save]", "[--confirm-overwrite]", "[--filename=/runs here/run.png]", "[--attach=77]",
				"[--file-filter=Pictures | *.png]"}},
		{"zenity, no folder", map[string]string{"zenity": record + `echo /x`}, "", "/x.png", nil,
			[]string{"[--filename=run.png]"}},
		{"no extension, but a file of that name", map[string]string{"zenity": "echo " + taken}, "", taken, nil, nil},
		{"zenity, cancelled", map[string]string{"zenity": "exit 1", "kdialog": "echo /no"}, "", "", nil, nil},
		{"kdialog", map[string]string{"kdialog": record + "echo /k/1.png"}, "/runs here", "/k/1.png", nil,
			[]string{"[--getsavefilename]", "[/runs here/run.png]", "[Pictures (*.png)]"}},
		{"nothing", nil, "", "", ErrNoDialog, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := programs(t, c.scripts)
			got, err := Save(context.Background(), Request{Title: "Save", Folder: c.folder, Name: "run.png",
				Filters: []Filter{{"Pictures", []string{"*.png"}}}, Multiple: true}, 77)
			if got != c.want || !errors.Is(err, c.err) {
				t.Errorf("got %q, %v; want %q, %v", got, err, c.want, c.err)
			}
			if c.args == nil {
				return
			}
			args, err := os.ReadFile(filepath.Join(dir, "arguments"))
			if err != nil || strings.Contains(string(args), "multiple") {
				t.Fatalf("asked with\n%s (%v)", args, err)
			}
			for _, a := range c.args {
				if !strings.Contains(string(args), a+"\n") {
					t.Errorf("no %s among\n%s", a, args)
				}
			}
		})
	}
}

func TestDialogCancelledByContext(t *testing.T) {
	programs(t, map[string]string{"zenity": "exec /bin/sleep 60"})
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	begun := time.Now()
	if _, err := Open(ctx, Request{}, 0); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the error is %v", err)
	}
	if d := time.Since(begun); d > 10*time.Second {
		t.Errorf("it took %v", d)
	}
}
