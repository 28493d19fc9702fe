package hub

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// A stand is a hub on this machine. It notes who asked for what with which token.
type stand struct {
	*httptest.Server
	mu    sync.Mutex
	asked []string // "path token"
}

func newStand(t *testing.T, tls bool, handler http.HandlerFunc) *stand {
	t.Helper()
	s := &stand{}
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.asked = append(s.asked, r.URL.EscapedPath()+" "+r.Header.Get("Authorization"))
		s.mu.Unlock()
		handler(w, r)
	})
	s.Server = httptest.NewUnstartedServer(h)
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // refused certificates and cut answers are meant
	if tls {
		s.StartTLS()
	} else {
		s.Start()
	}
	t.Cleanup(s.Close)
	return s
}

func (s *stand) requests() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.asked, "\n")
}

// client is a Client of the stand, which trusts its certificate.
func (s *stand) client(settings Settings) *Client {
	settings.Endpoint = s.URL
	c := New(settings)
	c.http.Transport.(*authorizing).next = s.Client().Transport
	return c
}

// files serves files by the path after the host; others are 404.
func files(byPath map[string]string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, ok := byPath[r.URL.EscapedPath()]
		if !ok {
			if strings.HasPrefix(r.URL.Path, "/org/model/") {
				w.Header().Set("X-Error-Code", "EntryNotFound")
			}
			http.Error(w, "nothing here", http.StatusNotFound)
			return
		}
		fmt.Fprint(w, body)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
