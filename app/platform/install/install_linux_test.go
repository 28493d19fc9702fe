package install

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/xml"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// home makes an empty home folder for the test.
func home(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	t.Setenv("XDG_DATA_HOME", filepath.Join(dir, "share"))
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(dir, "config"))
	return dir
}

func tree(t *testing.T, dir string) (all []string) {
	t.Helper()
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			name, _ := filepath.Rel(dir, path)
			all = append(all, name)
		}
		return nil
	})
	return all
}

func TestAssociateAndUndo(t *testing.T) {
	dir := home(t)
	var out strings.Builder
	if err := associate(&out, `/opt/my apps/100% "strata"`); err != nil {
		t.Fatal(err)
	}
	made := tree(t, dir)
	for _, want := range []string{"share/applications/strata.desktop", "share/mime/packages/strata.xml",
		"share/icons/hicolor/16x16/apps/strata.png", "share/icons/hicolor/scalable/apps/strata.svg"} {
		if !slices.Contains(made, want) {
			t.Errorf("%s was not made", want)
		}
	}
	entry, err := os.ReadFile(filepath.Join(dir, "share/applications/strata.desktop"))
	if err != nil || !strings.Contains(string(entry), `Exec="/opt/my apps/100%% \\"strata\\"" %F`+"\n") {
		t.Errorf("the entry is %s (%v)", entry, err)
	}
	if path, err := exec.LookPath("desktop-file-validate"); err != nil {
		t.Log("SKIPPED: desktop-file-validate is not installed")
	} else if out, err := exec.Command(path,
		filepath.Join(dir, "share/applications/strata.desktop")).CombinedOutput(); err != nil {
		t.Errorf("desktop-file-validate: %s", out)
	}
	for range 2 { // a second time finds nothing and says so
		if err := undo(&out); err != nil {
			t.Fatal(err)
		}
	}
	if !strings.Contains(out.String(), "nothing to take back") {
		t.Errorf("it said %q", out.String())
	}
	for _, left := range tree(t, dir) {
		if strings.Contains(left, "strata") {
			t.Errorf("%s was left", left)
		}
	}
}

func TestPathsThatNoEntryHolds(t *testing.T) {
	home(t)
	if err := associate(&strings.Builder{}, "/a\nb"); err == nil {
		t.Error("a line end in the path was taken")
	}
}

// rule is a match of the type's description: at an offset in a range there is a string, and one of the inner rules
// holds too.
type rule struct {
	Value  string `xml:"value,attr"`
	Offset string `xml:"offset,attr"`
	Inner  []rule `xml:"match"`
}

func (r rule) holds(data []byte) bool {
	from, to, ranged := strings.Cut(r.Offset, ":")
	if !ranged {
		to = from
	}
	first, last := atoi(from), atoi(to)
	value := []byte(strings.ReplaceAll(r.Value, `\x80`, "\x80"))
	i := bytes.Index(data[min(first, len(data)):min(last+len(value), len(data))], value)
	if i < 0 {
		return false
	}
	return len(r.Inner) == 0 || slices.ContainsFunc(r.Inner, func(in rule) bool { return in.holds(data) })
}

func atoi(s string) (n int) {
	for _, c := range s {
		n = n*10 + int(c-'0')
	}
	return n
}

// The type's description must know snapshots by their content, and nothing else.
func TestContentTells(t *testing.T) {
	data, err := files.ReadFile("files/strata.xml")
	if err != nil {
		t.Fatal(err)
	}
	var info struct {
		Types []struct {
			Name  string `xml:"type,attr"`
			Magic rule   `xml:"magic"`
			Globs []struct {
				Pattern string `xml:"pattern,attr"`
			} `xml:"glob"`
		} `xml:"mime-type"`
	}
	if err := xml.Unmarshal(data, &info); err != nil {
		t.Fatal(err)
	}
	if info.Types[0].Name != MediaType {
		t.Errorf("the description is of %s, not of %s", info.Types[0].Name, MediaType)
	}
	entry, err := files.ReadFile("files/strata.desktop")
	if err != nil {
		t.Fatal(err)
	}
	is := func(data []byte) bool {
		return slices.ContainsFunc(info.Types[0].Magic.Inner, func(r rule) bool { return r.holds(data) })
	}
	snapshots, _ := filepath.Glob("../../../testdata/generated/*.pickle")
	if len(snapshots) < 20 {
		t.Fatalf("only %d test snapshots found", len(snapshots))
	}
	known := 0
	for _, path := range snapshots {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if is(data) {
			known++
		} else if data[0] == 0x80 && !strings.Contains(path, "torch1.1") { // whose root is a list
			t.Errorf("%s is not known for a snapshot", filepath.Base(path))
		}
	}
	t.Logf("%d of %d snapshots are known by their content", known, len(snapshots))
	// Other people's pickles: a dict of weights, a list, one that speaks of segments.
	for _, other := range []string{
		"\x80\x04\x95\x20\x00\x00\x00\x00\x00\x00\x00}\x94\x8c\x06weight\x94]\x94s.",
		"\x80\x04]\x94.",
		"\x80\x04\x95\x20\x00\x00\x00\x00\x00\x00\x00}\x94\x8c\x08segments\x94]\x94K\x01as.",
		"segments total_size device_traces",
		"",
	} {
		if is([]byte(other)) {
			t.Errorf("%.60q is taken for a snapshot", other)
		}
	}
	for _, typ := range info.Types {
		if !strings.Contains(string(entry), typ.Name+";") {
			t.Errorf("the desktop entry does not open %s", typ.Name)
		}
		for _, name := range []string{"model.pickle", "data.pkl", "model.pickle.gz", "archive.gz", "snapshot.txt"} {
			for _, g := range typ.Globs {
				if ok, _ := filepath.Match(g.Pattern, name); ok {
					t.Errorf("%s is seized by its name", name)
				}
			}
		}
	}
}

// The desktop itself must find the type, by name and by content.
func TestTheDesktopKnows(t *testing.T) {
	for _, p := range []string{"gio", "update-mime-database"} {
		if _, err := exec.LookPath(p); err != nil {
			t.Skipf("SKIPPED: %s is not installed (apt: libglib2.0-bin shared-mime-info)", p)
		}
	}
	dir := home(t)
	if err := associate(&strings.Builder{}, "/opt/strata"); err != nil {
		t.Fatal(err)
	}
	snapshot, err := os.ReadFile("../../../testdata/generated/devices.pickle")
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write(snapshot)
	z.Close()
	frame := binary.LittleEndian.AppendUint64([]byte{0x80, 4, 0x95}, 20)
	other := append(frame, "}\x94\x8c\x06weight\x94]\x94s."...)
	for _, c := range []struct {
		name string
		data []byte
		ours bool
	}{
		{"run_rank0.pickle", snapshot, true},
		{"no_extension", snapshot, true},
		{"my_snapshot.pickle.gz", packed.Bytes(), true},
		{"model.pickle", other, false},
		{"model.pickle.gz", packed.Bytes(), false},
		{"notes.txt", []byte("segments device_traces"), false},
	} {
		path := filepath.Join(dir, c.name)
		if err := os.WriteFile(path, c.data, 0o644); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command("gio", "info", "-a", "standard::content-type", path).CombinedOutput()
		if err != nil {
			t.Fatalf("gio: %v: %s", err, out)
		}
		if got := strings.Contains(string(out), MediaType); got != c.ours {
			t.Errorf("%s: ours %v, want %v: %s", c.name, got, c.ours, out)
		}
	}
}
