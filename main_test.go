package main

import (
	"encoding/json"
	"errors"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// layers is the way of the data, right to left: a package may import its own
// layer and those with a lower number.
var layers = map[string]int{"snapshot": 0, "layout": 1, "render": 2, "widgets": 3, "app": 4, "main": 5}

// A listed package is what go list says about one package.
type listed struct {
	ImportPath string
	Imports    []string // direct
	Deps       []string // all, direct or not
}

// layerOf names the layer of a package of this module: the first element of
// its path, or "main". The embedded sample, strata/testdata, is in none.
func layerOf(path string) string {
	rest, ok := strings.CutPrefix(path, "strata/")
	switch {
	case path == "strata":
		return "main"
	case !ok:
		return ""
	}
	first, _, _ := strings.Cut(rest, "/")
	return first
}

// wrongImports returns what is wrong with a package's imports, one sentence
// each: an import to the left, Gio where there must be none, the outside world
// in widgets.
func wrongImports(path string, imports, deps []string) []string {
	own := layerOf(path)
	rank, known := layers[own]
	if !known {
		return []string{path + " is in no layer of the design"}
	}
	var wrong []string
	for _, imported := range imports {
		layer := layerOf(imported)
		if r, ok := layers[layer]; ok && r > rank {
			wrong = append(wrong, path+" imports "+imported+", which is to its left")
		}
		if layer == "testdata" && own != "app" && own != "main" {
			wrong = append(wrong, path+" imports the sample; only app and main may")
		}
		if own == "widgets" && outside(imported) {
			wrong = append(wrong, path+" imports "+imported+"; widgets open no file and call no network")
		}
	}
	if own == "snapshot" || own == "layout" {
		for _, dep := range deps {
			if strings.HasPrefix(dep, "gioui.org") {
				wrong = append(wrong, path+" depends on "+dep+"; snapshot and layout know nothing of Gio")
			}
		}
	}
	return wrong
}

// outside reports whether a package of the standard library reaches files,
// processes or the network.
func outside(path string) bool {
	return path == "os" || strings.HasPrefix(path, "os/") || path == "net" || strings.HasPrefix(path, "net/") && path != "net/url" || path == "syscall"
}

func TestWrongImportsAreFound(t *testing.T) {
	for _, c := range []struct {
		path  string
		imps  []string
		deps  []string
		wrong int
	}{
		{"strata/layout", []string{"strata/snapshot", "sort"}, nil, 0},
		{"strata/layout", []string{"strata/render"}, nil, 1},
		{"strata/layout/query", []string{"strata/layout", "strata/widgets"}, nil, 1},
		{"strata/snapshot/pickle", []string{"strata/snapshot"}, nil, 0},
		{"strata/snapshot", nil, []string{"io", "gioui.org/op"}, 1},
		{"strata/render", nil, []string{"gioui.org/op"}, 0},
		{"strata/widgets", []string{"os", "net/http", "strata/layout"}, nil, 2},
		{"strata/app/platform", []string{"os", "strata/main"}, nil, 1},
		{"strata", []string{"strata/app", "strata/testdata"}, nil, 0},
		{"strata/render", []string{"strata/testdata"}, nil, 1},
		{"strata/misc", nil, nil, 1},
	} {
		if got := wrongImports(c.path, c.imps, c.deps); len(got) != c.wrong {
			t.Errorf("%s importing %v, %v: %d complaints %q, want %d", c.path, c.imps, c.deps, len(got), got, c.wrong)
		}
	}
}

// TestImportDirections holds every package to design.md's direction, on each
// system Strata is built for (their files differ).
func TestImportDirections(t *testing.T) {
	for _, goos := range []string{"linux", "windows", "darwin"} {
		t.Run(goos, func(t *testing.T) {
			cgo := "0"
			if goos == "linux" {
				cgo = "1" // the X11 files are cgo's
			}
			packages := list(t, "GOOS="+goos, "GOARCH=amd64", "CGO_ENABLED="+cgo)
			if len(packages) < 5 {
				t.Fatalf("go list found only %d packages", len(packages))
			}
			for _, p := range packages {
				for _, wrong := range wrongImports(p.ImportPath, p.Imports, p.Deps) {
					t.Error(wrong)
				}
			}
		})
	}
}

// list runs go list on all packages of the module.
func list(t *testing.T, env ...string) []listed {
	t.Helper()
	cmd := exec.Command("go", "list", "-e", "-json=ImportPath,Imports,Deps", "./...")
	cmd.Env = append(os.Environ(), env...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var packages []listed
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
}

// TestGioNames checks that the two packages of Gio that share a name with
// ours go by the same other name everywhere.
func TestGioNames(t *testing.T) {
	want := map[string]string{"gioui.org/app": "gioapp", "gioui.org/layout": "giolayout"}
	files := 0
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}
		files++
		parsed, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range parsed.Imports {
			imported, _ := strconv.Unquote(spec.Path.Value)
			if name := want[imported]; name != "" && (spec.Name == nil || spec.Name.Name != name && spec.Name.Name != "_") {
				t.Errorf("%s imports %s under another name than %s", path, imported, name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 10 {
		t.Errorf("only %d Go files found; is this the root of the module?", files)
	}
}

// TestTopLevel keeps the root of the repository as small as the design has it.
func TestTopLevel(t *testing.T) {
	out, err := exec.Command("git", "ls-files").Output()
	if err != nil {
		t.Skipf("not a git clone: %v", err)
	}
	allowed := strings.Fields("main.go main_test.go app layout snapshot render widgets testdata go.mod go.sum README.md Makefile LICENSE .ci .gitignore")
	known := map[string]bool{}
	for _, name := range allowed {
		known[name] = true
	}
	complained := map[string]bool{}
	for _, file := range strings.Fields(string(out)) {
		top, _, _ := strings.Cut(file, "/")
		if !known[top] && !complained[top] {
			complained[top] = true
			t.Errorf("%s at the top level is not part of the design", top)
		}
	}
}
