package cli

import (
	"bytes"
	"context"
	"image/png"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"strata/app/options"
	"strata/layout"
	"strata/snapshot"
)

const simBase, simDevices = root + "/testdata/reference/sim-base.pickle",
	root + "/testdata/reference/sim-devices.pickle"

// draw runs render and decodes the picture.
func draw(t *testing.T, args ...string) (width, height int, data []byte) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "o.png")
	stdout, stderr, code := run(t, append([]string{"render", "-o", out}, args...)...)
	if code != 0 || stdout != "" || stderr != "" {
		t.Fatalf("exit %d, stdout %q, stderr %q", code, stdout, stderr)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	im, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return im.Bounds().Dx(), im.Bounds().Dy(), data
}

func TestRender(t *testing.T) {
	pictures := map[string][]string{
		"plain":    {simBase},
		"small":    {simBase, "--size", "320x200"},
		"light":    {simBase, "--theme", "light"},
		"time":     {simBase, "--axis", "time"},
		"part":     {simBase, "--from", "20", "--to", "60"},
		"time 2":   {simBase, "--axis", "time", "--from", "1ms", "--to", "4ms"},
		"largest":  {simBase, "--max-entries", "5"},
		"line":     {simBase, "--gpu", "100MiB"},
		"base":     {simBase, "--offset", "64"},
		"both":     {simBase, "--offset", "64", "--gpu", "100MiB"},
		"colours":  {simBase, "--colour", "lifetime"},
		"all":      {simBase, "--all-annotations"},
		"filter":   {simBase, "--annotation-filter", "backward"},
		"regex":    {simBase, "--annotation-filter", "/step_[12]/"},
		"few":      {simBase, "--annotation-filter", "no such thing"},
		"reserved": {simBase, "--lines", "reserved"},
		"lines":    {simBase, "--lines", "reserved,allocated"},
		"gap":      {simBase, "--lines", "gap"},
		"segments": {simBase, "--view", "segments"},
		"ticks":    {simBase, "--lines", "segments"},
		"GPU 1":    {simDevices, "--device", "1"},
	}
	seen := map[string]string{}
	for name, args := range pictures {
		w, h, data := draw(t, args...)
		wantW, wantH := 1600, 900
		if name == "small" {
			wantW, wantH = 320, 200
		}
		if w != wantW || h != wantH {
			t.Errorf("%s: %d by %d", name, w, h)
		}
		if other, same := seen[string(data)]; same {
			t.Errorf("%s and %s are the same picture", name, other)
		}
		seen[string(data)] = name
		stdout, _, code := run(t, append([]string{"render", "-o", "-"}, args...)...)
		if code != 0 || stdout != string(data) {
			t.Errorf("%s: exit %d; standard output and file differ", name, code)
		}
	}
}

