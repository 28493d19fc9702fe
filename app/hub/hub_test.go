package hub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const llama = `{"model_type":"llama","hidden_size":4096,"intermediate_size":14336,"num_attention_heads":32,` +
	`"num_key_value_heads":8,"num_hidden_layers":32,"vocab_size":128256}`

// noVocab is a config as Gemma 3 has it.
const noVocab = `{"text_config":{"hidden_size":2560,"intermediate_size":10240}}`

const secret = "hf_verySecretToken42"

func TestFetchAndCache(t *testing.T) {
	s := newStand(t, true, files(map[string]string{"/org/model/resolve/main/config.json": llama,
		"/org/model/resolve/refs%2Fpr%2F1/config.json": llama}))
	cache := t.TempDir()
	c := s.client(Settings{Token: secret, Cache: cache})
	m, err := c.Load(t.Context(), "org/model", 0)
	if err != nil || m.From != Network || m.Hidden != 4096 || m.Vocab != 128256 || m.HeadDim != 128 ||
		m.ID != "org/model" || m.Warning != "" {
		t.Fatalf("%+v, %v", m, err)
	}
	if got, want := s.requests(), "/org/model/resolve/main/config.json Bearer "+secret; got != want {
		t.Errorf("asked %q, want %q", got, want)
	}
	again, err := s.client(Settings{Cache: cache, Offline: true}).Load(t.Context(), "org/model", 32001)
	if err != nil || again.From != OwnCache || again.Vocab != 32001 || again.Hidden != 4096 {
		t.Errorf("from the cache: %+v, %v", again, err)
	}
	if m, err := c.Load(t.Context(), "org/model@refs/pr/1", 0); err != nil || m.From != Network ||
		m.ID != "org/model@refs/pr/1" {
		t.Errorf("a revision: %+v, %v", m, err)
	}
	if got := strings.Count(s.requests(), "\n") + 1; got != 2 {
		t.Errorf("%d requests:\n%s", got, s.requests())
	}
	// Nothing in the cache holds the token, and no half file is left.
	_ = filepath.WalkDir(cache, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if data, _ := os.ReadFile(path); strings.Contains(string(data), secret) ||
			filepath.Base(path) != "config.json" {
			t.Errorf("%s is in the cache", path)
		}
		return nil
	})
	// A broken cache is mended by fetching.
	write(t, filepath.Join(c.ownFolder(ID{Repo: "org/model", Revision: "main"}), "config.json"), "{")
	if m, err := c.Load(t.Context(), "org/model", 0); err != nil || m.From != Network {
		t.Errorf("broken cache: %+v, %v", m, err)
	}
}

// TestHubCache: a model that the hub's libraries downloaded needs no network.
func TestHubCache(t *testing.T) {
	s := newStand(t, true, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) })
	dir := t.TempDir()
	base := filepath.Join(dir, "models--org--model")
	const commit = "0123456789abcdef0123456789abcdef01234567"
	write(t, filepath.Join(base, "refs", "main"), commit)
	write(t, filepath.Join(base, "refs", "refs", "pr", "1"), commit+"\n")
	write(t, filepath.Join(base, "blobs", "b1"), noVocab)
	write(t, filepath.Join(base, "snapshots", commit, "tokenizer.json"),
		`{"model":{"vocab":{"a":0,"b":1}},"added_tokens":[{"id":7,"content":"<x>"}]}`)
	if err := os.Symlink("../../blobs/b1", filepath.Join(base, "snapshots", commit, "config.json")); err != nil {
		t.Skip("no links here: ", err)
	}
	for _, id := range []string{"org/model", "org/model@refs/pr/1", "org/model@" + commit} {
		m, err := s.client(Settings{HubCache: dir, Cache: t.TempDir(), Token: secret}).Load(t.Context(), id, 0)
		if err != nil || m.From != HubCache || m.Hidden != 2560 || m.Vocab != 8 {
			t.Errorf("%s: %+v, %v", id, m, err)
		}
	}
	if got := s.requests(); got != "" {
		t.Errorf("asked the network: %s", got)
	}
	for _, ref := range []string{"../../../etc", "zz", "", strings.Repeat("a", 300)} {
		write(t, filepath.Join(base, "refs", "main"), ref)
		if got := cachedSnapshot(dir, ID{Repo: "org/model", Revision: "main"}); got != "" {
			t.Errorf("ref %q leads to %s", ref, got)
		}
	}
}

