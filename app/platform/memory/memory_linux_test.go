package memory

import (
	"os"
	"path/filepath"
	"testing"
)

// TestGroupLimit: a container's limit, or that of a group around ours, counts.
func TestGroupLimit(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"memory.max":                          "max\n",
		"user.slice/memory.max":               "4294967296\n",
		"user.slice/app.scope/memory.max":     "8589934592\n",
		"memory/docker/memory.limit_in_bytes": "2147483648\n",
		"memory/memory.limit_in_bytes":        "9223372036854771712\n",
		"container/memory.max":                "1073741824\n",
		"broken/memory.max":                   "much\n",
	} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		root, own string
		want      int64
	}{
		{root, "0::/user.slice/app.scope\n", 4 << 30},
		{root, "0::/elsewhere\n", 0},
		{root, "0::/broken\n", 0},
		{root, "", 0},
		{root, "13:cpu,cpuacct:/docker\n5:memory:/docker\n0::/\n", 2 << 30},
		{filepath.Join(root, "container"), "0::/\n", 1 << 30},
		{filepath.Join(root, "container"), "0::/../other/path\n", 1 << 30},
	} {
		if got := groupLimit(c.root, c.own); got != c.want {
			t.Errorf("%q below %s: %d, want %d", c.own, c.root, got, c.want)
		}
	}
	if n := Physical(); n < 1<<20 {
		t.Errorf("this machine has %d bytes", n)
	}
}
