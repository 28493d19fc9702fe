package window

import (
	"bufio"
	"context"
	"errors"
	"image"
	"image/png"
	"path/filepath"
	"slices"
	"strings"

	giolayout "gioui.org/layout"
	"gioui.org/op"

	"strata/app/atomicfile"
	"strata/app/beside"
	"strata/app/files"
	"strata/app/pages"
	"strata/app/platform/dialog"
	"strata/app/session"
	"strata/app/settings"
	"strata/layout"
	"strata/widgets/describe"
	"strata/widgets/kit"
)

// pageEnv is what pages need of the window.
func (w *Window) pageEnv() *beside.Env {
	return &beside.Env{Theme: w.theme, Menu: &w.menu, Frame: w.settings.ShowFramework, Copy: w.toClipboard,
		Save: w.saveImage, By: w.setGroupBy, Now: w.opt.GroupBy, Open: w.openDevice,
		Compare: w.compareFiles, Axis: w.opt.Axis, Turn: w.turnAxis,
		Say: w.sessions.Active.Say}
}

// canReload reports whether what is shown can be read again.
func (w *Window) canReload() bool {
	_, wall := w.tab().Page.(*pages.Wall)
	return wall || w.tab().hasDoc()
}

// reload reads the file again, or what a wall is of.
func (w *Window) reload(giolayout.Context) {
	if p, is := w.tab().Page.(*pages.Wall); is {
		p.Reload()
		return
	}
	w.tab().Load()
}

// pageArea is where the page of a tab lies.
func pageArea(gtx giolayout.Context, r *panelRects) image.Rectangle {
	return image.Rectangle{Min: image.Pt(0, r.top), Max: gtx.Constraints.Max}
}

// updatePage reads what was done in the page of a tab.
func (w *Window) updatePage(gtx giolayout.Context, t *tab, r *panelRects) {
	switch p := t.Page.(type) {
	case *pages.Pair:
		t.pair.Update(gtx, w.pageEnv(), p, pageArea(gtx, r))
	case *pages.Wall:
		t.wall.Update(gtx, w.pageEnv(), p, pageArea(gtx, r))
	}
}

// updatePageKeys gives the page of a tab its keys, before they are commands.
func (w *Window) updatePageKeys(gtx giolayout.Context, t *tab) {
	if w.sheet != nil {
		return
	}
	switch p := t.Page.(type) {
	case *pages.Pair:
		t.pair.UpdateKeys(gtx, w.pageEnv(), p)
	case *pages.Wall:
		t.wall.UpdateKeys(gtx, w.pageEnv(), p)
	}
}

// escapePage takes back what was chosen in the page of a tab; it reports whether there was something.
func (t *tab) escapePage() bool {
	switch p := t.Page.(type) {
	case *pages.Pair:
		return t.pair.Escape(p)
	case *pages.Wall:
		return t.wall.Escape(p)
	}
	return false
}

// drawPage draws the page of a tab.
func (w *Window) drawPage(gtx giolayout.Context, t *tab, r *panelRects) {
	area := pageArea(gtx, r)
	in(gtx, area, func(gtx giolayout.Context) {
		kit.Ground(gtx, w.theme, image.Rectangle{Max: gtx.Constraints.Max}, image.Rectangle{})
		switch p := t.Page.(type) {
		case *pages.Pair:
			t.pair.Layout(gtx, w.pageEnv(), p)
		case *pages.Wall:
			t.wall.Layout(gtx, w.pageEnv(), p)
		}
	})
	if w.sheet != nil {
		return
	}
	if p, is := t.Page.(*pages.Pair); is {
		t.pair.LayoutTip(gtx, w.pageEnv(), p)
	}
	w.drawNotice(gtx, t)
}

// drawNotice shows a short notice over a page, which has no status line.
func (w *Window) drawNotice(gtx giolayout.Context, t *tab) {
	if !gtx.Now.Before(t.NoticeEnd) {
		return
	}
	gtx.Execute(op.InvalidateCmd{At: t.NoticeEnd})
	window := gtx.Constraints.Max
	gtx.Constraints = giolayout.Constraints{Max: image.Pt(max(0, window.X-gtx.Dp(32)), window.Y)}
	inset := giolayout.Inset{Left: 12, Right: 12, Top: 7, Bottom: 8}
	call, d := kit.Measure(gtx, kit.Padded(inset, w.theme.Body(t.Notice).Line(w.theme)))
	kit.Float(gtx, w.theme, image.Pt((window.X-d.Size.X)/2, window.Y-d.Size.Y-gtx.Dp(16)), call, d, nil)
}