func TestRenderRefuses(t *testing.T) {
	noTimes := filepath.Join(root, "testdata/reference/sim-oldform.pickle")
	for _, c := range []struct {
		name string
		args []string
		code int
		says string
	}{
		{"no such file", []string{"absent.pickle"}, 1, "absent.pickle: "},
		{"no such device", []string{simDevices, "--device", "7"}, 1, "no device 7 in it; there are 0, 1, 2"},
		{"no host memory", []string{simBase, "--device", "host"}, 1, "no device host in it, only 0"},
		{"no times", []string{noTimes, "--axis", "time"}, 1, "no times were recorded"},
		{"after the end", []string{simBase, "--from", "1e9"}, 1, "after the end"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			stdout, stderr, code := run(t, append([]string{"render", "-o", filepath.Join(dir, "o.png")}, c.args...)...)
			if code != c.code || stdout != "" || !strings.Contains(stderr, c.says) || strings.Count(stderr, "\n") != 1 {
				t.Errorf("exit %d, %q", code, stderr)
			}
			if left, _ := os.ReadDir(dir); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// TestRenderPlaces: where pictures may and may not be written.
func TestRenderPlaces(t *testing.T) {
	dir := t.TempDir()
	b, err := os.ReadFile(simBase)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "run.pickle")
	if err := os.WriteFile(file, b, 0o600); err != nil {
		t.Fatal(err)
	}
	small := func(out string) (string, int) {
		_, stderr, code := run(t, "render", file, "-o", out, "--size", "200x100")
		return stderr, code
	}
	if stderr, code := small(file); code != ExitUsage || !strings.Contains(stderr, "the snapshot itself") {
		t.Errorf("over the snapshot: exit %d, %q", code, stderr)
	}
	if now, err := os.ReadFile(file); err != nil || !bytes.Equal(now, b) {
		t.Error("the snapshot was touched")
	}
	if stderr, code := small(dir); code != ExitUnusable || !strings.Contains(stderr, "is a folder") {
		t.Errorf("over a folder: exit %d, %q", code, stderr)
	}
	missing := filepath.Join(dir, "no", "o.png")
	if stderr, code := small(missing); code != ExitUnusable ||
		!strings.Contains(stderr, missing+": cannot be written: ") {
		t.Errorf("in a folder that is not there: exit %d, %q", code, stderr)
	}
	if runtime.GOOS == "windows" {
		return
	}
	target, link := filepath.Join(dir, "target.png"), filepath.Join(dir, "link.png")
	if err := os.WriteFile(target, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("target.png", link); err != nil {
		t.Fatal(err)
	}
	if stderr, code := small(link); code != 0 {
		t.Errorf("through a link: exit %d, %q", code, stderr)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link was replaced")
	}
	if info, err := os.Stat(target); err != nil || info.Mode().Perm() != 0o640 || info.Size() < 100 {
		t.Errorf("the link's target: %v, %v", info, err)
	}
	if stderr, code := small(os.DevNull); code != 0 {
		t.Errorf("%s: exit %d, %q", os.DevNull, code, stderr)
	}
	if stderr, code := small("/dev/full"); fileExists("/dev/full") && (code != ExitUnusable ||
		!strings.Contains(stderr, "no space")) {
		t.Errorf("/dev/full: exit %d, %q", code, stderr)
	}
	left, _ := filepath.Glob(filepath.Join(dir, ".*"))
	if len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func fileExists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// TestRenderSVG: the ending chooses the form; what fails leaves nothing.
func TestRenderSVG(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "o.svg")
	if _, stderr, code := run(t, "render", simBase, "-o", out, "--gpu", "100MiB"); code != 0 || stderr != "" {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	data, err := os.ReadFile(out)
	if err != nil || !bytes.HasPrefix(data, []byte("<svg ")) ||
		!bytes.Contains(data, []byte("sim-base.pickle · GPU 0")) || bytes.Contains(data, []byte("<image")) {
		t.Errorf("%v, %.80s", err, data)
	}
	_, stderr, code := run(t, "render", simBase, "-o", filepath.Join(dir, "no", "o.svg"))
	if code != 1 || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "cannot be written") {
		t.Errorf("exit %d, %q", code, stderr)
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}

func TestDeviceOf(t *testing.T) {
	event := snapshot.Events{Action: []snapshot.Action{snapshot.ActionAlloc}}
	host := &snapshot.Device{Index: options.HostMemory}
	two := []snapshot.Device{{Index: 1}, {Index: 4, Events: event}}
	for _, c := range []struct {
		name  string
		s     snapshot.Snapshot
		index int
		want  int
		says  string
	}{
		{name: "the first with events", s: snapshot.Snapshot{Devices: two, Host: host}, index: options.AnyDevice,
			want: 4},
		{name: "the first, if none has events", s: snapshot.Snapshot{Devices: two[:1]}, index: options.AnyDevice,
			want: 1},
		{name: "the one asked for", s: snapshot.Snapshot{Devices: two}, index: 1, want: 1},
		{name: "host", s: snapshot.Snapshot{Devices: two, Host: host}, index: options.HostMemory,
			want: options.HostMemory},
		{name: "host alone", s: snapshot.Snapshot{Host: host}, index: options.AnyDevice, want: options.HostMemory},
		{name: "none at all", index: options.AnyDevice, says: "nothing to draw"},
		{name: "none at all, one asked for", index: 0, says: "nothing to draw"},
		{name: "not there", s: snapshot.Snapshot{Devices: two, Host: host}, index: 0, says: "there are 1, 4, host"},
	} {
		d, err := deviceOf(&c.s, "f", c.index)
		switch {
		case c.says != "":
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s: %v", c.name, err)
			}
		case err != nil || d.Index != c.want:
			t.Errorf("%s: got %+v, %v", c.name, d, err)
		}
	}
}

func TestViewOf(t *testing.T) {
	s, err := snapshot.Open(context.Background(), simBase, snapshot.Options{})
	if err != nil {
		t.Fatal(err)
	}
	tl := layout.New(s, &s.Devices[0], layout.Options{})
	end := tl.Extent(layout.Time)
	v, err := viewOf(tl, "f", layout.Time, Image{From: Bound{true, 1000}, To: Bound{true, 1e12}})
	if err != nil || v.X0 != 1000 || v.X1 != end || v.Axis != layout.Time {
		t.Errorf("got %+v, %v; the run ends at %g", v, err, end)
	}
	v, err = viewOf(tl, "f", layout.Events, Image{From: Bound{true, 20}, To: Bound{true, 60}})
	if err != nil || tl.StepAt(v.X0) != 20 || tl.StepAt(v.X1) != 60 {
		t.Errorf("got %+v, %v", v, err)
	}
	high := float64(tl.Height(tl.Column(layout.Events, v.X0, v.X1)))
	if v.Y0 != 0 || v.Y1 < high || v.Y1 > 1.5*high {
		t.Errorf("got %+v, the part is %g high", v, high)
	}
}

func TestVersion(t *testing.T) {
	vcs := func(kv ...string) *debug.BuildInfo {
		b := &debug.BuildInfo{}
		for i := 0; i < len(kv); i += 2 {
			b.Settings = append(b.Settings, debug.BuildSetting{Key: kv[i], Value: kv[i+1]})
		}
		return b
	}
	tail := " (" + runtime.Version() + ", " + runtime.GOOS + "/" + runtime.GOARCH + ")"
	installed := vcs()
	installed.Main.Version = "v0.3.0"
	for _, c := range []struct {
		release string
		info    *debug.BuildInfo
		want    string
	}{
		{"", vcs(), "strata development build"},
		{"", installed, "strata v0.3.0"},
		{"v1.0.0", installed, "strata v1.0.0"},
		{"", vcs("vcs.revision", "0123456789abcdef", "vcs.time", "2026-01-02T03:04:05Z", "vcs.modified", "true"),
			"strata development build, commit 0123456789ab with changes of 2026-01-02T03:04:05Z"},
	} {
		if got := versionLine(c.release, c.info); got != c.want+tail {
			t.Errorf("got  %q\nwant %q", got, c.want+tail)
		}
	}
	if stdout, _, code := run(t, "version"); code != 0 || !strings.HasPrefix(stdout, "strata ") ||
		strings.Count(stdout, "\n") != 1 {
		t.Errorf("exit %d, %q", code, stdout)
	}
}

// TestTextScale: text grows with pictures that are larger than a screen.
func TestTextScale(t *testing.T) {
	for _, tt := range []struct {
		w, h int
		want float64
	}{{64, 64, 1}, {1600, 900, 1}, {2400, 1350, 1}, {4800, 2700, 2}, {16384, 900, 1}, {7200, 2700, 2}} {
		if got := textScale(tt.w, tt.h); got != tt.want {
			t.Errorf("%d×%d: %g, want %g", tt.w, tt.h, got, tt.want)
		}
	}
}

// TestRenderSaysSegments: a picture of segments says that it is one.
func TestRenderSaysSegments(t *testing.T) {
	title := func(args ...string) bool {
		file := filepath.Join(t.TempDir(), "o.svg")
		if _, errs, code := run(t, append([]string{"render", simBase, "-o", file}, args...)...); code != 0 {
			t.Fatal(errs)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Contains(string(text), "GPU 0 · segments")
	}
	if !title("--view", "segments") || title() {
		t.Error("the title is not what the picture is of")
	}
}
