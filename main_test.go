package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// rooms are the packages of the module from top to bottom. A package may import those of lower lines, and
// none of its own line; testdata, the embedded sample, only app and main may import.
var rooms = strings.Split(strings.TrimSpace(`
main app/web/program
app/start
app
app/window app/platform/install/make app/web/make app/web/browsers
app/cli
app/beside
app/pages
app/session
app/wall
app/files app/export app/reading
app/settings app/diag app/cli/report app/platform app/platform/install
app/platform/dialog app/platform/appearance
app/platform/display
app/platform/x11 app/platform/wayland app/platform/win32 app/platform/sessionbus
app/platform/drops app/platform/debuglog app/platform/platformtest app/platform/memory
app/tables app/options app/hub app/cli/terminal app/platform/cocoa
app/atomicfile app/web/site app/web
widgets/panel
widgets/sheet widgets/chart widgets/flame widgets/allocator widgets/pair widgets/wall
widgets/describe widgets/kit widgets/widgettest
render/picture
render/tiles
render/raster
render/colour
render
layout/compare layout/ranks
layout/growth layout/query
layout/category
layout/search layout/breakdown layout/explain
layout/state
layout/traces
layout
layout/capacity layout/shape
snapshot/cache snapshot/beside
snapshot
snapshot/ascend
snapshot/recording snapshot/unpack snapshot/jsontext snapshot/objects snapshot/kineto
snapshot/csvlog snapshot/memtimeline
snapshot/pickle
snapshot/hugepages layout/units
`), "\n")

// withoutGio are the rooms beside all of snapshot and layout that know nothing of Gio: none of what they depend on is
// part of it.
var withoutGio = strings.Fields("app/session app/tables app/files app/diag app/options app/settings app/export " +
	"app/hub app/atomicfile app/reading app/wall app/pages " +
	"render render/raster render/colour render/picture widgets/describe")

// roomOf returns the line of rooms that a package of this module stands in, -1 for testdata and what is not ours,
// and len(rooms) for a package of ours that has no room.
func roomOf(path string) int {
	name, ours := strings.CutPrefix(path, "strata/")
	switch {
	case path == "strata":
		return 0
	case !ours || name == "testdata":
		return -1
	}
	for i, line := range rooms {
		if slices.Contains(strings.Fields(line), name) {
			return i
		}
	}
	return len(rooms)
}

// wrongImports returns what is wrong with a package's imports, one sentence each.
func wrongImports(path string, imports, deps []string) []string {
	var wrong []string
	own := roomOf(path)
	if own == len(rooms) {
		return []string{path + " has no room in main_test.go"}
	}
	name := strings.TrimPrefix(path, "strata/")
	layer, _, _ := strings.Cut(name, "/")
	for _, imported := range imports {
		if room := roomOf(imported); room >= 0 && room <= own {
			wrong = append(wrong, path+" imports "+imported+", which does not stand below it")
		}
		if imported == "strata/testdata" && layer != "app" && own != 0 {
			wrong = append(wrong, path+" imports the sample; only app and main may")
		}
		if layer == "widgets" && outside(imported) {
			wrong = append(wrong, path+" imports "+imported+"; widgets open no file and call no network")
		}
	}
	if layer != "snapshot" && layer != "layout" && !slices.Contains(withoutGio, name) {
		return wrong
	}
	for _, imported := range deps {
		if strings.HasPrefix(imported, "gioui.org") {
			wrong = append(wrong, path+" needs "+imported+"; it knows nothing of Gio")
		}
	}
	return wrong
}

// outside reports whether a package of the standard library reaches files, processes or the network.
func outside(path string) bool {
	return path == "os" || strings.HasPrefix(path, "os/") || path == "net" ||
		strings.HasPrefix(path, "net/") && path != "net/url" || path == "syscall"
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
		{"strata/layout/query", []string{"strata/layout", "strata/widgets/kit"}, nil, 1},
		{"strata/layout/search", []string{"strata/layout/breakdown"}, nil, 1},
		{"strata/snapshot/pickle", []string{"strata/snapshot"}, nil, 1},
		{"strata/snapshot", nil, []string{"io", "gioui.org/op"}, 1},
		{"strata/app/session", []string{"strata/render"}, []string{"gioui.org/op"}, 1},
		{"strata/render/tiles", []string{"gioui.org/op"}, nil, 0},
		{"strata/render/picture", []string{"gioui.org/op"}, []string{"gioui.org/op"}, 1},
		{"strata/widgets/panel", []string{"os", "net/http", "strata/layout"}, nil, 2},
		{"strata/app/platform", []string{"os", "strata"}, nil, 1},
		{"strata", []string{"strata/app", "strata/testdata"}, nil, 0},
		{"strata/render", []string{"strata/testdata"}, nil, 1},
		{"strata/misc", nil, nil, 1},
	} {
		if got := wrongImports(c.path, c.imps, c.deps); len(got) != c.wrong {
			t.Errorf("%s importing %v, %v: %d complaints %q, want %d", c.path, c.imps, c.deps, len(got), got, c.wrong)
		}
	}
}