func TestLocal(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "m", "config.json"), llama)
	write(t, filepath.Join(dir, "m", "other.json"), noVocab)
	write(t, filepath.Join(dir, "m", "vocab.json"), `{"a":0,"b":9}`)
	write(t, filepath.Join(dir, "bad", "config.json"), `{"hidden_size":"x"}`)
	write(t, filepath.Join(dir, "big", "config.json"), strings.Repeat(" ", maxConfig+1))
	if err := os.MkdirAll(filepath.Join(dir, "empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	c := New(Settings{Endpoint: "http://127.0.0.1:1", Offline: true})
	for _, id := range []string{"m", "./m", filepath.Join(dir, "m"), "m/", "m/config.json",
		filepath.Join(dir, "m", "config.json")} {
		if m, err := c.Load(t.Context(), id, 0); err != nil || m.From != Local || m.Vocab != 128256 || m.ID != id {
			t.Errorf("%s: %+v, %v", id, m, err)
		}
	}
	if m, err := c.Load(t.Context(), "m/other.json", 0); err != nil || m.Hidden != 2560 || m.Vocab != 10 {
		t.Errorf("%+v, %v", m, err)
	}
	for id, says := range map[string]string{
		"./none":        "no such folder",
		"none.json":     "no such file",
		"empty":         "config.json",
		"bad":           "hidden_size",
		"big":           "larger than 4 MiB",
		os.DevNull:      "no regular file",
		"org/model":     "HF_HUB_OFFLINE",
		"":              "names no model",
		" m":            "names no model",
		"a b/c":         "neither a folder",
		"org/na--me":    "neither a folder",
		"org/..":        "neither a folder",
		"org/model@../": "no such folder",
		"a/b/c":         "neither",
		"org/model@a..": "neither",
		"-org/model":    "neither",
	} {
		m, err := c.Load(t.Context(), id, 0)
		if err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "\n") || m != (Model{}) {
			t.Errorf("%q: %+v, %v; want %q", id, m, err, says)
		}
	}
}

// TestAnswers: each way for a hub not to give the file has a sentence.
func TestAnswers(t *testing.T) {
	status := func(code int, header string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			if header != "" {
				w.Header().Set("X-Error-Code", header)
			}
			http.Error(w, "<html>"+secret, code)
		}
	}
	body := func(s string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, s) }
	}
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		token   Secret
		says    string
	}{
		"gated":         {status(401, "GatedRepo"), "", "set HF_TOKEN"},
		"gated 403":     {status(403, "GatedRepo"), secret, "was refused"},
		"plain 401":     {status(401, ""), "", "(401)"},
		"plain 403":     {status(403, ""), secret, "(403)"},
		"private":       {status(401, "RepoNotFound"), "", "or it is private"},
		"missing":       {status(404, "RepoNotFound"), secret, "no model org/model (404)"},
		"plain 404":     {status(404, ""), "", "no model org/model (404)"},
		"no revision":   {status(404, "RevisionNotFound"), "", "no revision main"},
		"no config":     {status(404, "EntryNotFound"), "", "has no config.json"},
		"busy":          {status(429, ""), "", "too many requests"},
		"fault":         {status(503, ""), "", "(503)"},
		"teapot":        {status(418, ""), "", "418"},
		"html":          {body("<!doctype html><title>Log in</title>"), "", "not JSON"},
		"cut":           {body(`{"hidden_size":`), "", "too early"},
		"empty":         {body(""), "", "too early"},
		"no dimensions": {body(`{"a":1}`), "", "no hidden_size"},
		"large":         {body(strings.Repeat(" ", maxConfig+10)), "", "larger than 4 MiB"},
		"endless redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, r.URL.Path, http.StatusFound)
		}, "", "in circles"},
		"downgrade": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.1:1/x", http.StatusFound)
		}, secret, "without encryption"},
		"cut off": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			fmt.Fprint(w, "{")
			panic(http.ErrAbortHandler)
		}, "", "broke off"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStand(t, true, c.handler)
			cache := t.TempDir()
			m, err := s.client(Settings{Token: c.token, Cache: cache}).Load(t.Context(), "org/model", 0)
			if err == nil || !strings.Contains(err.Error(), c.says) || m != (Model{}) {
				t.Fatalf("%v; want %q", err, c.says)
			}
			if strings.Contains(fmt.Sprintf("%v %+v %#v", err, err, err), secret) ||
				strings.ContainsAny(err.Error(), "\n\x1b") {
				t.Errorf("not fit to be shown: %q", err)
			}
			if left, _ := os.ReadDir(cache); len(left) > 0 {
				t.Errorf("the answer was kept")
			}
		})
	}
}

