package window

import (
	"testing"

	"gioui.org/io/key"

	"strata/app/options"
	"strata/widgets/kit"
)

// TestRecordingPage: the page opens by its key, from the help sheet's table,
// from the menus, with and without a file; Esc closes it.
func TestRecordingPage(t *testing.T) {
	for _, d := range []*driver{drive(t, options.Options{Device: options.AnyDevice}),
		opened(t, options.Options{Files: []string{sample}, Device: options.AnyDevice})} {
		d.press(key.NameF2, 0)
		if !d.showing(recordingSheet{}) {
			t.Fatal("F2 opens no page")
		}
		d.press("?", 0)
		if d.showing(recordingSheet{}) || !d.showing(helpSheet{}) {
			t.Error("one sheet lies over the other")
		}
		d.press(key.NameF2, 0)
		d.press(key.NameEscape, 0)
		if d.showing(recordingSheet{}) || d.showing(helpSheet{}) {
			t.Error("Esc leaves a sheet open")
		}
		for owner, items := range map[string][]kit.MenuItem{"file": d.fileMenu(), "settings": d.settingsMenu(d.tab())} {
			found := false
			for _, item := range items {
				found = found || item.Text == "How to record a snapshot" && !item.Disabled
			}
			if !found {
				t.Errorf("the %s menu does not lead there", owner)
			}
		}
		d.choose(d.fileMenu(), "How to record a snapshot")
		if !d.showing(recordingSheet{}) {
			t.Error("the menu's item opens nothing")
		}
	}
}
