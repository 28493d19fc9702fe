package drops

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestURIList(t *testing.T) {
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, in string
		want     []string
	}{
		{"one", "file:///a/run_rank0.pickle\r\n", []string{"/a/run_rank0.pickle"}},
		{"order", "file:///b\r\nfile:///a\r\n", []string{"/b", "/a"}},
		{"repeated", "file:///b\r\nfile:///b\r\n", []string{"/b"}},
		{"no line end", "file:///a", []string{"/a"}},
		{"LF, CR, NUL", "file:///a\nfile:///b\rfile:///c\x00", []string{"/a", "/b", "/c"}},
		{"comment", "#file:///no\r\nfile:///a\r\n", []string{"/a"}},
		{"spaces and quotes", "file:///a%20b/it's%20%22c%22.pickle", []string{`/a b/it's "c".pickle`}},
		{"unescaped space", "file:///a b/c d.pickle\r\n", []string{"/a b/c d.pickle"}},
		{"percent", "file:///100%25.pickle", []string{"/100%.pickle"}},
		{"bare percent", "file:///100%.pickle", []string{"/100%.pickle"}},
		{"percent twice", "file:///a%2520b", []string{"/a%20b"}},
		{"plus is plus", "file:///a+b", []string{"/a+b"}},
		{"hash", "file:///a%23b", []string{"/a#b"}},
		{"bare hash and question mark", "file:///run#2?x.pickle", []string{"/run#2?x.pickle"}},
		{"non-ASCII escaped", "file:///%C3%A9t%C3%A9.pickle", []string{"/été.pickle"}},
		{"non-ASCII bare", "file:///été.pickle", []string{"/été.pickle"}},
		{"not UTF-8", "file:///%E9.pickle", []string{"/\xe9.pickle"}},
		{"folder", "file:///runs/", []string{"/runs/"}},
		{"localhost", "file://localhost/a", []string{"/a"}},
		{"this host", "file://" + host + "/a", []string{"/a"}},
		{"one slash", "file:/a", []string{"/a"}},
		{"upper case", "FILE:///a", []string{"/a"}},
		{"newline in a name", "file:///a%0Ab", []string{"/a\nb"}},
		{"another host", "file://elsewhere.invalid/a", nil},
		{"web", "https://example.com/a.pickle", nil},
		{"NUL in a name", "file:///a%00b", nil},
		{"root", "file:///", nil},
		{"relative", "file:a/b", nil},
		{"host only", "file://a", nil},
		{"no URL", "hello", nil},
		{"nothing", "", nil},
		{"mixed", "https://example.com/\r\nfile:///a\r\n", []string{"/a"}},
	} {
		if got := parseURIList(c.in, false); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q gave %q, want %q", c.name, c.in, got, c.want)
		}
	}
}

func TestURIListWindows(t *testing.T) {
	for in, want := range map[string]string{
		"file:///C:/Users/a%20b/x.pickle": `C:\Users\a b\x.pickle`,
		"file:///c|/x":                    `c:\x`,
		"file://localhost/C:/x":           `C:\x`,
		"file://server/share/x":           `\\server\share\x`,
		"file:///x":                       "",
	} {
		if got := strings.Join(parseURIList(in, true), "|"); got != want {
			t.Errorf("%q gave %q, want %q", in, got, want)
		}
	}
}

func TestText(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	for _, c := range []struct {
		in   string
		want []string
	}{
		{"/a/b c.pickle\n", []string{"/a/b c.pickle"}},
		{"  /a  ", []string{"/a"}},
		{"/100%20.pickle", []string{"/100%20.pickle"}}, // a path, not a URL
		{"file:///a%20b", []string{"/a b"}},
		{"'/a b'", []string{"/a b"}},
		{`"/a b"`, []string{"/a b"}},
		{"~/x.pickle", []string{filepath.Join(home, "x.pickle")}},
		{"/a\n\n/b\n", []string{"/a", "/b"}},
		{"#/a", nil},
		{"/a\nand so on", nil},
		{"relative.pickle", nil},
		{"//comment", nil},
		{"/", nil},
		{"", nil},
	} {
		if got := parseText(c.in, false); !slices.Equal(got, c.want) {
			t.Errorf("%q gave %q, want %q", c.in, got, c.want)
		}
	}
	for in, want := range map[string]string{`"C:\a b"`: `C:\a b`, `\\server\x`: `\\server\x`, `C:x`: "", "/a": ""} {
		if got := strings.Join(parseText(in, true), "|"); got != want {
			t.Errorf("Windows: %q gave %q, want %q", in, got, want)
		}
	}
}

func TestDroppedTypes(t *testing.T) {
	for _, c := range []struct {
		kind string
		data []byte
		want string
	}{
		{URIList, []byte("file:///a\r\n"), "/a"},
		{"text/plain", []byte("/a\x00"), "/a"},
		{"STRING", []byte("/\xe9"), ""},
		{URIList, []byte(strings.Repeat("file:///a\r\n", MaxBytes/10)), ""},
	} {
		if got := strings.Join(Parse(c.kind, c.data), "|"); got != c.want {
			t.Errorf("%s: got %q, want %q", c.kind, got, c.want)
		}
	}
}

// A drop of very many files must not take time that grows with the square of them.
func TestManyFiles(t *testing.T) {
	var b strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&b, "file:///folder/run_rank%d.pickle\r\n", i)
	}
	if n := len(parseURIList(b.String(), onWindows)); n != 100_000 {
		t.Errorf("got %d paths", n)
	}
}

func FuzzDropped(f *testing.F) {
	f.Add("file:///a%20b\r\n#c\x00file://localhost/%zz")
	f.Fuzz(func(t *testing.T, s string) {
		for _, windows := range []bool{false, true} {
			for _, paths := range [][]string{parseURIList(s, windows), parseText(s, windows)} {
				for _, p := range paths {
					if p == "" || strings.ContainsRune(p, 0) {
						t.Errorf("%q gave the path %q", s, p)
					}
				}
			}
		}
		for _, kind := range Types {
			Parse(kind, []byte(s))
		}
	})
}
