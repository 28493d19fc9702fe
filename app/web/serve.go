package web

import (
	"archive/zip"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Serve serves the page with files ready in it, on this machine alone, until ctx ends. port 0 takes any that is free.
// Only who knows the link gets anything; ready is told it when it works.
func Serve(ctx context.Context, port int, files []string, ready func(link string)) error {
	z, err := open()
	if err != nil {
		return err
	}
	for _, name := range files {
		info, err := os.Stat(name)
		switch {
		case err != nil:
			return err
		case info.IsDir():
			return fmt.Errorf("%s is a folder; name the files in it", name)
		}
	}
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return err
	}
	h := &handler{pages: z, files: files, token: rand.Text()}
	server := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
	stop := context.AfterFunc(ctx, func() { server.Close() })
	defer stop()
	ready("http://" + l.Addr().String() + h.link())
	if err := server.Serve(l); ctx.Err() == nil {
		return err
	}
	return nil
}

// A handler serves the page and some files below a path that nobody can guess.
type handler struct {
	pages *zip.Reader
	files []string
	token string
}

// link is the path of the page with the files opened.
func (h *handler) link() string {
	query := url.Values{}
	for i, name := range h.files {
		query.Add("file", fmt.Sprintf("file/%d/%s", i, url.PathEscape(filepath.Base(name))))
	}
	link := "/" + h.token + "/"
	if len(query) > 0 {
		link += "?" + query.Encode()
	}
	return link
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	token, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	switch {
	case !local(r.Host), subtle.ConstantTimeCompare([]byte(token), []byte(h.token)) != 1:
		http.Error(w, "Not found: the link that strata web printed has more to it.", http.StatusNotFound)
		return
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		http.Error(w, "This is only read.", http.StatusMethodNotAllowed)
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "no-referrer")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cross-Origin-Resource-Policy", "same-origin")
	if below, ok := strings.CutPrefix(rest, "file/"); ok {
		number, _, _ := strings.Cut(below, "/")
		if i, err := strconv.Atoi(number); err == nil && i >= 0 && i < len(h.files) {
			h.file(w, r, h.files[i])
			return
		}
	}
	h.page(w, r, rest)
}

// local reports whether the name by which a browser reached us is this machine's: no other site's name leads here, as
// it may be made to.
func local(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func (h *handler) file(w http.ResponseWriter, r *http.Request, name string) {
	f, err := os.Open(name)
	if err != nil {
		http.Error(w, "The file cannot be read.", http.StatusNotFound)
		return
	}
	defer f.Close()
	w.Header().Set("Content-Type", "application/octet-stream")
	http.ServeContent(w, r, "", time.Time{}, f)
}

// page serves a file of the page. There is no service worker: it would keep the page of a link that is gone.
func (h *handler) page(w http.ResponseWriter, r *http.Request, name string) {
	if name == "" {
		name = "index.html"
	}
	f, err := h.pages.Open(path.Join("web", path.Clean("/"+name)))
	if err != nil || name == "sw.js" {
		http.NotFound(w, r)
		return
	}
	defer f.Close()
	kind := mime.TypeByExtension(path.Ext(name))
	if kind == "" {
		kind = "application/octet-stream"
	}
	w.Header().Set("Content-Type", kind)
	if r.Method == http.MethodGet {
		_, _ = io.Copy(w, f) // nobody is there to be told
	}
}
