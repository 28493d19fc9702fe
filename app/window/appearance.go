package window

import (
	"context"
	"image"

	gioapp "gioui.org/app"
	giolayout "gioui.org/layout"
	"gioui.org/unit"

	"strata/app/platform/appearance"
	"strata/app/platform/display"
	"strata/app/settings"
)

// followDesktop listens to the desktop's choice of dark or light windows.
func (w *Window) followDesktop() {
	w.background().Go(func(ctx context.Context) func() {
		appearance.Watch(ctx, func(a appearance.Appearance) {
			w.background().Post(func() { w.setDesktop(a) })
		})
		return nil
	})
}

// setDesktop takes what the desktop says, for the theme "system".
func (w *Window) setDesktop(a appearance.Appearance) {
	w.desktop = a
	w.applyTheme()
}

// dark reports whether the window is to be dark. Where the desktop says nothing it is.
func (w *Window) dark() bool {
	theme := w.themeName()
	return theme != "light" && (theme != "system" || w.desktop != appearance.Light)
}

func (w *Window) switchTheme(giolayout.Context) {
	theme := "dark"
	if w.theme.Dark {
		theme = "light"
	}
	w.setTheme(theme)
}

func (w *Window) setTheme(theme string) {
	w.opt.Theme, w.settings.Theme = "", theme
	w.save()
	w.applyTheme()
}

// applyTheme paints the window as it is to be. Refresh of the sessions does the rest.
func (w *Window) applyTheme() {
	if dark := w.dark(); dark != w.theme.Dark {
		w.theme.SetDark(dark)
		w.sessions.Dark = dark
	}
}

// startSize is how large the window is at first, dp: as it was, but no larger than the screen.
func (w *Window) startSize(screen image.Point) (width, height unit.Dp) {
	fit := func(wanted, least, most int) unit.Dp {
		if most > 0 {
			wanted = min(wanted, most)
		}
		return unit.Dp(max(wanted, least))
	}
	s := &w.settings
	return fit(s.WindowWidth, settings.MinWindowWidth, screen.X),
		fit(s.WindowHeight, settings.MinWindowHeight, screen.Y)
}

// resized notes how large the window is, unless that is the screen's doing.
func (w *Window) resized(size image.Point, m unit.Metric) {
	if w.windowMode != gioapp.Windowed {
		return
	}
	w.settings.WindowWidth = max(settings.MinWindowWidth, int(m.PxToDp(size.X)+.5))
	w.settings.WindowHeight = max(settings.MinWindowHeight, int(m.PxToDp(size.Y)+.5))
}

// remember writes the settings when the window was closed.
func (w *Window) remember() { _ = w.settings.Write(w.settingsPath) }

// fullScreen makes the window as large as the screen, or as it was.
func (w *Window) fullScreen(giolayout.Context) { w.gio.Option(w.otherSize()) }

// otherSize is the way into full screen, or back. The way back names the size: Gio would ask for the one the window has
// then, which is the screen's.
func (w *Window) otherSize() gioapp.Option {
	if w.windowMode != gioapp.Fullscreen {
		return gioapp.Fullscreen.Option()
	}
	width, height := w.startSize(screen())
	return gioapp.Size(width, height)
}

// screen is how much room there is for the window, dp; zero where that cannot be known.
func screen() image.Point {
	s := display.Screen()
	const title = 48 // of the window's frame and a panel of the desktop
	if s.Y > title {
		s.Y -= title
	}
	return s
}
