package app

import (
	"context"
	"os"
	"path/filepath"

	giolayout "gioui.org/layout"

	"strata/app/platform"
)

// dialogs are the system's file dialogs. A platform.Platform has them.
type dialogs interface {
	OpenDialog(context.Context, platform.Dialog) ([]string, error)
	SaveDialog(context.Context, platform.Dialog) (string, error)
}

// A pathAsk is what the window's own field for a path asks for, where the
// system has no dialog or the person would rather type.
type pathAsk struct {
	title, verb string
	note        string
	write       func(path string) // what to do with a file to write; nil where one is to be opened
	warned      string            // the file that is there already, which the person has been told of
}

// chooseFile shows the system's dialog, or a field for the path where there
// is none.
func (w *window) chooseFile(giolayout.Context) {
	dialog := platform.Dialog{Title: "Open a CUDA memory snapshot", Filters: platform.Snapshots(), Multiple: true, Folder: w.lastFolder()}
	w.dialog(func(ctx context.Context) (func(), error) {
		paths, err := w.dialogs.OpenDialog(ctx, dialog)
		return func() { w.openFiles(paths) }, err
	}, pathAsk{})
}

// chooseTarget asks where to write something and then calls write, on the
// window's goroutine, with an absolute path; a file of that name may be
// replaced, the person has been asked. name is the file's name that is offered,
// with the extension that is added to a name without one.
func (w *window) chooseTarget(title, name string, filters []platform.Filter, write func(path string)) {
	dialog := platform.Dialog{Title: title, Name: name, Filters: filters, Folder: w.lastFolder()}
	w.panels.path.Field.SetText(filepath.Join(dialog.Folder, name))
	w.dialog(func(ctx context.Context) (func(), error) {
		path, err := w.dialogs.SaveDialog(ctx, dialog)
		return func() {
			if path != "" {
				write(path)
			}
		}, err
	}, pathAsk{title: title, verb: "Save", write: write})
}

// dialog shows one dialog at a time, in a goroutine of its own, and does what
// the answer asks for; where there is no dialog, the window asks itself.
func (w *window) dialog(show func(context.Context) (func(), error), instead pathAsk) {
	if w.choosing {
		return
	}
	w.choosing = true
	w.work.Go(func() {
		act, err := show(w.ctx)
		w.mail.post(func() {
			w.choosing = false
			switch {
			case err == nil:
				act()
			case w.ctx.Err() == nil:
				instead.note = sentence(err.Error())
				w.ask(instead)
			}
		})
	})
}

// lastFolder is where dialogs begin: that of the file that is shown, else that
// of the one opened last, else the person's own.
func (w *window) lastFolder() string {
	if w.doc != nil && !w.doc.sample {
		if abs, err := filepath.Abs(w.doc.path); err == nil {
			return filepath.Dir(abs)
		}
	}
	for _, path := range w.settings.Recent {
		if info, err := os.Stat(filepath.Dir(path)); err == nil && info.IsDir() {
			return filepath.Dir(path)
		}
	}
	home, _ := os.UserHomeDir()
	return home
}

func (w *window) askPath(giolayout.Context) { w.ask(pathAsk{}) }

// ask opens the window's own field for a path.
func (w *window) ask(what pathAsk) {
	w.pathAsk = what
	w.asking, w.focusPath = true, true
	w.help, w.findings, w.recording = false, false, false
}

// given takes a path from the field; the sheet stays open where it returns true.
func (w *window) given(path string) bool {
	path = typed(path)
	if w.pathAsk.write == nil {
		w.openFiles([]string{path})
		return false
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		w.pathAsk.note = sentence(err.Error())
		return true
	}
	info, err := os.Lstat(abs)
	switch {
	case err == nil && info.IsDir():
		w.pathAsk.note = "That is a folder. Add the name of the file."
		return true
	case err == nil && w.pathAsk.warned != abs:
		w.pathAsk.warned = abs
		w.pathAsk.note = "There is a file of that name already. Press " + w.pathAsk.verb + " again to replace it."
		return true
	}
	w.pathAsk.write(abs)
	return false
}

// typed is the path that somebody meant who typed or pasted it: perhaps as a
// URL, in quotes, or below ~.
func typed(text string) string {
	if paths := platform.ParseText(text); len(paths) == 1 {
		return paths[0]
	}
	if n := len(text); n > 2 && text[0] == text[n-1] && (text[0] == '"' || text[0] == '\'') {
		return text[1 : n-1] // of a path below the folder we are in
	}
	return text
}
