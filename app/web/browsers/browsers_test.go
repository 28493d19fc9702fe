// Package browsers tests the web page in real browsers, which drive.mjs drives by way of puppeteer-core.
package browsers

import (
	"bufio"
	"bytes"
	"encoding/json"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

const root = "../../.."

// job is what drive.mjs is told.
type job struct {
	Browser    string `json:"browser"`
	Executable string `json:"executable"`
	Folder     string `json:"folder"`
	Single     string `json:"single"`
	Sample     string `json:"sample"`
	Scratch    string `json:"scratch"`
}

// TestPage builds the page and drives each browser that is there through it, then compares what the page shows with the
// native window.
func TestPage(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: it takes a minute")
	}
	for _, needed := range []string{"node", "node_modules/puppeteer-core"} {
		_, err := exec.LookPath(needed)
		if strings.Contains(needed, "/") {
			_, err = os.Stat(needed)
		}
		if err != nil {
			t.Skipf("SKIPPED: the page is not tested in any browser: no %s; .ci/install test installs it", needed)
		}
	}
	built := t.TempDir()
	folder, single := filepath.Join(built, "web"), filepath.Join(built, "strata.html")
	build := exec.Command("go", "run", "./app/web/make", "-o", folder, "-single", single)
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("make web: %v\n%s", err, out)
	}
	sample, err := filepath.Abs(root + "/testdata/sample.pickle.gz")
	if err != nil {
		t.Fatal(err)
	}
	for browser, names := range map[string][]string{"chrome": {"chromium", "chromium-browser", "google-chrome"},
		"firefox": {"firefox-esr", "firefox"}} {
		t.Run(browser, func(t *testing.T) {
			executable := ""
			for _, name := range names {
				if path, err := exec.LookPath(name); err == nil && executable == "" {
					executable = path
				}
			}
			if executable == "" {
				t.Skipf("SKIPPED: no %s to test the page in; .ci/install test installs it", browser)
			}
			if browser == "firefox" && os.Getenv("DISPLAY") == "" && runtime.GOOS == "linux" {
				t.Skip("SKIPPED: Firefox has no WebGL without a screen; use .ci/display")
			}
			j := job{browser, executable, folder, single, sample, t.TempDir()}
			drive(t, j)
			compareWithNative(t, filepath.Join(j.Scratch, "page.png"), sample)
		})
	}
}

// drive runs all checks in a browser.
func drive(t *testing.T, j job) {
	argument, err := json.Marshal(j)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "node", "drive.mjs", string(argument))
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	checks := 0
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var c struct {
			Check, Error string
			Milliseconds int
		}
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Errorf("%v: %s", err, lines.Text())
			continue
		}
		checks++
		t.Run(c.Check, func(t *testing.T) {
			if c.Error != "" {
				t.Errorf("after %d ms: %s", c.Milliseconds, c.Error)
			}
		})
	}
	if err := cmd.Wait(); err != nil || checks < 15 {
		t.Fatalf("%d checks, then: %v\n%s", checks, err, &complaints)
	}
}

// compareWithNative compares a picture of the page with what the native window of the same size shows. Text and edges
// may be drawn a little otherwise by another driver.
func compareWithNative(t *testing.T, picture, sample string) {
	if os.Getenv("DISPLAY") == "" {
		t.Skip("SKIPPED: there is no screen for the native window to compare with")
	}
	f, err := os.Open(picture)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	page, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	size := page.Bounds().Size()
	program, home := filepath.Join(t.TempDir(), "strata"), t.TempDir()
	if out, err := exec.Command("go", "build", "-o", program, root).CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	settings := filepath.Join(home, "strata", "settings.json")
	if err := os.MkdirAll(filepath.Dir(settings), 0o755); err != nil {
		t.Fatal(err)
	}
	wanted, _ := json.Marshal(map[string]int{"window_width": size.X, "window_height": size.Y}) // of numbers
	if err := os.WriteFile(settings, wanted, 0o644); err != nil {
		t.Fatal(err)
	}
	native := exec.CommandContext(t.Context(), program, "--theme", "dark", "--backend", "x11", "--no-cache", sample)
	native.Env = append(os.Environ(), "XDG_CONFIG_HOME="+home)
	if err := native.Start(); err != nil {
		t.Fatal(err)
	}
	defer native.Wait()
	defer native.Process.Kill()
	share := 1.
	for end := time.Now().Add(time.Minute); time.Now().Before(end) && share > .01; time.Sleep(200 * time.Millisecond) {
		share = min(share, differing(page, screen(t, size)))
	}
	if share > .01 {
		t.Errorf("%.2f %% of the pixels differ from those of the native window", 100*share)
	}
	t.Logf("%.2f %% of the pixels differ from those of the native window", 100*share)
}

// screen is the upper left part of the screen, where a window lies that no window manager has moved.
func screen(t *testing.T, size image.Point) *image.RGBA {
	t.Helper()
	conn, err := xgb.NewConn()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	all := xproto.Drawable(xproto.Setup(conn).DefaultScreen(conn).Root)
	r, err := xproto.GetImage(conn, xproto.ImageFormatZPixmap, all, 0, 0, uint16(size.X), uint16(size.Y),
		^uint32(0)).Reply()
	if err != nil {
		t.Fatal(err)
	}
	img := image.NewRGBA(image.Rectangle{Max: size})
	for i := 0; i+3 < min(len(r.Data), len(img.Pix)); i += 4 { // blue, green, red, nothing
		img.Pix[i], img.Pix[i+1], img.Pix[i+2], img.Pix[i+3] = r.Data[i+2], r.Data[i+1], r.Data[i], 255
	}
	return img
}

// differing is the share of pixels that differ so that one sees it.
func differing(a, b image.Image) float64 {
	const seen = 40 << 8
	n, size := 0, a.Bounds().Size()
	for y := range size.Y - 20 { // the last line tells how long opening took
		for x := range size.X {
			r, g, bl, _ := a.At(x, y).RGBA()
			r2, g2, b2, _ := b.At(x, y).RGBA()
			if apart(r, r2) > seen || apart(g, g2) > seen || apart(bl, b2) > seen {
				n++
			}
		}
	}
	return float64(n) / float64(size.X*size.Y)
}

func apart(a, b uint32) uint32 { return max(a, b) - min(a, b) }
