package window

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"gioui.org/io/clipboard"
	"gioui.org/io/transfer"
	giolayout "gioui.org/layout"

	"strata/app/files"
	"strata/app/platform"
	"strata/app/platform/dialog"
	"strata/app/platform/drops"
	"strata/app/session"
	"strata/layout/units"
	"strata/snapshot/beside"
	"strata/widgets/describe"
	"strata/widgets/sheet"
)

// dialogs are the system's file dialogs, those of a platform.Platform.
type dialogs interface {
	OpenDialog(context.Context, dialog.Request) ([]string, error)
	SaveDialog(context.Context, dialog.Request) (string, error)
}

// chooseFile shows the system's dialog, or a field for the path where there is none.
func (w *Window) chooseFile(giolayout.Context) {
	request := dialog.Request{Title: "Open a CUDA memory snapshot", Filters: dialog.Snapshots(), Multiple: true,
		Folder: w.lastFolder()}
	w.dialog(func(ctx context.Context) (func(), error) {
		paths, err := w.dialogs.OpenDialog(ctx, request)
		return func() { w.open(paths...) }, err
	}, &pathSheet{})
}

// chooseTarget asks where to write something and then calls write with an absolute path. A file of that name may be
// replaced, the user has been asked. name is the file name that is offered; its extension is added to a name without
// one.
func (w *Window) chooseTarget(title, name string, filters []dialog.Filter, write func(path string)) {
	request := dialog.Request{Title: title, Name: name, Filters: filters, Folder: w.lastFolder()}
	w.dialog(func(ctx context.Context) (func(), error) {
		path, err := w.dialogs.SaveDialog(ctx, request)
		return func() {
			if path != "" {
				write(path)
			}
		}, err
	}, &pathSheet{title: title, verb: "Save", name: name, write: write})
}

// dialog shows one dialog at a time and does what the answer asks for. Where there is no dialog, a sheet asks instead.
func (w *Window) dialog(show func(context.Context) (func(), error), instead *pathSheet) {
	if w.choosing {
		return
	}
	w.choosing = true
	w.background().Go(func(ctx context.Context) func() {
		act, err := show(ctx)
		return func() {
			w.choosing = false
			switch {
			case err == nil:
				act()
			case w.background().Context().Err() == nil:
				instead.note = session.Sentence(err.Error())
				w.showPath(instead)
			}
		}
	})
}

// open opens files and folders, and notes the folder they are in.
func (w *Window) open(paths ...string) {
	if len(paths) > 0 {
		w.settings.Folder = filepath.Dir(files.Absolute(paths[0]))
	}
	if len(paths) >= manyFiles {
		w.openWall(paths...)
		return
	}
	// Tables are no files of their own: they lie over what is opened with them, or else is shown.
	tables := slices.DeleteFunc(slices.Clone(paths), func(p string) bool { return !beside.IsTable(p) })
	if s := w.sessions.Active; len(tables) < len(paths) || s.Path == "" {
		w.sessions.Open(slices.DeleteFunc(slices.Clone(paths), func(p string) bool {
			return len(tables) < len(paths) && slices.Contains(tables, p)
		})...)
		if len(tables) == len(paths) {
			return
		}
	}
	if len(tables) > 0 {
		w.sessions.Active.LayOver(tables...)
	}
}

// chooseOver asks for files to lay over the one that is shown.
func (w *Window) chooseOver(giolayout.Context) {
	s := w.sessions.Active
	lay := func(paths ...string) {
		if w.sessions.Holds(s) && len(paths) > 0 {
			s.LayOver(paths...)
		}
	}
	title := "Lay a trace of torch.profiler or a log over " + filepath.Base(s.Path)
	request := dialog.Request{Title: title, Filters: dialog.Snapshots(), Multiple: true, Folder: w.lastFolder()}
	w.dialog(func(ctx context.Context) (func(), error) {
		paths, err := w.dialogs.OpenDialog(ctx, request)
		return func() { lay(paths...) }, err
	}, &pathSheet{title: title, verb: "Lay over", write: func(path string) { lay(path) }})
}

// lastFolder is where dialogs begin: where the last file was opened from, else in the home folder.
func (w *Window) lastFolder() string {
	if info, err := os.Stat(w.settings.Folder); err == nil && info.IsDir() {
		return w.settings.Folder
	}
	home, _ := os.UserHomeDir()
	return home
}

// completePaths looks for what a path that is being typed may become.
func (w *Window) completePaths() {
	for _, f := range []*sheet.PathField{&w.startPage.Path, &w.path.Field} {
		text, wanted := f.Wants()
		if !wanted {
			continue
		}
		var patterns []string
		if s, ok := w.sheet.(*pathSheet); !ok || s.write == nil || f == &w.startPage.Path {
			patterns = dialog.Snapshots()[0].Patterns
		}
		w.background().Go(func(context.Context) func() {
			paths := files.Completions(text, patterns)
			return func() { f.Suggest(text, paths) }
		})
	}
}

