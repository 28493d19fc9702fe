package app

import (
	"cmp"

	giolayout "gioui.org/layout"

	"strata/app/platform"
)

// followDesktop listens to the desktop's choice of dark or light windows.
func (w *window) followDesktop() {
	w.work.Go(func() {
		platform.WatchAppearance(w.ctx, func(a platform.Appearance) { w.mail.post(func() { w.desktopWants(a) }) })
	})
}

// desktopWants takes what the desktop says, for the theme "system".
func (w *window) desktopWants(a platform.Appearance) {
	w.desktop = a
	w.applyTheme()
}

// themeName is "dark", "light" or "system": the command line's word counts until
// another is chosen.
func (w *window) themeName() string { return cmp.Or(w.opt.Theme, w.settings.Theme) }

// dark reports whether the window is dark now. Where the desktop says nothing it is.
func (w *window) dark() bool {
	switch w.themeName() {
	case "light":
		return false
	case "system":
		return w.desktop != platform.Light
	}
	return true
}

func (w *window) switchTheme(giolayout.Context) {
	theme := "dark"
	if w.theme.Dark {
		theme = "light"
	}
	w.setTheme(theme)
}

func (w *window) setTheme(theme string) {
	w.opt.Theme, w.settings.Theme = "", theme
	w.save()
	w.applyTheme()
}

// applyTheme paints the window as it is to be.
func (w *window) applyTheme() {
	if dark := w.dark(); dark != w.theme.Dark {
		w.theme.SetDark(dark)
		w.recolour()
	}
}
