// Make builds Strata as a web page: a folder of files for any static server, one file that opens by a double-click, and
// both in an archive that the native program can be built with. make web calls it.
package main

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"strata/app/web/site"
)

func main() {
	folder := flag.String("o", "dist/web", "the `folder` of the page; its files are replaced")
	single := flag.String("single", "dist/strata.html", "the one `file` that is all of it")
	archive := flag.String("zip", "", "an archive of both, for the native program")
	urls := flag.Bool("urls", false, "have the page fetch what ?url= says, from any server")
	small := flag.Bool("small", false, "compress better, by zopfli if that is installed")
	flag.Parse()
	b := builder{urls: *urls, small: *small, files: map[string][]byte{}}
	if err := b.build(*folder, *single, *archive); err != nil {
		fmt.Fprintln(os.Stderr, "web:", err)
		os.Exit(1)
	}
}

// A builder has what the page is made of.
type builder struct {
	wasm, exec, icon []byte // wasm is compressed
	urls, small      bool
	files            map[string][]byte // of the folder
}

func (b *builder) build(folder, single, archive string) error {
	if err := b.compile(); err != nil {
		return err
	}
	if err := b.folder(); err != nil {
		return err
	}
	whole, err := b.single()
	if err != nil {
		return err
	}
	if err := b.write(folder); err != nil {
		return err
	}
	if err := os.WriteFile(single, whole, 0o644); err != nil || archive == "" {
		return err
	}
	packed, err := pack(b.files, bytes.Replace(whole, b.encoded(), []byte(programMark), 1))
	if err != nil {
		return err
	}
	return os.WriteFile(archive, packed, 0o644)
}

// compile builds the program and finds the script of the compiler that runs it: those of another would not do.
func (b *builder) compile() error {
	dir, err := os.MkdirTemp("", "strata-web-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, "strata.wasm")
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", out, "./app/web/program")
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("the program: %w", err)
	}
	program, err := os.ReadFile(out)
	if err != nil {
		return err
	}
	if b.wasm, err = b.pack(program); err != nil {
		return err
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return err
	}
	if b.exec, err = os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "lib/wasm/wasm_exec.js")); err != nil {
		return err
	}
	b.icon, err = os.ReadFile("app/platform/install/files/icons/strata-512.png")
	return err
}

// pack compresses the program. zopfli takes a minute to make it 6 % smaller.
func (b *builder) pack(program []byte) ([]byte, error) {
	if path, err := exec.LookPath("zopfli"); b.small && err == nil {
		f, err := os.CreateTemp("", "strata-*.wasm")
		if err != nil {
			return nil, err
		}
		defer os.Remove(f.Name())
		if _, err := f.Write(program); err != nil {
			return nil, err
		}
		if err := f.Close(); err != nil {
			return nil, err
		}
		return exec.Command(path, "-c", "--i1", f.Name()).Output()
	}
	var packed bytes.Buffer
	w, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression) // the level is one
	if _, err := w.Write(program); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return packed.Bytes(), nil
}

// script is some of the page's scripts in one.
func (b *builder) script(names ...string) []byte {
	var out bytes.Buffer
	for _, name := range names {
		text := b.exec
		if name != "wasm_exec.js" {
			text, _ = site.Files.ReadFile(name) // embedded: TestPage finds what is missing
		}
		out.Write(text)
		out.WriteByte('\n')
	}
	return out.Bytes()
}

func (b *builder) pageScript() []byte {
	return b.script("memfs.js", "wasm_exec.js", "files.js", "messages.js", "input.js", "page.js")
}

func (b *builder) workerScript() []byte { return b.script("memfs.js", "wasm_exec.js", "worker.js") }

// named is a name with a hash of the contents, so that files of two versions never meet.
func named(name, ending string, contents []byte) string {
	sum := sha256.Sum256(contents)
	return name + "-" + hex.EncodeToString(sum[:6]) + ending
}

// write replaces what an earlier build left in a folder.
func (b *builder) write(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	old, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, f := range old {
		if _, ours := b.files["index.html"]; ours && !f.IsDir() {
			if err := os.Remove(filepath.Join(folder, f.Name())); err != nil {
				return err
			}
		}
	}
	for name, contents := range b.files {
		if err := os.WriteFile(filepath.Join(folder, name), contents, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// pack makes the archive: the folder below web/, and the one file without the program, which the folder has.
func pack(files map[string][]byte, single []byte) ([]byte, error) {
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	add := func(name string, contents []byte) error {
		method := zip.Deflate
		if strings.HasSuffix(name, ".gz") {
			method = zip.Store
		}
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: method})
		if err == nil {
			_, err = w.Write(contents)
		}
		return err
	}
	var names []string
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if err := add("web/"+name, files[name]); err != nil {
			return nil, err
		}
	}
	if err := add("strata.html", single); err != nil {
		return nil, err
	}
	err := z.Close()
	return out.Bytes(), err
}
