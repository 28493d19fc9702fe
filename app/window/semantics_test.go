package window

import (
	"fmt"
	"image"
	"strings"
	"testing"

	"gioui.org/io/input"
	"gioui.org/io/key"
	"gioui.org/io/semantic"

	"strata/app/options"
)

// said is all that a node and those in it say.
func said(n input.SemanticNode) string {
	text := []string{n.Desc.Label, n.Desc.Description}
	for _, c := range n.Children {
		text = append(text, said(c))
	}
	return strings.TrimSpace(strings.Join(text, " "))
}

// TestTabBeginsAtTheTop: the keyboard goes through the controls as one reads
// them, and Enter presses the one that has the focus.
func TestTabBeginsAtTheTop(t *testing.T) {
	for _, files := range [][]string{nil, {sample}} {
		d := drive(t, options.Options{Files: files, Device: options.AnyDevice, NoCache: true})
		d.until("it is open", func() bool { return (d.tab().Doc != nil) == (files != nil) })
		d.draw()
		d.Router.MoveFocus(key.FocusForward)
		d.draw()
		d.press(key.NameReturn, 0)
		if !d.menu.Showing() || d.menu.Owner != "file" {
			t.Errorf("with %v open, Tab begins elsewhere than at the file menu", files)
		}
	}
}

// TestEveryControlHasALabel in all states of the window: somebody who cannot
// see it, and a test, must be able to name what can be clicked or typed into.
func TestEveryControlHasALabel(t *testing.T) {
	states := []struct {
		name  string
		files []string
		do    func(d *driver)
	}{
		{"start", nil, func(d *driver) { d.settings.Recent = []string{"/a/b.pickle"} }},
		{"open", []string{sample}, func(*driver) {}},
		{"several devices", []string{devices}, func(*driver) {}},
		{"pinned", []string{sample}, func(d *driver) { d.tab().Pin(3) }},
		{"file menu", []string{sample}, func(d *driver) { d.menu.Open("file", image.Pt(10, 10), d.fileMenu()) }},
		{"settings menu", []string{sample}, func(d *driver) {
			d.menu.Open("settings", image.Pt(10, 10), d.settingsMenu(d.tab()))
		}},
		{"colour menu", []string{sample}, func(d *driver) {
			d.menu.Open("colour", image.Pt(10, 10), d.colourMenu(d.tab()))
		}},
		{"help", []string{sample}, func(d *driver) { d.toggleHelp(d.gtx()) }},
		{"findings", []string{sample}, func(d *driver) { d.sheet = findingsSheet{} }},
		{"path", []string{sample}, func(d *driver) { d.askPath(d.gtx()) }},
		{"options", []string{sample}, func(d *driver) { d.openOptions(d.gtx()) }},
		{"search", []string{sample}, func(d *driver) { d.press("F", key.ModShortcut) }},
		{"sql", []string{sample}, func(d *driver) { d.press("Q", 0) }},
		{"annotations", []string{sample}, func(d *driver) { d.press("A", key.ModShift) }},
		{"problem", nil, func(d *driver) {
			d.sessions.Open("/nowhere/x.pickle")
			d.until("it fails", func() bool { return d.tab().Problem != nil })
		}},
	}
	for _, s := range states {
		t.Run(s.name, func(t *testing.T) {
			d := drive(t, options.Options{Files: s.files, Device: options.AnyDevice, NoCache: true})
			if s.files != nil {
				d.until("it is open", func() bool { return d.tab().Doc != nil })
				d.sharp()
			}
			s.do(d)
			d.draw()
			d.draw()
			controls := 0
			var walk func(n input.SemanticNode, around string)
			walk = func(n input.SemanticNode, around string) {
				editor := n.Desc.Class == semantic.Editor
				if n.Desc.Gestures&input.ClickGesture != 0 || editor {
					controls++
					scrollBar := n.Desc.Bounds.Dx() <= 10 // of a list, which the keyboard moves too
					if said(n) == "" && around == "" && !editor && !scrollBar {
						t.Errorf("no label: %s", fmt.Sprint(n.Desc.Class, n.Desc.Bounds))
					}
				}
				for _, c := range n.Children {
					walk(c, n.Desc.Label)
				}
			}
			all := d.Router.AppendSemantics(nil)
			walk(all[0], "")
			if controls < 4 {
				t.Errorf("only %d controls found", controls)
			}
		})
	}
}
