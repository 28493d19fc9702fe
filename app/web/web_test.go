package web

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// pages is an archive as app/web/make writes it.
func pages(t *testing.T) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for name, text := range map[string]string{"web/index.html": "the page", "web/strata-1.js": "script",
		"web/sw.js": "worker", "web/strata-2.wasm.gz": "program",
		"strata.html": "<body>" + bodyMark + "a" + programMark + "b" + fileMark + "c</body>"} {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestServesNothingElse: who has the link gets the page and the named files; nobody gets anything else, and no other
// site's name leads here.
func TestServesNothingElse(t *testing.T) {
	data := pages(t)
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	given, other := filepath.Join(dir, "a b#?.pickle"), filepath.Join(dir, "secret")
	for _, name := range []string{given, other} {
		if err := os.WriteFile(name, []byte("contents of "+filepath.Base(name)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	h := &handler{pages: z, files: []string{given}, token: "token"}
	if link := h.link(); link != "/token/?file=file%2F0%2Fa%2520b%2523%253F.pickle" {
		t.Errorf("the link is %s", link)
	}
	for _, c := range []struct {
		method, host, path string
		code               int
		body               string
	}{
		{"GET", "127.0.0.1:80", "/token/", 200, "the page"},
		{"GET", "localhost:8888", "/token/", 200, "the page"},
		{"GET", "[::1]:1", "/token/strata-1.js", 200, "script"},
		{"GET", "127.0.0.1", "/token/file/0/a%20b%23%3F.pickle", 200, "contents of a b#?.pickle"},
		{"GET", "127.0.0.1", "/token/file/0/anything", 200, "contents of a b#?.pickle"},
		{"GET", "127.0.0.1", "/token/sw.js", 404, ""},
		{"GET", "127.0.0.1", "/token/file/1/secret", 404, ""},
		{"GET", "127.0.0.1", "/token/file/-1/secret", 404, ""},
		{"GET", "127.0.0.1", "/token/../strata.html", 404, ""},
		{"GET", "127.0.0.1", "/token/%2e%2e/%2e%2e/secret", 404, ""},
		{"GET", "127.0.0.1", "/", 404, ""},
		{"GET", "127.0.0.1", "/index.html", 404, ""},
		{"GET", "127.0.0.1", "/tokem/", 404, ""},
		{"GET", "127.0.0.1", "/toke/", 404, ""},
		{"GET", "evil.example", "/token/", 404, ""},
		{"GET", "127.0.0.1.evil.example:80", "/token/", 404, ""},
		{"POST", "127.0.0.1", "/token/", 405, ""},
	} {
		r := httptest.NewRequest(c.method, c.path, nil)
		r.Host = c.host
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != c.code || c.code == 200 && w.Body.String() != c.body {
			t.Errorf("%s %s of %s: %d %q", c.method, c.path, c.host, w.Code, w.Body)
		}
	}
}

// TestServe: it listens on this machine alone, says where, and ends with its context.
func TestServe(t *testing.T) {
	if len(archive) == 0 {
		err := Serve(t.Context(), 0, nil, func(string) { t.Error("it serves nothing") })
		if !errors.Is(err, errNone) || !strings.Contains(err.Error(), "make web") {
			t.Errorf("without the page: %v", err)
		}
		archive = pages(t)
		defer func() { archive = nil }()
	}
	if err := Serve(t.Context(), 0, []string{"absent"}, nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("of a file that is not there: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	err := Serve(ctx, 0, nil, func(link string) {
		if !strings.HasPrefix(link, "http://127.0.0.1:") || len(link) < 40 {
			t.Errorf("the link is %s", link)
		}
		go func() {
			defer cancel()
			answer, err := http.Get(link)
			if err != nil {
				t.Error(err)
				return
			}
			answer.Body.Close()
			if answer.StatusCode != http.StatusOK {
				t.Errorf("%s: %s", link, answer.Status)
			}
		}()
	})
	if err != nil {
		t.Error(err)
	}
}

// TestLive: the page as one file has the snapshot, its name, and what shows without scripts.
func TestLive(t *testing.T) {
	before := archive
	archive = pages(t)
	defer func() { archive = before }()
	var out strings.Builder
	without := func(w io.Writer) error {
		_, err := io.WriteString(w, "the report")
		return err
	}
	err := Live(&out, "/x/<a>.pickle", strings.NewReader("snapshot"), without)
	want := `<body><noscript>the report</noscript>acHJvZ3JhbQ==b<script type="text/plain" ` +
		`data-file="&lt;a&gt;.pickle">c25hcHNob3Q=</script>c</body>`
	if err != nil || out.String() != want {
		t.Errorf("%v, %s", err, &out)
	}
}
