package app

import (
	"errors"
	"io/fs"
	"os"
	"slices"

	"strata/app/platform"
	"strata/layout/units"
	"strata/widgets"
)

// recent are the files that were open before, as far as they have been looked at.
func (w *window) recent() []widgets.RecentFile {
	if !slices.EqualFunc(w.recentFiles, w.settings.Recent, func(f widgets.RecentFile, path string) bool { return f.Path == path }) {
		known := w.recentFiles
		w.recentFiles = make([]widgets.RecentFile, len(w.settings.Recent))
		for i, path := range w.settings.Recent {
			w.recentFiles[i] = widgets.RecentFile{Path: path, Name: baseName(path), Folder: shortFolder(path)}
			if at := slices.IndexFunc(known, func(f widgets.RecentFile) bool { return f.Path == path }); at >= 0 {
				w.recentFiles[i] = known[at]
			}
		}
	}
	return w.recentFiles
}

// lookAtRecent asks for the sizes of the recent files, in a goroutine: a disk
// of another machine may take its time.
func (w *window) lookAtRecent() {
	paths := slices.Clone(w.settings.Recent)
	if len(paths) == 0 {
		return
	}
	w.work.Go(func() {
		files := make([]widgets.RecentFile, len(paths))
		for i, path := range paths {
			files[i] = widgets.RecentFile{Path: path, Name: baseName(path), Folder: shortFolder(path)}
			switch info, err := os.Stat(path); {
			case err == nil && !info.IsDir():
				files[i].Size = units.Bytes(info.Size())
			case errors.Is(err, fs.ErrNotExist):
				files[i].Missing = true
			}
			if w.ctx.Err() != nil {
				return
			}
		}
		w.mail.post(func() {
			w.recentFiles, w.recentLooked = files, true // recent sees to it that they are those of the settings
		})
	})
}

// rememberFile puts the file of the tab at hand first among the recent ones.
// What was read behind the one on screen waits until it is looked at: a folder
// of many would leave no room for anything else.
func (w *window) rememberFile() {
	if w.doc == nil || w.doc.sample {
		return
	}
	w.settings.AddRecent(w.doc.path)
	w.lookAtRecent()
	w.save()
}

// forgetRecent is the menu's line that empties the list.
const forgetRecent = "forget-recent"

func (w *window) forgetRecentFiles() {
	w.settings.Recent = nil
	w.save()
}

// completePaths looks for what a path that is being typed may become.
func (w *window) completePaths() {
	for _, f := range []*widgets.PathField{&w.panels.start.Path, &w.panels.path.Field} {
		text, wanted := f.Wants()
		if !wanted {
			continue
		}
		var patterns []string
		if f == &w.panels.start.Path || w.pathAsk.write == nil {
			patterns = platform.Snapshots()[0].Patterns
		}
		w.work.Go(func() {
			paths := completions(text, patterns)
			w.mail.post(func() { f.Suggest(text, paths) })
		})
	}
}
