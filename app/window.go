package app

import (
	"context"
	"fmt"
	"image"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	gioapp "gioui.org/app"
	"gioui.org/io/clipboard"
	"gioui.org/io/event"
	giolayout "gioui.org/layout"
	"gioui.org/op"

	"strata/app/diag"
	"strata/app/platform"
	"strata/app/settings"
	"strata/layout"
	"strata/layout/units"
	"strata/render/colour"
	"strata/render/tiles"
	"strata/snapshot"
	"strata/widgets"
	"strata/widgets/kit"
)

// A window is the program's one state. Everything in it belongs to the
// window's goroutine; other goroutines hand over what they have by way of
// mail.
type window struct {
	gio    *gioapp.Window
	ctx    context.Context // ends with the window
	work   sync.WaitGroup  // goroutines of ours
	mail   mailbox
	system *platform.Platform
	dialogs
	cache  *tiles.Cache
	trace  *tracer
	frames *diag.FrameLog
	log    *diag.Log

	opt          Options
	settings     settings.Settings
	settingsPath string
	theme        *kit.Theme

	settingsWrong error               // why the settings are the defaults, nil if they are not
	desktop       platform.Appearance // for the theme "system"
	recentFiles   []widgets.RecentFile
	recentLooked  bool // they are new to an open menu
	windowMode    gioapp.WindowMode

	*tab              // at hand: the active one, but for what window.with does
	active     *tab   // that is on screen
	tabs       []*tab // in their order, never none
	closedTabs []*tab // that can be opened again, the newest last
	looks      uint64 // counts what was looked at
	budget     int64  // bytes that loaded files may take
	freeing    bool   // memory is about to be given back
	refocus    bool   // the focus is in another tab's field
	named      []*tab // what infos was made of
	infos      []widgets.TabInfo

	choosing bool    // a file dialog is open
	held     held    // files are held over the window
	notch    float32 // what the wheel scrolls at a time
	titled   string  // what the window is called
	mode     colour.Mode
	axis     layout.Axis // that is wanted, where a file has it
	shapes   shapes

	options, focusOptions bool // the sheet of limits, model and entries is open
	optionsWrong          [len(widgets.Choices{}.Text)]string
	menuAt                image.Point // where the settings menu opened
	wantsContext          bool        // the menu of an allocation is to open

	help, findings, asking bool // which sheet is open
	recording              bool // so is that one
	pathAsk                pathAsk
	focusPath              bool // give the path field the focus once it is there

	panels panels
}

// panels are the widgets.
type panels struct {
	*tabPanels // of the tab at hand

	toolbar   widgets.Toolbar
	tabs      widgets.TabBar
	menu      kit.Menu
	help      widgets.Help
	findings  widgets.Findings
	recording widgets.Recording
	path      widgets.Path
	start     widgets.Start
	error     widgets.ProblemCard
	loading   widgets.ProgressCard
	options   widgets.Options
	matchEdge kit.Splitter
	sqlEdge   kit.Splitter
	stackEdge kit.Splitter
	mapEdge   kit.Splitter
}

// detailsKey is what Details were made for.
type detailsKey struct {
	timeline *layout.Timeline
	phases   *layout.Phases
	id       layout.ID
	axis     layout.Axis
}

func newWindow(opt Options) *window {
	w := &window{opt: opt, log: diag.New(opt.Verbose, os.Stderr)}
	w.settingsPath = settings.Path()
	w.settings, w.settingsWrong = settings.Load(w.settingsPath)
	w.theme = kit.NewTheme(w.dark())
	for _, m := range colour.Modes() {
		if m.String() == w.settings.Colour {
			w.mode = m
		}
	}
	if opt.ColourGiven {
		w.mode = opt.Colour
	}
	w.panels.stackEdge.Vertical = true
	w.axis, w.budget = w.startAxis(), memoryBudget()
	w.active = w.newTab()
	w.tabs = []*tab{w.active}
	w.use(w.active)
	w.trace = newTracer(os.Getenv("STRATA_DUMP_STATE"))
	return w
}

// setting is what a stage is made with now.
func (w *window) setting() setting {
	return setting{cache: w.cache, axis: w.axis, options: layout.Options{MaxEntries: w.opt.MaxEntries}, mode: w.mode, dark: w.theme.Dark, shows: w.annotations.annotationChoice, limits: w.opt.Limits, log: w.log}
}

// start makes what lives as long as the window; end undoes it. wake asks for
// a frame and may be called from any goroutine.
func (w *window) start(gio *gioapp.Window, wake func()) (end func()) {
	ctx, cancel := context.WithCancel(context.Background())
	w.ctx, w.gio = ctx, gio
	w.mail.setWake(wake)
	w.cache = tiles.NewCache(tiles.DefaultBudget, wake)
	w.system = platform.New(gio, w.fromSystem)
	w.dialogs = w.system
	w.startShapes()
	w.openFiles(w.opt.Files)
	w.lookAtRecent()
	if w.settingsWrong != nil {
		w.problem = &widgets.Problem{Title: "The settings could not be read", What: sentence(w.settingsWrong.Error())}
	}
	return func() {
		cancel()
		w.work.Wait()
		w.cache.Close()
	}
}