func TestSlowAndCancelled(t *testing.T) {
	release := make(chan struct{})
	s := newStand(t, true, func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "drip") { // headers and a first byte, then nothing
			fmt.Fprint(w, "{")
			w.(http.Flusher).Flush()
		}
		<-release
	})
	defer close(release) // before the server is closed
	for _, id := range []string{"org/silent", "org/drip"} {
		c := s.client(Settings{})
		c.config = 80 * time.Millisecond
		if _, err := c.Load(t.Context(), id, 0); err == nil || !strings.Contains(err.Error(), "within 80ms") {
			t.Errorf("%s: %v", id, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	start := time.Now()
	if _, err := s.client(Settings{}).Load(ctx, "org/drip", 0); !errors.Is(err, context.Canceled) ||
		time.Since(start) > 5*time.Second {
		t.Errorf("cancelled: %v after %v", err, time.Since(start))
	}
}

func TestUnreachable(t *testing.T) {
	s := newStand(t, false, files(nil))
	s.Close()
	if _, err := s.client(Settings{Token: secret}).Load(t.Context(), "org/model", 0); err == nil ||
		!strings.Contains(err.Error(), "cannot be reached") {
		t.Errorf("closed: %v", err)
	}
	tls := newStand(t, true, files(nil))
	if _, err := New(Settings{Endpoint: tls.URL}).Load(t.Context(), "org/model", 0); err == nil ||
		!strings.Contains(err.Error(), "certificate") {
		t.Errorf("unknown certificate: %v", err)
	}
	plain := newStand(t, false, files(nil))
	c := New(Settings{Endpoint: strings.Replace(plain.URL, "http:", "https:", 1)})
	if _, err := c.Load(t.Context(), "org/model", 0); err == nil ||
		!strings.Contains(err.Error(), "cannot be reached") {
		t.Errorf("no TLS: %v", err)
	}
}

// TestTokenStays: the token goes to the endpoint alone, whatever it redirects to.
func TestTokenStays(t *testing.T) {
	other := newStand(t, true, files(map[string]string{"/elsewhere": llama}))
	s := newStand(t, true, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasPrefix(r.URL.Path, "/org/old/"):
			http.Redirect(w, r, "/org/new/resolve/main/config.json", http.StatusTemporaryRedirect)
		case strings.HasPrefix(r.URL.Path, "/org/new/"):
			http.Redirect(w, r, other.URL+"/elsewhere", http.StatusFound)
		}
	})
	c := s.client(Settings{Token: secret})
	c.http.Transport.(*authorizing).next.(*http.Transport).TLSClientConfig.InsecureSkipVerify = true // two certificates
	if m, err := c.Load(t.Context(), "org/old", 0); err != nil || m.Hidden != 4096 {
		t.Fatalf("%+v, %v", m, err)
	}
	// Both hosts are 127.0.0.1: only the port tells them apart, which Go's own rule does not look at.
	if got := other.requests(); got != "/elsewhere " {
		t.Errorf("the other host was sent %q", got)
	}
	if got := s.requests(); strings.Count(got, "Bearer "+secret) != 2 {
		t.Errorf("the endpoint was sent %q", got)
	}
}

func TestMayHaveToken(t *testing.T) {
	for _, c := range []struct {
		endpoint, address string
		want              bool
	}{
		{"https://hub.example", "https://hub.example/org/model", true},
		{"https://hub.example", "https://HUB.example:443/org", true},
		{"https://hub.example:8443", "https://hub.example/org", false},
		{"https://hub.example", "https://sub.hub.example/org", false},
		{"https://hub.example", "https://hub.example.evil/org", false},
		{"https://hub.example", "http://hub.example/org", false},
		{"http://hub.example", "http://hub.example/org", false},
		{"http://127.0.0.1:99", "http://127.0.0.1:99/org", false},
		{"http://localhost:99", "http://localhost:99/org", false},
		{"https://127.0.0.1:99", "https://127.0.0.1:99/org", true},
		{"http://[::1]:99", "http://[::1]:99/org", false},
		{"http://127.0.0.1:99", "http://127.0.0.1:98/org", false},
		{"http://localhost.evil:99", "http://localhost.evil:99/org", false},
	} {
		s := Settings{Endpoint: c.endpoint, Token: secret}
		req := httptest.NewRequest("GET", c.address, nil)
		if got := s.mayHaveToken(req.URL); got != c.want {
			t.Errorf("%s of %s: %t", c.address, c.endpoint, got)
		}
		s.Token = ""
		if s.mayHaveToken(req.URL) {
			t.Error("no token is sent as one")
		}
	}
}

