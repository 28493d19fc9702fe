package cli

import (
	"encoding/xml"
	"html"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// pageOf returns the report of a file as a web page.
func pageOf(t *testing.T, args ...string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out.html")
	if _, stderr, code := run(t, append([]string{"report", "--no-cache", "-o", out}, args...)...); code != 0 {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestPageSaysWhatTextsSay: every line that strata summary and strata explain print of the sample stands in the page,
// whose picture is whole.
func TestPageSaysWhatTextsSay(t *testing.T) {
	sample := root + "/testdata/sample.pickle.gz"
	page := pageOf(t, sample)
	picture := page[strings.Index(page, "<svg"):]
	picture = picture[:strings.Index(picture, "</svg>")+len("</svg>")]
	d := xml.NewDecoder(strings.NewReader(picture))
	shapes := 0
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("the picture: %v", err)
		}
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "path" {
			shapes++
		}
	}
	if shapes < 10 {
		t.Errorf("only %d shapes in the picture", shapes)
	}
	words := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	text := words(html.UnescapeString(regexp.MustCompile("<[^>]*>").ReplaceAllString(page, " ")))
	for _, of := range []string{"summary", "explain"} {
		stdout, _, _ := run(t, of, "--no-cache", sample)
		for _, line := range regexp.MustCompile(`\n +\n?|\n`).Split(stdout, -1) {
			line = strings.TrimPrefix(words(strings.Replace(line, ": An", " : An", 1)), "- ")
			if !strings.Contains(text, line) {
				t.Errorf("strata %s says %q, the page does not", of, line)
			}
		}
	}
}

// TestPageFetchesNothing: nothing in a page is run or fetched, whatever the snapshot and its name hold.
func TestPageFetchesNothing(t *testing.T) {
	for _, name := range []string{"generated/devices.pickle", "generated/oom.pickle", "generated/no-stacks.pickle",
		"generated/cpp.pickle"} {
		data, err := os.ReadFile(filepath.Join(root, "testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		hostile := filepath.Join(t.TempDir(), `<img src=x onerror=alert(1)>&amp;.pickle`)
		if err := os.WriteFile(hostile, data, 0o644); err != nil {
			t.Skip("SKIPPED: such names cannot be here: ", err)
		}
		page := pageOf(t, hostile)
		page = strings.ReplaceAll(page, `xmlns="http://www.w3.org/2000/svg"`, "")
		for _, bad := range strings.Fields("<script <img <link <iframe src= href= url( @import http") {
			for _, tag := range regexp.MustCompile("(?s)<[^>]*>|<style>.*</style>").FindAllString(page, -1) {
				if strings.Contains(tag, bad) && !strings.HasPrefix(tag, "<meta http-equiv=") {
					t.Errorf("%s: %s in the page: %s", name, bad, tag)
				}
			}
		}
		escaped := "&lt;img src=x onerror=alert(1)&gt;&amp;amp;"
		if strings.Count(page, "onerror") != 2 || !strings.Contains(page, escaped) {
			t.Errorf("%s: the name of the file is not in the page", name)
		}
	}
}

func TestPageIsRefused(t *testing.T) {
	sample := root + "/testdata/sample.pickle.gz"
	for want, args := range map[string][]string{
		"needs a place":    {"report", sample},
		"ends in .html":    {"report", sample, "-o", "x.pdf"},
		"itself":           {"report", "report/report.html", "-o", "./report/report.html"},
		"no device 7":      {"report", sample, "-o", filepath.Join(t.TempDir(), "x.html"), "--device", "7"},
		"takes one FILE":   {"report", sample, sample, "-o", "x.html"},
		"no such file":     {"report", "absent.pickle", "-o", "x.html"},
		"dark or light":    {"report", sample, "-o", "x.html", "--theme", "blue"},
		"did you mean --o": {"report", sample, "--ouf", "x.html"},
	} {
		if _, stderr, code := run(t, args...); code == 0 || !strings.Contains(stderr, want) {
			t.Errorf("%v: exit %d, %q, want %q", args, code, stderr, want)
		}
	}
}
