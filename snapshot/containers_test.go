package snapshot

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"testing"
)

func zipped(t testing.TB, name string, data []byte) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for n, d := range map[string][]byte{name: data, "__MACOSX/._x": []byte("x")} {
		w, err := z.Create(n)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(d); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// htmlPage is a page as PyTorch's _memory_viz makes it, NULs after the pickle included.
func htmlPage(data []byte) []byte {
	b64 := base64.StdEncoding.EncodeToString(append(bytes.Clone(data), make([]byte, 3-len(data)%3)...))
	return []byte(`<!DOCTYPE html><html><head></head><body><script type="module">
import {add_local_files} from "https://example.invalid/MemoryViz.js"
const local_files = [{"name": "snapshot.pickle", "base64": "` + b64 + `"}]
add_local_files(local_files, "Active Memory Timeline")
</script></body>`)
}
