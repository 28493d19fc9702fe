// Package web has the page that make web builds, where this program was built with it: it serves it on this machine,
// and makes one file of it and a snapshot.
package web

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"errors"
	"html"
	"io"
	"io/fs"
	"path/filepath"
)

// errNone says how to get a program that has the page.
var errNone = errors.New("this strata was built without the web page; make web, in a clone of Strata, builds one " +
	"that has it, and dist/web, which any web server serves")

// open opens the archive of the page.
func open() (*zip.Reader, error) {
	if len(archive) == 0 {
		return nil, errNone
	}
	return zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
}

// Marks in the page that is one file: where snapshots stand, where what shows without scripts does, and where the
// program does, which the archive has beside it.
const (
	fileMark    = "<!-- files -->"
	bodyMark    = "<noscript>Strata needs JavaScript and WebAssembly.</noscript>"
	programMark = "<!-- program -->"
)

// Live writes the page as one file that opens a snapshot: of its name and contents. without writes what shows where
// scripts do not run.
func Live(w io.Writer, name string, contents io.Reader, without func(io.Writer) error) error {
	z, err := open()
	if err != nil {
		return err
	}
	page, err := fs.ReadFile(z, "strata.html")
	if err != nil {
		return err
	}
	programs, err := fs.Glob(z, "web/*.wasm.gz")
	if err != nil {
		return err
	}
	head, rest, body := bytes.Cut(page, []byte(bodyMark))
	before, rest, program := bytes.Cut(rest, []byte(programMark))
	after, tail, file := bytes.Cut(rest, []byte(fileMark))
	if !body || !program || !file || len(programs) != 1 {
		return errors.New("the web page in this strata is damaged")
	}
	f, err := z.Open(programs[0])
	if err != nil {
		return err
	}
	defer f.Close()
	text := func(s string) func() error {
		return func() error { _, err := io.WriteString(w, s); return err }
	}
	encode := func(r io.Reader) func() error {
		return func() error {
			encoded := base64.NewEncoder(base64.StdEncoding, w)
			if _, err := io.Copy(encoded, r); err != nil {
				return err
			}
			return encoded.Close()
		}
	}
	for _, write := range []func() error{
		text(string(head) + "<noscript>"), func() error { return without(w) }, text("</noscript>" + string(before)),
		encode(f),
		text(string(after) + `<script type="text/plain" data-file="` + html.EscapeString(filepath.Base(name)) + `">`),
		encode(contents), text("</script>" + string(tail)),
	} {
		if err := write(); err != nil {
			return err
		}
	}
	return nil
}