// TestImportDirections holds every package to its room, on each system that Strata is built for.
func TestImportDirections(t *testing.T) {
	for _, goos := range []string{"linux", "windows", "darwin", "js"} {
		t.Run(goos, func(t *testing.T) {
			cgo := "0"
			if goos == "linux" {
				cgo = "1" // the X11 files are cgo's
			}
			arch := "amd64"
			if goos == "js" {
				arch = "wasm"
			}
			form := `{{.ImportPath}};{{join .Imports " "}};{{join .Deps " "}}`
			cmd := exec.Command("go", "list", "-e", "-f", form, "./...")
			cmd.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+arch, "CGO_ENABLED="+cgo)
			cmd.Stderr = os.Stderr
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("go list: %v", err)
			}
			packages := strings.Split(strings.TrimSpace(string(out)), "\n")
			if len(packages) < 5 {
				t.Fatalf("go list found only %d packages", len(packages))
			}
			for _, p := range packages {
				part := strings.Split(p, ";")
				for _, wrong := range wrongImports(part[0], strings.Fields(part[1]), strings.Fields(part[2])) {
					t.Error(wrong)
				}
			}
		})
	}
}

// TestLibraries: the libraries that Strata was decided to be built on are part of the program.
func TestLibraries(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	deps := strings.Fields(string(out))
	for _, name := range []string{"gioui.org/app", "github.com/nlpodyssey/gopickle/pickle",
		"github.com/klauspost/compress/gzip", "golang.org/x/exp/shiny/materialdesign/icons"} {
		if !slices.Contains(deps, name) {
			t.Errorf("the program does not need %s any more", name)
		}
	}
}

// A sourceFile is one Go file of the module, read and parsed.
type sourceFile struct {
	path  string
	lines []string
	set   *token.FileSet
	tree  *ast.File
}

func sourceFiles(t *testing.T) []sourceFile {
	t.Helper()
	var files []sourceFile
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		f := sourceFile{path: filepath.ToSlash(path), set: token.NewFileSet()}
		f.lines = strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
		f.tree, err = parser.ParseFile(f.set, path, data, parser.ParseComments)
		files = append(files, f)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 10 {
		t.Fatalf("only %d Go files found; is this the root of the module?", len(files))
	}
	return files
}

// TestGioNames checks that the two packages of Gio that share a name with ours go by the same other name everywhere.
func TestGioNames(t *testing.T) {
	want := map[string]string{"gioui.org/app": "gioapp", "gioui.org/layout": "giolayout"}
	for _, f := range sourceFiles(t) {
		for _, spec := range f.tree.Imports {
			imported, _ := strconv.Unquote(spec.Path.Value)
			if name := want[imported]; name != "" && (spec.Name == nil || spec.Name.Name != name &&
				spec.Name.Name != "_") {
				t.Errorf("%s imports %s under another name than %s", f.path, imported, name)
			}
		}
	}
}

// tracked returns the files that git knows.
func tracked(t *testing.T) []string {
	t.Helper()
	out, err := exec.Command("git", "ls-files").Output()
	if err != nil {
		t.Skipf("not a git clone: %v", err)
	}
	return strings.Fields(string(out))
}

// TestTopLevel keeps the root of the repository small.
func TestTopLevel(t *testing.T) {
	known := strings.Fields("main.go main_test.go sizes_test.go app layout snapshot render widgets testdata go.mod " +
		"go.sum README.md Makefile LICENSE " +
		".ci .github .gitignore")
	complained := map[string]bool{}
	for _, file := range tracked(t) {
		top, _, _ := strings.Cut(file, "/")
		if !slices.Contains(known, top) && !complained[top] {
			complained[top] = true
			t.Errorf("%s at the top level is not part of the design", top)
		}
	}
}

// TestNamedFilesExist: what the documents name as a file or folder of the project is there, seen from the root or
// from the document's own folder.
func TestNamedFilesExist(t *testing.T) {
	named := regexp.MustCompile("`([\\w.-]+(?:/[\\w.-]*)+|[\\w-]+\\.(?:go|md))`|\\]\\(([\\w./-]+)\\)")
	tops := strings.Fields("app layout snapshot render widgets testdata .ci .github")
	checked := 0
	for _, file := range tracked(t) {
		if !strings.HasSuffix(file, ".md") || strings.HasPrefix(file, "testdata/") {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range named.FindAllStringSubmatch(string(data), -1) {
			name := m[1] + m[2]
			top, _, deep := strings.Cut(name, "/")
			if m[2] == "" && deep && !slices.Contains(tops, top) {
				continue // a path of the user's
			}
			checked++
			if !exists(name) && !exists(path.Join(path.Dir(file), name)) {
				t.Errorf("%s names %s, which does not exist", file, name)
			}
		}
	}
	if checked < 10 {
		t.Errorf("only %d names found", checked)
	}
}

// TestReadmeHasEveryRoom: the README's table of the code has each room, of those in one another the outer two.
func TestReadmeHasEveryRoom(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range rooms[1:] {
		for _, room := range strings.Fields(line) {
			if strings.Count(room, "/") < 2 && !strings.Contains(string(readme), "`"+room+"`") {
				t.Errorf("README.md does not say what %s is for", room)
			}
		}
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// TestGoSums: .ci/install has a checksum for the Go that go.mod asks for.
func TestGoSums(t *testing.T) {
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	install, err := os.ReadFile(".ci/install")
	if err != nil {
		t.Fatal(err)
	}
	want := regexp.MustCompile(`(?m)^go (.*)$`).FindStringSubmatch(string(mod))
	if want == nil || strings.Count(string(install), "'"+want[1]+" Linux ") != 2 {
		t.Errorf(".ci/install knows no checksums of Go %v for Linux on amd64 and arm64", want)
	}
}