// run is the window's loop; it returns when the window is closed and all
// goroutines have ended.
func (w *window) run() error {
	gio := new(gioapp.Window)
	width, height := w.startSize(screen())
	gio.Option(gioapp.Title("Strata"), gioapp.Size(width, height), gioapp.MinSize(settings.MinWindowWidth, settings.MinWindowHeight))
	w.notch = wheelNotch()
	w.panels.timeline.Notch, w.panels.minimap.Notch, w.panels.lane.Notch = w.notch, w.notch, w.notch
	w.panels.tabs.Notch = w.notch
	defer w.closed()
	defer w.start(gio, gio.Invalidate)()
	w.followDesktop()
	var ops op.Ops
	defer w.frames.Close()
	frames := 0 // the first one fails where there is nothing to draw with
	for {
		e, err := w.nextEvent(frames == 0)
		if err != nil {
			return err
		}
		w.system.ListenEvents(e)
		switch e := e.(type) {
		case gioapp.DestroyEvent:
			if e.Err != nil && frames < 2 {
				return platform.StartError(e.Err)
			}
			return e.Err
		case gioapp.ConfigEvent:
			w.windowMode = e.Config.Mode
		case gioapp.FrameEvent:
			frames++
			gtx := gioapp.NewContext(&ops, e)
			w.sized(e.Size, e.Metric)
			w.frame(gtx)
			begun := time.Now()
			e.Frame(gtx.Ops)
			w.frames.Drawn(w.frameState(), time.Since(begun))
			w.tell()
		}
	}
}

// frameState is what the frame log records of the frame.
func (w *window) frameState() diag.FrameState {
	state := w.cache.State()
	return diag.FrameState{View: w.view, Working: state.Working, TileBytes: state.Bytes, TileReady: state.Changed,
		Sharp: w.scene != nil && w.scene.Sharp()}
}

// nextEvent waits for an event. Before the first frame Gio panics where Windows
// lacks what it needs; that is a window that cannot be opened.
func (w *window) nextEvent(first bool) (e event.Event, err error) {
	if first {
		defer func() {
			if r := recover(); r != nil {
				err = platform.StartError(fmt.Errorf("the system lacks something that it needs (%v)", r))
			}
		}()
	}
	return w.gio.Event(), nil
}

// tell logs when a file that was opened is on the screen.
func (w *window) tell() {
	if w.opening.IsZero() || w.scene == nil {
		return
	}
	took := time.Since(w.opening)
	if !w.pictured {
		w.pictured = true
		w.log.Phase("first picture", took, "since it was asked for")
	}
	if w.scene.Sharp() {
		w.log.Phase("sharp picture", took, "since it was asked for", "tiles and overview of "+units.Bytes(w.cache.State().Bytes))
		w.opening, w.pictured = time.Time{}, false
	}
}

// show puts a new document in the place of the old one.
func (w *window) show(doc *document) {
	w.stopStaging()
	back := w.kept
	if w.doc != nil {
		back = w.doc.keep()
		w.forget(w.doc.stage.timeline)
	}
	w.doc, w.kept, w.evicted = doc, nil, false
	w.stamp, w.known = doc.stamp, true
	if back == nil || *back != *doc.keep() {
		w.startView()
	} else {
		w.extendView()
	}
	w.staged()
}

// setStage shows a device that is ready. The view stays if it is the same
// device laid out or coloured anew.
func (w *window) setStage(st *stage) {
	old := w.doc.stage
	w.doc.stage = st
	if old.timeline != st.timeline {
		w.forget(old.timeline)
	}
	if old.device == st.device {
		w.extendView()
	} else {
		w.startView()
	}
	w.staged()
}

// startView shows the whole of what was not on screen before.
func (w *window) startView() {
	w.selection = widgets.NoSelection
	w.panels.timeline.RemoveRulers()
	w.view.Axis = w.axis
	if !w.timeline().HasTime() {
		w.view.Axis = layout.Events
	}
	w.view = w.wholeView()
	w.history.reset(w.view)
}

// forget lets go of the pictures of a timeline that is shown no more.
func (w *window) forget(gone *layout.Timeline) {
	w.cache.Forget(func(t *layout.Timeline) bool { return t != gone })
}

// retitle keeps the window's title to the file on screen.
func (w *window) retitle() {
	title := "Strata"
	if name := w.title(); name != "" {
		title = name + " – Strata"
	}
	if title != w.titled {
		w.titled = title
		w.gio.Option(gioapp.Title(title))
	}
}

// timeline is what is on screen, nil if nothing is.
func (w *window) timeline() *layout.Timeline {
	if w.doc == nil {
		return nil
	}
	return w.doc.stage.timeline
}

// say shows a short notice at the right of the status line.
func (w *window) say(text string) { w.sayFor(text, 4*time.Second) }

// sayFor is say for what takes longer to read, or to be there.
func (w *window) sayFor(text string, d time.Duration) {
	w.notice, w.noticeEnd = text, time.Now().Add(d)
}

// save writes the settings; not being able to is no reason to disturb.
func (w *window) save() {
	if err := w.settings.Write(w.settingsPath); err != nil {
		w.say("Settings could not be saved")
	}
}

// toClipboard puts a text on the clipboard.
func (w *window) toClipboard(gtx giolayout.Context, text, notice string) {
	gtx.Execute(clipboard.WriteCmd{Type: "application/text", Data: io.NopCloser(strings.NewReader(text))})
	w.say(notice)
	gtx.Execute(op.InvalidateCmd{At: w.noticeEnd})
}

// describe brings the texts about the selection up to date.
func (w *window) describe() {
	t := w.timeline()
	if t == nil {
		return
	}
	update := func(key *detailsKey, d *widgets.Details, id layout.ID) {
		if k := (detailsKey{t, w.doc.stage.phases, id, w.view.Axis}); k != *key {
			*key, *d = k, widgets.Allocation(t, w.about(), id, w.view.Axis)
		}
	}
	update(&w.shownOf, &w.shown, w.selection.Shown())
	update(&w.tipOf, &w.tip, w.selection.Hovered)
	w.tip.Here = w.hereName()
	w.shown.Here = w.tip.Here
}

// findingsOf is what there is to say about what is open.
func (w *window) findingsOf() []snapshot.Finding {
	if w.doc == nil {
		return nil
	}
	return w.doc.stage.findings
}