// TestVocabulary: where the config has none, the tokenizer is counted, and the count kept rather than the file.
func TestVocabulary(t *testing.T) {
	const at = "/org/model/resolve/main/"
	for name, c := range map[string]struct {
		files map[string]string
		want  int64
	}{
		"BPE": {map[string]string{"tokenizer.json": `{"version":"1.0","added_tokens":[{"id":5,"special":true},` +
			`{"id":3}],"pre_tokenizer":{"x":[{"id":99}]},"model":{"type":"BPE","vocab":{"a":0,"b":4},"merges":[["a",` +
			`"b"]]}}`}, 6},
		"Unigram": {map[string]string{"tokenizer.json": `{"added_tokens":null,"model":{"vocab":[["<pad>",0.0],["▁a",` +
			`-2.5],["b",[]]]}}`}, 3},
		"vocab": {map[string]string{"vocab.json": `{"!":0,"<|endoftext|>":50256}`}, 50257},
		"decoder": {map[string]string{"tokenizer_config.json": `{"model_max_length":1e30,` +
			`"added_tokens_decoder":{"0":{"content":"<pad>"},"262143":{"content":"x","id":9}}}`}, 262144},
		"bad JSON": {map[string]string{"tokenizer.json": `{"model":{"vocab":{"a":0,`, "vocab.json": `{"a":1}`},
			2},
		"absurd":   {map[string]string{"tokenizer.json": `{"model":{"vocab":{"a":99999999999999}}}`}, 0},
		"negative": {map[string]string{"vocab.json": `{"a":-5}`}, 0},
		"deep":     {map[string]string{"vocab.json": `{"a":` + strings.Repeat("[", 5000)}, 0},
		"list":     {map[string]string{"vocab.json": `[1,2,3]`}, 0},
		"none":     {nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			served := map[string]string{at + "config.json": noVocab}
			for f, text := range c.files {
				served[at+f] = text
			}
			s := newStand(t, true, files(served))
			settings := Settings{Cache: t.TempDir()}
			m, err := s.client(settings).Load(t.Context(), "org/model", 0)
			if err != nil || m.Vocab != c.want || (m.Warning == "") != (c.want > 0) ||
				m.Hidden != 2560 {
				t.Fatalf("%+v, %v; want %d", m, err, c.want)
			}
			if c.want > 0 {
				settings.Offline = true
				if m, err := s.client(settings).Load(t.Context(), "org/model", 0); err != nil || m.Vocab != c.want {
					t.Errorf("kept: %+v, %v", m, err)
				}
			}
			before := s.requests()
			settings = Settings{Cache: t.TempDir()}
			if m, err := s.client(settings).Load(t.Context(), "org/model", 7); err != nil || m.Vocab != 7 ||
				m.Warning != "" {
				t.Errorf("overridden: %+v, %v", m, err)
			}
			if after := strings.TrimPrefix(s.requests(), before); strings.Count(after, "/") != 5 {
				t.Errorf("a size that was given was looked for: %s", after)
			}
		})
	}
}

func FuzzCountTokens(f *testing.F) {
	f.Add("tokenizer.json", []byte(`{"added_tokens":[{"id":5}],"model":{"vocab":{"a":0}}}`))
	f.Add("vocab.json", []byte(`{"a":0}`))
	f.Add("tokenizer_config.json", []byte(`{"added_tokens_decoder":{"0":{}}}`))
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		n := countTokens(name, data)
		if n < 0 || n > maxVocab {
			t.Errorf("%d tokens", n)
		}
		var whole any
		if n > 0 && name == "vocab.json" && json.Unmarshal(data, &whole) == nil {
			if _, ok := whole.(map[string]any); !ok {
				t.Errorf("%d tokens in no object", n)
			}
		}
	})
}
