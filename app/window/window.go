// Package window is the window in Gio: it shows sessions, changes them by their methods, and asks the platform for
// what they need. What can be done in it is the table in commands.go.
package window

import (
	"cmp"
	"fmt"
	"image"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"time"

	gioapp "gioui.org/app"
	"gioui.org/io/clipboard"
	"gioui.org/io/event"
	giolayout "gioui.org/layout"
	"gioui.org/op"

	"strata/app/diag"
	"strata/app/options"
	"strata/app/platform"
	"strata/app/platform/appearance"
	"strata/app/platform/display"
	"strata/app/platform/memory"
	"strata/app/session"
	"strata/app/settings"
	"strata/layout"
	"strata/layout/breakdown"
	"strata/layout/capacity"
	"strata/layout/units"
	"strata/render/colour"
	"strata/render/tiles"
	"strata/snapshot"
	"strata/widgets/describe"
	"strata/widgets/kit"
	"strata/widgets/panel"
	"strata/widgets/sheet"
)

// A Window is the one window of the program. It belongs to its goroutine; other goroutines reach it by Post of its
// sessions' Background.
type Window struct {
	gio     *gioapp.Window
	system  *platform.Platform
	dialogs dialogs
	cache   *tiles.Cache
	frames  *diag.FrameLog
	onFrame func(*panelRects) // called after each frame, nil in the program

	sessions *session.Sessions
	tabs     map[*session.Session]*tab // of the sessions that were shown
	shown    *tab                      // in the last frame

	opt           *options.Options // that of the sessions
	settings      settings.Settings
	settingsPath  string
	settingsWrong error // why the settings are the defaults, nil if they are not
	theme         *kit.Theme
	desktop       appearance.Appearance // for the theme "system"
	windowMode    gioapp.WindowMode
	title         string  // that the window has
	notch         float32 // what the wheel scrolls at a time

	sheet    openSheet // that lies over the window, nil if none
	recent   recentFiles
	tabNames tabNames
	drag     drag
	choosing bool // a file dialog is open

	panels
}

// panels are the widgets that do not belong to a session.
type panels struct {
	toolbar    panel.Toolbar
	tabBar     panel.TabBar
	menu       kit.Menu
	help       sheet.Help
	findings   sheet.Findings
	recording  sheet.Recording
	path       sheet.Path
	options    sheet.Options
	startPage  sheet.Start
	problem    sheet.ProblemCard
	progress   sheet.ProgressCard
	edges      edges
	settingsAt image.Point // where the settings menu opened
	fileAt     image.Point // likewise of the file menu
}

// New returns a window with what the command line and the settings say. It is not on screen before Run.
func New(opt options.Options) *Window {
	w := &Window{settingsPath: settings.Path(), tabs: map[*session.Session]*tab{}}
	w.settings, w.settingsWrong = settings.Load(w.settingsPath)
	w.opt = &opt
	w.theme = kit.NewTheme(w.dark())
	if !opt.ColourGiven {
		for _, m := range colour.Modes() {
			if m.String() == w.settings.Colour {
				w.opt.Colour = m
			}
		}
	}
	for _, by := range breakdown.All() {
		if by.String() == w.settings.GroupBy {
			w.opt.GroupBy = by
		}
	}
	if !opt.AxisGiven && w.settings.Axis == settings.AxisName(layout.Time) {
		w.opt.Axis = layout.Time
	}
	if opt.OwnCode.IsZero() {
		w.opt.OwnCode = snapshot.ParseOwnCode(w.settings.OwnCode)
	}
	if opt.Categories == nil && w.settings.Categories != "" {
		w.opt.Categories, _ = options.ReadCategories(w.settings.Categories) // the sheet says what is wrong with it
	}
	if opt.GPU.Bytes == 0 {
		w.opt.GPU, _ = capacity.Find(w.settings.GPU) // the zero value where there is none
	}
	if opt.Model == "" && opt.VocabSize == 0 && !opt.Quantized {
		w.opt.Model, w.opt.VocabSize, w.opt.Quantized = w.settings.Model, w.settings.VocabSize, w.settings.Quantized
	}
	w.sessions = session.New(w.opt, diag.New(opt.Verbose, os.Stderr), memory.Physical())
	w.sessions.Dark, w.sessions.OnOpened = w.theme.Dark, w.opened
	w.sessions.OnMany = w.manyInFolder
	w.edges.stack.Vertical = true
	w.shown = w.tab()
	return w
}

