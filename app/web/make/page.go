package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strconv"
	"strings"
	"text/template"

	"strata/app/web/site"
)

// A page is what index.html is filled with.
type page struct {
	Policy, Head, Scripts string
	Data                  []attribute
}

type attribute struct{ Name, Value string }

func fill(name string, with any) ([]byte, error) {
	t, err := template.ParseFS(site.Files, name)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = t.Execute(&out, with)
	return out.Bytes(), err
}

// folder makes the files of the page.
func (b *builder) folder() error {
	script, worker := b.pageScript(), b.workerScript()
	scriptName, workerName := named("strata", ".js", script), named("worker", ".js", worker)
	wasmName, iconName := named("strata", ".wasm.gz", b.wasm), named("icon", ".png", b.icon)
	b.files[scriptName], b.files[workerName], b.files[wasmName], b.files[iconName] = script, worker, b.wasm, b.icon
	policy := "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; " +
		"style-src 'unsafe-inline'; img-src 'self' blob: data:; manifest-src 'self'; base-uri 'none'; " +
		"form-action 'none'"
	p := page{Policy: policy,
		Head: `<link rel="manifest" href="strata.webmanifest"><link rel="icon" href="` + iconName + `">` + "\n",
		Data: []attribute{{"wasm", wasmName}, {"bytes", strconv.Itoa(len(b.wasm))}, {"worker", workerName}},
		// The script is fetched while the page is parsed, and so is the program.
		Scripts: `<script src="` + scriptName + `"></script>` + "\n"}
	if b.urls {
		p.Policy = strings.Replace(policy, "connect-src 'self'", "connect-src 'self' https: http:", 1)
		p.Data = append(p.Data, attribute{"urls", "1"})
	}
	index, err := fill("index.html", p)
	if err != nil {
		return err
	}
	b.files["index.html"] = index
	if b.files["strata.webmanifest"], err = manifest(iconName); err != nil {
		return err
	}
	kept, err := json.Marshal([]string{"./", scriptName, workerName, wasmName, iconName, "strata.webmanifest"})
	if err != nil {
		return err
	}
	worked, err := fill("sw.js", map[string]string{"Version": named("strata", "", append(index, kept...)),
		"Files": string(kept)})
	b.files["sw.js"] = worked
	return err
}

// manifest has the page installed, and opened for snapshots where browsers do so.
func manifest(icon string) ([]byte, error) {
	type object map[string]any
	return json.Marshal(object{"name": "Strata", "short_name": "Strata", "start_url": "./", "display": "standalone",
		"background_color": "#141722", "theme_color": "#141722",
		"description":    "What held the memory of a GPU: opens PyTorch CUDA memory snapshots",
		"icons":          []object{{"src": icon, "sizes": "512x512", "type": "image/png"}},
		"launch_handler": object{"client_mode": "focus-existing"},
		"file_handlers": []object{{"action": "./", "accept": object{
			"application/x-python-pickle": []string{".pickle", ".pkl"},
			"application/gzip":            []string{".gz"},
			"application/zstd":            []string{".zst"}}}}})
}

// single makes the page that is one file. Its scripts are allowed by their hashes, and nothing is fetched at all.
func (b *builder) single() ([]byte, error) {
	var scripts bytes.Buffer
	policy := "default-src 'none'; style-src 'unsafe-inline'; img-src data: blob:; worker-src blob:; " +
		"base-uri 'none'; form-action 'none'; script-src 'wasm-unsafe-eval' blob:"
	text := func(id string, contents []byte) {
		scripts.WriteString(`<script type="text/plain" id="` + id + `">`)
		scripts.Write(contents)
		scripts.WriteString("</script>\n")
	}
	text("wasm", b.encoded())
	text("worker", escaped(b.workerScript()))
	scripts.WriteString(fileMark + "\n")
	script := escaped(b.script("memfs.js", "wasm_exec.js", "files.js", "inline.js", "messages.js", "input.js",
		"page.js"))
	sum := sha256.Sum256(script)
	policy += " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	scripts.WriteString("<script>")
	scripts.Write(script)
	scripts.WriteString("</script>\n")
	return fill("index.html", page{Policy: policy, Scripts: scripts.String()})
}

func (b *builder) encoded() []byte { return []byte(base64.StdEncoding.EncodeToString(b.wasm)) }

// programMark stands in the archive where the program stands in the page that is one file.
const programMark = "<!-- program -->"

// fileMark is where the snapshots of strata report --live stand in the page that is one file.
const fileMark = "<!-- files -->"

// escaped keeps a script from ending the element that it stands in.
func escaped(script []byte) []byte {
	return []byte(strings.NewReplacer("</script", `<\/script`, "<!--", `<\!--`).Replace(string(script)))
}
