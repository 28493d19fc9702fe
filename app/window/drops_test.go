package window

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gioui.org/io/key"
	"gioui.org/io/transfer"

	"strata/app/options"
	"strata/app/platform"
	"strata/app/platform/drops"
)

// TestHoverSaysWhatADropWillDo as soon as the source tells what it holds.
func TestHoverSaysWhatADropWillDo(t *testing.T) {
	d := drive(t, options.Options{Device: options.AnyDevice})
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
		d.FromSystem(platform.Event{Kind: drops.Hover, Paths: c.paths})
		d.until(c.want, func() bool { return d.drag.over && d.drag.text == c.want })
	}
	d.FromSystem(platform.Event{Kind: drops.Leave})
	d.draw()
	if d.drag.over {
		t.Fatal("the curtain stays")
	}
}

// TestPaste: Ctrl+V opens the file whose path or URL is on the clipboard, but
// in a text field it is the field's.
func TestPaste(t *testing.T) {
	d := drive(t, options.Options{Device: options.AnyDevice})
	abs, err := filepath.Abs(devices)
	if err != nil {
		t.Fatal(err)
	}
	paste := func(text string) {
		t.Helper()
		d.press("V", key.ModShortcut)
		if !d.Router.ClipboardRequested() {
			t.Fatal("nothing asks for the clipboard")
		}
		d.Router.Queue(transfer.DataEvent{Type: "application/text",
			Open: func() io.ReadCloser { return io.NopCloser(strings.NewReader(text)) }})
		d.draw()
	}
	for _, text := range []string{abs, "file://" + filepath.ToSlash(abs) + "\r\n", "'" + abs + "'\n"} {
		d.tab().Doc = nil
		paste(text)
		d.until(text+" is open", func() bool { return d.tab().Doc != nil || d.tab().Problem != nil })
		if d.tab().Doc == nil || d.tab().Doc.Path != abs {
			t.Fatalf("%q opened %v", text, d.tab().Problem)
		}
	}
	open := d.tab().Doc
	paste("no path at all")
	if d.tab().Loading != nil || d.tab().Doc != open || d.tab().Notice != "The clipboard holds no path of a file" {
		t.Errorf("other text: %q", d.tab().Notice)
	}
	d.askPath(d.gtx())
	d.draw()
	d.draw()
	d.press("V", key.ModShortcut)
	if d.tab().Loading != nil {
		t.Error("pasted into a field it opened something")
	}
	d.Router.Queue(transfer.DataEvent{Type: "application/text",
		Open: func() io.ReadCloser { return io.NopCloser(strings.NewReader("/x y")) }})
	d.draw()
	if got := d.path.Field.Text(); got != "/x y" {
		t.Errorf("the field holds %q", got)
	}
}

// TestDropLog: a log that is dropped on an open file lies over it, as a line, and can be taken away again.
func TestDropLog(t *testing.T) {
	d := opened(t, options.Options{Device: options.AnyDevice, Files: []string{sample}})
	log := filepath.Join(t.TempDir(), "gpu.csv")
	times := d.tab().Timeline().Device.Events.Time
	var text strings.Builder
	text.WriteString("time, bytes\n")
	for _, at := range []int64{times[0], times[len(times)/2], times[len(times)-1]} {
		fmt.Fprintf(&text, "%d, %d\n", at, int64(90)<<30)
	}
	if err := os.WriteFile(log, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	d.FromSystem(platform.Event{Kind: drops.Drop, Paths: []string{log}})
	d.until("the line is there", func() bool {
		c := d.tab().timeline.Allocator.Curves
		return len(c) == 1 && c[0].Peak == 90<<30 && c[0].Title() == "bytes of gpu.csv"
	})
	if len(d.sessions.All) != 1 || d.tab().View.Y1 < 90<<30 {
		t.Errorf("%d tabs, %+v", len(d.sessions.All), d.tab().View)
	}
	d.choose(d.fileMenu(), "Take away what lies over it")
	d.until("the line is gone", func() bool {
		return d.tab().Loading == nil && len(d.tab().timeline.Allocator.Curves) == 0
	})
	d.FromSystem(platform.Event{Kind: drops.Drop, Paths: []string{log, log + "none"}})
	d.until("what cannot be read is said", func() bool { return d.tab().Problem != nil })
}
