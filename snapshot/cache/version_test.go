package cache

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"testing"

	"strata/snapshot"
)

// recorded is the version, and a digest of the entries of all bundled snapshots at that version.
var recorded = struct {
	version int64
	digest  string
}{10, "04f153a76ff958fe037004336e1f1c7709f4dd02fef5a290ea51a481fd5e706e"}

// TestVersion fails when what the bundled snapshots decode to, or how entries are laid out, changes and version
// does not: users would be shown what an older reader made of their files.
func TestVersion(t *testing.T) {
	h := sha256.New()
	n := 0
	for _, pattern := range []string{"testdata/*.gz", "testdata/generated/*", "testdata/reference/*.pickle"} {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			s, err := snapshot.Open(context.Background(), file, snapshot.Options{})
			if err != nil {
				t.Fatal(err)
			}
			h.Write(encode(t, s))
			n++
		}
	}
	if n < 50 {
		t.Fatalf("only %d snapshots", n)
	}
	digest := hex.EncodeToString(h.Sum(nil))
	switch {
	case digest != recorded.digest && version == recorded.version:
		t.Errorf("the bundled snapshots decode to something else: raise version in identity.go and record {%d, "+
			"%q} here", version+1, digest)
	case digest != recorded.digest || version != recorded.version:
		t.Errorf("record {%d, %q} here", version, digest)
	}
}
