package app

import (
	"io"
	"path/filepath"
	"strings"
	"testing"

	"gioui.org/io/key"
	"gioui.org/io/transfer"

	"strata/app/platform"
)

// TestHoverSaysWhatADropWillDo as soon as the source tells what it holds.
func TestHoverSaysWhatADropWillDo(t *testing.T) {
	d := drive(t, Options{Device: AnyDevice})
	folder := t.TempDir()
	for _, c := range []struct {
		paths []string
		want  string
	}{
		{nil, "Drop to open"},
		{[]string{"/runs/run_rank0.pickle"}, "Open run_rank0.pickle"},
		{make([]string, 8), "Open 8 snapshots"},
		{[]string{folder}, "Open the snapshots in " + filepath.Base(folder)},
	} {
		d.fromSystem(platform.Event{Kind: platform.Hover, Paths: c.paths})
		d.until(c.want, func() bool { return d.held.over && d.held.text == c.want })
	}
	d.fromSystem(platform.Event{Kind: platform.Leave})
	d.draw()
	if d.held.over {
		t.Fatal("the curtain stays")
	}
}

// TestPaste: Ctrl+V opens the file whose path or URL is on the clipboard, but
// in a text field it is the field's.
func TestPaste(t *testing.T) {
	d := drive(t, Options{Device: AnyDevice})
	abs, err := filepath.Abs(devices)
	if err != nil {
		t.Fatal(err)
	}
	paste := func(text string) {
		t.Helper()
		d.press("V", key.ModShortcut)
		if !d.router.ClipboardRequested() {
			t.Fatal("nothing asks for the clipboard")
		}
		d.router.Queue(transfer.DataEvent{Type: "application/text", Open: func() io.ReadCloser { return io.NopCloser(strings.NewReader(text)) }})
		d.draw()
	}
	for _, text := range []string{abs, "file://" + filepath.ToSlash(abs) + "\r\n", "'" + abs + "'\n"} {
		d.doc = nil
		paste(text)
		d.until(text+" is open", func() bool { return d.doc != nil || d.problem != nil })
		if d.doc == nil || d.doc.path != abs {
			t.Fatalf("%q opened %v", text, d.problem)
		}
	}
	open := d.doc
	paste("no path at all")
	if d.loading != nil || d.doc != open || d.notice != "The clipboard holds no path of a file" {
		t.Errorf("other text: %q", d.notice)
	}
	d.askPath(d.gtx())
	d.draw()
	d.draw()
	d.press("V", key.ModShortcut)
	if d.loading != nil {
		t.Error("pasted into a field it opened something")
	}
	d.router.Queue(transfer.DataEvent{Type: "application/text", Open: func() io.ReadCloser { return io.NopCloser(strings.NewReader("/x y")) }})
	d.draw()
	if got := d.panels.path.Field.Text(); got != "/x y" {
		t.Errorf("the field holds %q", got)
	}
}