// start makes what lives as long as the window is on screen; end undoes it. wake asks for a frame and may be called on
// any goroutine.
func (w *Window) start(gio *gioapp.Window, wake func()) (end func()) {
	w.gio = gio
	w.background().SetWake(wake)
	w.cache = tiles.NewCache(tiles.DefaultBudget, wake)
	w.sessions.Tiles = w.cache
	w.system = platform.New(gio, w.FromSystem)
	w.dialogs = w.system
	w.sessions.SetModel(w.opt.Model, w.opt.VocabSize, w.opt.Quantized)
	w.open(w.opt.Files...)
	w.sessions.Watch(2 * time.Second)
	w.examineRecent()
	if w.settingsWrong != nil {
		w.tab().Problem = &describe.Problem{Title: "The settings could not be read",
			What: session.Sentence(w.settingsWrong.Error())}
	}
	return func() {
		w.background().Close()
		w.cache.Close()
	}
}

// Run shows the window until it is closed and all goroutines have ended. frames may be nil.
func (w *Window) Run(frames *diag.FrameLog) error {
	gio := new(gioapp.Window)
	width, height := w.startSize(screen())
	gio.Option(gioapp.Title("Strata"), gioapp.Size(width, height),
		gioapp.MinSize(settings.MinWindowWidth, settings.MinWindowHeight))
	w.frames = frames
	w.notch = wheelNotch()
	w.tabBar.Notch = w.notch
	clear(w.tabs) // they have no notch
	w.shown = w.tab()
	defer w.remember()
	var woken atomic.Bool // since the newest frame began
	defer w.start(gio, func() {
		woken.Store(true)
		gio.Invalidate()
	})()
	w.followDesktop()
	var ops op.Ops
	defer w.frames.Close()
	drawn := 0 // the first frame fails where there is nothing to draw with
	for {
		e, err := w.nextEvent(drawn == 0)
		if err != nil {
			return err
		}
		w.system.ListenEvents(e)
		switch e := e.(type) {
		case gioapp.DestroyEvent:
			if e.Err != nil && drawn < 2 {
				return display.StartError(e.Err)
			}
			return e.Err
		case gioapp.ConfigEvent:
			w.windowMode = e.Config.Mode
		case gioapp.FrameEvent:
			drawn++
			woken.Store(false)
			gtx := gioapp.NewContext(&ops, e)
			w.resized(e.Size, e.Metric)
			w.frame(gtx)
			begun := time.Now()
			e.Frame(gtx.Ops)
			w.frames.Drawn(w.frameState(), time.Since(begun))
			w.logOpening()
			if woken.Load() { // in a page Gio forgets what it is asked for during a frame
				time.AfterFunc(0, gio.Invalidate)
			}
		}
	}
}

// nextEvent waits for an event. Before the first frame Gio panics where Windows lacks what it needs: the window cannot
// be opened then.
func (w *Window) nextEvent(first bool) (e event.Event, err error) {
	if first {
		defer func() {
			if r := recover(); r != nil {
				err = display.StartError(fmt.Errorf("the system lacks something that it needs (%v)", r))
			}
		}()
	}
	return w.gio.Event(), nil
}

// frameState returns what the frame log records of the frame.
func (w *Window) frameState() diag.FrameState {
	state, t := w.cache.State(), w.tab()
	return diag.FrameState{View: t.View, Working: state.Working, TileBytes: state.Bytes, TileReady: state.Changed,
		Sharp: t.scene != nil && t.scene.Sharp()}
}

// logOpening logs when a file that was opened is on the screen.
func (w *Window) logOpening() {
	t := w.tab()
	if t.Opening.IsZero() || t.scene == nil {
		return
	}
	took := time.Since(t.Opening)
	if !t.pictured {
		t.pictured = true
		w.sessions.Log.Phase("first picture", took, "since it was asked for")
	}
	if t.scene.Sharp() {
		w.sessions.Log.Phase("sharp picture", took, "since it was asked for",
			"tiles and overview of "+units.Bytes(w.cache.State().Bytes))
		t.Opening, t.pictured = time.Time{}, false
	}
}

func (w *Window) background() *session.Background { return w.sessions.Background }

// save writes the settings. A failure is no reason to disturb.
func (w *Window) save() {
	if err := w.settings.Write(w.settingsPath); err != nil {
		w.tab().Say("Settings could not be saved")
	}
}

// toClipboard puts a text on the clipboard and says so.
func (w *Window) toClipboard(gtx giolayout.Context, text, notice string) {
	gtx.Execute(clipboard.WriteCmd{Type: "application/text", Data: io.NopCloser(strings.NewReader(text))})
	w.tab().Say(notice)
	gtx.Execute(op.InvalidateCmd{At: w.tab().NoticeEnd})
}

// retitle keeps the window's title to the file that is shown.
func (w *Window) retitle() {
	title := "Strata"
	if name := w.sessions.Active.Title(); name != "" {
		title = name + " – Strata"
	}
	if title != w.title {
		w.title = title
		w.gio.Option(gioapp.Title(title))
	}
}

// themeName is "dark", "light" or "system": the command line's word counts until another is chosen.
func (w *Window) themeName() string { return cmp.Or(w.opt.Theme, w.settings.Theme) }
