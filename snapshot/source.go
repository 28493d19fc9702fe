package snapshot

import (
	"crypto/sha256"
	"embed"
	"io/fs"
	"sync"
)

// The reader's own source. Whoever keeps what this package read must know
// when another version of it would read something else, and a number that
// people have to remember to raise is no guard.
//
//go:embed *.go pickle/*.go
var source embed.FS

// ReaderVersion is a hash of the source of this package and of package pickle:
// equal versions make the same Snapshot of the same bytes.
var ReaderVersion = sync.OnceValue(func() (v [sha256.Size]byte) {
	h := sha256.New()
	_ = fs.WalkDir(source, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := source.ReadFile(name)
		sum := sha256.Sum256(text)
		h.Write([]byte(name + "\x00"))
		h.Write(sum[:])
		return err
	})
	h.Sum(v[:0])
	return v
})
