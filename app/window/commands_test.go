package window

import (
	"testing"

	"gioui.org/io/key"

	"strata/app/options"
)

// TestKeysOfTheTable presses the keys of every command, in a window with a
// file and in one without: nothing may panic, and each does what it says.
func TestKeysOfTheTable(t *testing.T) {
	for _, files := range [][]string{nil, {sample}} {
		d := drive(t, options.Options{Files: files, Device: options.AnyDevice})
		if files != nil {
			d.until("the file is open", func() bool { return d.tab().Doc != nil })
			d.sharp()
		}
		for i := range commands {
			c := &commands[i]
			if c.id == "open" { // shows the system's dialog
				continue
			}
			for _, b := range c.keys {
				d.press(b.name, b.mods)
				if c.id == "close" && d.tab().Doc != nil {
					t.Fatal("the file is still open")
				}
				if d.tab().Doc == nil && files != nil {
					d.sessions.Open(sample)
					d.until("the file is open again", func() bool { return d.tab().Doc != nil })
				}
				d.sheet = nil
			}
		}
	}
}

// TestTableIsSound: no two commands have one key, every command has an
// explanation, and none is missing from the help sheet.
func TestTableIsSound(t *testing.T) {
	seen := map[string]string{}
	ids := map[string]bool{}
	rows := 0
	for _, s := range helpSections() {
		rows += len(s.Rows)
		for _, r := range s.Rows {
			if r.Key == "" || r.Text == "" {
				t.Errorf("help has an empty row: %+v", r)
			}
		}
	}
	if rows != len(commands) {
		t.Errorf("%d rows of help for %d commands", rows, len(commands))
	}
	for _, c := range commands {
		if c.gesture != "" {
			if c.do != nil || len(c.keys) > 0 {
				t.Errorf("%q is a gesture and a command", c.name)
			}
			continue
		}
		if ids[c.id] || c.id == "" || c.do == nil || len(c.keys) == 0 {
			t.Errorf("%q: no id, no key, nothing to do, or twice", c.id)
		}
		ids[c.id] = true
		for _, b := range c.keys {
			if other, ok := seen[b.String()]; ok && other != c.id { // both Enters are one
				t.Errorf("%s is the key of %s and of %s", b, other, c.id)
			}
			seen[b.String()] = c.id
		}
	}
	// What look.md promises.
	for want, id := range map[string]string{"0": "whole", "F": "fit", "P": "peak", "W": "zoom-in", "S": "zoom-out",
		"A": "left", "D": "right", "+": "zoom-in", "−": "zoom-out",
		"M": "axis", "?": "help", "Esc": "escape", shortcutName() + "+C": "copy", shortcutName() + "+O": "open",
		shortcutName() + "+W": "close", "Alt+←": "back", "Alt+→": "forward"} {
		if seen[want] != id {
			t.Errorf("%s is bound to %q, want %q", want, seen[want], id)
		}
	}
}

// TestPlainLettersAreText where a text field has the focus.
func TestPlainLettersAreText(t *testing.T) {
	d := opened(t, options.Options{Files: []string{sample}, Device: options.AnyDevice})
	d.press("O", key.ModShortcut|key.ModShift)
	d.draw()
	d.draw()
	axis, dark := d.tab().View.Axis, d.theme.Dark
	d.press("M", 0)
	d.press("L", 0)
	if d.tab().View.Axis != axis || d.theme.Dark != dark {
		t.Fatal("a letter typed into the field ran a command")
	}
	d.press(key.NameEscape, 0)
	if d.asking() {
		t.Fatal("Esc does not close the field")
	}
	d.press("M", 0)
	if d.tab().View.Axis == axis {
		t.Fatal("after the field is closed, M does nothing")
	}
}