// canCompare reports whether there is another file to compare the one that is shown with.
func (w *Window) canCompare() bool { return w.tab().hasDoc() && len(w.others()) > 0 }

// others are the sessions of other files than the one that is shown.
func (w *Window) others() []*session.Session {
	return slices.DeleteFunc(slices.Clone(w.sessions.All), func(s *session.Session) bool {
		return s == w.sessions.Active || s.Path == ""
	})
}

// compare puts the file that is shown beside another one: the only one, or one that is chosen from a menu.
func (w *Window) compare(gtx giolayout.Context) {
	others := w.others()
	if len(others) == 1 {
		w.beside(w.sessions.Active, others[0])
		return
	}
	items := []kit.MenuItem{heading("Compare with")}
	a := w.sessions.Active
	for _, s := range others {
		item := choice(s.Title(), "", false, func() {
			if w.sessions.Holds(a) && w.sessions.Holds(s) {
				w.beside(a, s)
			}
		})
		item.Note = filepath.Dir(s.Path)
		items = append(items, item)
	}
	w.menu.Open("compare", image.Pt(gtx.Constraints.Max.X/3, px(gtx, 80)), items)
}

// beside opens a tab with two files side by side.
func (w *Window) beside(a, b *session.Session) { w.sessions.AddPage(pages.NewPair(w.sessions, a, b)) }

// openDevice opens a file and shows a device of it.
func (w *Window) openDevice(path string, device int) {
	w.open(path)
	w.sessions.Active.ShowDevice(device)
}

// compareFiles opens two files and puts them side by side.
func (w *Window) compareFiles(a, b string) {
	w.open(a, b)
	find := func(path string) *session.Session {
		i := slices.IndexFunc(w.sessions.All, func(s *session.Session) bool { return s.Path == path })
		return w.sessions.All[max(0, i)]
	}
	w.beside(find(a), find(b))
}

// turnAxis changes the axis of pages, and remembers it.
func (w *Window) turnAxis() {
	w.opt.Axis = layout.Time - w.opt.Axis
	w.settings.Axis = settings.AxisName(w.opt.Axis)
	w.save()
}

// manyFiles is from how many files on they open as a wall, not as tabs.
const manyFiles = 9

// manyInFolder is the wall of a folder with many files.
func (w *Window) manyInFolder(folder *files.Folder) session.Page {
	if len(folder.Files) < manyFiles {
		return nil
	}
	return pages.NewWall(w.sessions, folder.Path)
}

// openWall opens a tab with the wall of some files, or of those in folders.
func (w *Window) openWall(paths ...string) { w.sessions.AddPage(pages.NewWall(w.sessions, paths...)) }

// wallOfOpen opens the wall of all open files, or of the folder of the only one.
func (w *Window) wallOfOpen(giolayout.Context) {
	var paths []string
	for _, s := range w.sessions.All {
		if s.Path != "" && !s.Sample {
			paths = append(paths, s.Path)
		}
	}
	if len(paths) == 1 {
		paths[0] = filepath.Dir(files.Absolute(paths[0]))
	}
	w.openWall(paths...)
}

// hasPath reports whether a file that is open lies in a folder.
func (w *Window) hasPath() bool {
	return slices.ContainsFunc(w.sessions.All, func(s *session.Session) bool { return s.Path != "" && !s.Sample })
}

// saveImage asks where to and writes a picture as PNG.
func (w *Window) saveImage(name string, draw func() (image.Image, error)) {
	filters := []dialog.Filter{{Name: "PNG picture", Patterns: []string{"*.png"}}}
	w.chooseTarget("Save the picture, as .png", name, filters, func(path string) {
		w.background().Go(func(ctx context.Context) func() {
			err := writePNG(ctx, path, draw)
			return func() {
				if s := w.sessions.Active; err != nil {
					s.Problem = &describe.Problem{Title: "The picture was not saved",
						What: session.Sentence(err.Error())}
				} else {
					s.Say("Picture saved: " + path)
				}
			}
		})
	})
}

func writePNG(ctx context.Context, path string, draw func() (image.Image, error)) error {
	if !strings.EqualFold(filepath.Ext(path), ".png") {
		return errors.New(filepath.Base(path) + ": this picture is written as PNG; let its name end in .png")
	}
	img, err := draw()
	if err != nil {
		return err
	}
	return atomicfile.Write(ctx, path, func(out *bufio.Writer) error { return png.Encode(out, img) })
}