// A drag is files that are held over the window.
type drag struct {
	over  bool
	paths []string // nil where the source tells them only after the drop
	text  string   // what dropping them will do
}

// FromSystem takes what the desktop does with files. It may be called on any goroutine.
func (w *Window) FromSystem(e platform.Event) {
	w.background().Post(func() {
		if e.Kind != drops.Hover {
			w.drag = drag{}
		}
		switch e.Kind {
		case drops.Hover:
			w.dragOver(e.Paths)
		case drops.Drop, drops.Open:
			w.open(e.Paths...)
		case drops.Failed:
			w.tab().Problem = &describe.Problem{Title: "The dropped file could not be taken",
				What: session.Sentence(e.Err.Error())}
		}
	})
}

// dragOver shows what dropping files will do.
func (w *Window) dragOver(paths []string) {
	if w.drag.over && slices.Equal(w.drag.paths, paths) {
		return
	}
	w.drag = drag{over: true, paths: paths, text: dropText(paths, false)}
	if len(paths) != 1 {
		return
	}
	w.background().Go(func(context.Context) func() { // a folder of a network may take its time to say so
		if info, err := os.Stat(paths[0]); err != nil || !info.IsDir() {
			return nil
		}
		return func() {
			if w.drag.over && slices.Equal(w.drag.paths, paths) {
				w.drag.text = dropText(paths, true)
			}
		}
	})
}

// dropText says what dropping files will do.
func dropText(paths []string, folder bool) string {
	switch {
	case len(paths) == 0:
		return "Drop to open"
	case len(paths) >= manyFiles:
		return "Show " + units.Count(int64(len(paths))) + " snapshots as a wall"
	case len(paths) > 1:
		return "Open " + units.Count(int64(len(paths))) + " snapshots"
	case folder:
		return "Open the snapshots in " + filepath.Base(paths[0])
	}
	return "Open " + filepath.Base(paths[0])
}

// paste asks for what is on the clipboard; it comes to takePasted in a later frame.
func (w *Window) paste(gtx giolayout.Context) { gtx.Execute(clipboard.ReadCmd{Tag: w}) }

// maxPasted is how much of the clipboard's text is read, in bytes.
const maxPasted = 1 << 20

// takePasted opens the files whose paths were on the clipboard.
func (w *Window) takePasted(gtx giolayout.Context) {
	for {
		ev, ok := gtx.Event(transfer.TargetFilter{Target: w, Type: "application/text"})
		if !ok {
			return
		}
		e, ok := ev.(transfer.DataEvent)
		if !ok {
			continue
		}
		r := e.Open()
		data, err := io.ReadAll(io.LimitReader(r, maxPasted))
		_ = r.Close()
		if paths := drops.ParseText(string(data)); err == nil && len(paths) > 0 {
			w.open(paths...)
		} else {
			w.tab().Say("The clipboard holds no path of a file")
		}
	}
}

// recentFiles are the files that were open before, as far as they have been examined.
type recentFiles struct {
	known   map[string]sheet.RecentFile // by path
	changed bool                        // an open menu does not show it yet
}

func newRecent(path string) sheet.RecentFile {
	return sheet.RecentFile{Path: path, Name: filepath.Base(path), Folder: files.ShortFolder(path)}
}

// listRecent returns the files of the settings, with what is known of them.
func (w *Window) listRecent() []sheet.RecentFile {
	list := make([]sheet.RecentFile, len(w.settings.Recent))
	for i, path := range w.settings.Recent {
		var known bool
		if list[i], known = w.recent.known[path]; !known {
			list[i] = newRecent(path)
		}
	}
	return list
}

// examineRecent finds the sizes of the recent files. A disk of another machine may take its time.
func (w *Window) examineRecent() {
	paths := slices.Clone(w.settings.Recent)
	w.background().Go(func(ctx context.Context) func() {
		found := map[string]sheet.RecentFile{}
		for _, path := range paths {
			file := newRecent(path)
			switch info, err := os.Stat(path); {
			case err == nil && !info.IsDir():
				file.Size = units.Bytes(info.Size())
			case errors.Is(err, fs.ErrNotExist):
				file.Missing = true
			}
			found[path] = file
		}
		return func() { w.recent = recentFiles{found, true} }
	})
}

// opened puts a file first among the recent ones.
func (w *Window) opened(path string) {
	w.settings.AddRecent(path)
	w.examineRecent()
	w.save()
}

func (w *Window) forgetRecent() {
	w.settings.Recent = nil
	w.save()
}
