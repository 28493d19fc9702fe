package app

import (
	"image"

	gioapp "gioui.org/app"
	giolayout "gioui.org/layout"
	"gioui.org/unit"

	"strata/app/platform"
	"strata/app/settings"
	"strata/layout"
)

// startSize is how large the window is at first, dp: as it was, but no larger
// than the screen.
func (w *window) startSize(screen image.Point) (width, height unit.Dp) {
	fit := func(wanted, least, most int) unit.Dp {
		if most > 0 {
			wanted = min(wanted, most)
		}
		return unit.Dp(max(wanted, least))
	}
	return fit(w.settings.WindowWidth, settings.MinWindowWidth, screen.X), fit(w.settings.WindowHeight, settings.MinWindowHeight, screen.Y)
}

// sized notes how large the window is, unless that is the screen's doing.
func (w *window) sized(size image.Point, m unit.Metric) {
	if w.windowMode != gioapp.Windowed {
		return
	}
	w.settings.WindowWidth = max(settings.MinWindowWidth, int(m.PxToDp(size.X)+.5))
	w.settings.WindowHeight = max(settings.MinWindowHeight, int(m.PxToDp(size.Y)+.5))
}

// closed remembers what the window was when it was closed.
func (w *window) closed() { _ = w.settings.Write(w.settingsPath) }

// fullScreen makes the window as large as the screen, or as it was.
func (w *window) fullScreen(giolayout.Context) { w.gio.Option(w.otherSize()) }

// otherSize is the way into full screen, or back. The way back names the size:
// Gio would ask for the one the window has then, which is the screen's.
func (w *window) otherSize() gioapp.Option {
	if w.windowMode != gioapp.Fullscreen {
		return gioapp.Fullscreen.Option()
	}
	width, height := w.startSize(screen())
	return gioapp.Size(width, height)
}

// startAxis is the axis of a file that is opened.
func (w *window) startAxis() layout.Axis {
	if !w.opt.AxisGiven && w.settings.Axis == settings.AxisName(layout.Time) {
		return layout.Time
	}
	return w.opt.Axis
}

// screen is how much room there is for the window, dp; zero where that cannot be known.
func screen() image.Point {
	s := platform.Screen()
	const title = 48 // of the window's frame and a panel of the desktop
	if s.Y > title {
		s.Y -= title
	}
	return s
}
