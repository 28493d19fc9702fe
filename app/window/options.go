package window

import (
	"context"
	"errors"
	"image"
	"strconv"
	"strings"

	gioapp "gioui.org/app"
	"gioui.org/io/key"
	giolayout "gioui.org/layout"
	"gioui.org/unit"

	"strata/app/hub"
	"strata/app/options"
	"strata/app/platform/appearance"
	"strata/app/platform/display"
	"strata/app/session"
	"strata/app/settings"
	"strata/layout/capacity"
	"strata/layout/category"
	"strata/layout/units"
	"strata/snapshot"
	"strata/widgets/sheet"
)

// An optionsSheet is the sheet of what a snapshot does not say: limits, model, own code.
type optionsSheet struct {
	wrong [len(sheet.Choices{}.Text)]string // what is wrong with each field
	ready bool                              // a field has been given the focus
}

// openOptions opens the sheet with what is chosen now.
func (w *Window) openOptions(giolayout.Context) {
	o := w.opt
	c := sheet.Choices{Quantized: o.Quantized}
	c.Text[sheet.FieldGPU] = o.GPU.Name
	if o.Offset > 0 {
		c.Text[sheet.FieldOffset] = strconv.FormatFloat(float64(o.Offset)/(1<<20), 'f', -1, 64)
	}
	if o.MaxEntries > 0 {
		c.Text[sheet.FieldEntries] = strconv.Itoa(o.MaxEntries)
	}
	c.Text[sheet.FieldModel] = o.Model
	if o.VocabSize > 0 {
		c.Text[sheet.FieldVocab] = strconv.FormatInt(o.VocabSize, 10)
	}
	if m := o.Limits.Memory; m > 0 {
		c.Text[sheet.FieldMemory] = strconv.FormatFloat(float64(m)/(1<<30), 'f', -1, 64) + "GiB"
	}
	c.Text[sheet.FieldOwnCode] = o.OwnCode.String()
	c.Text[sheet.FieldCategories] = w.settings.Categories
	w.options.Open(c)
	w.sheet = &optionsSheet{}
}

func (s *optionsSheet) update(w *Window, gtx giolayout.Context) {
	c, applied, closed := w.options.Update(gtx)
	if applied {
		closed = s.apply(w, c) || closed
	}
	if closed {
		gtx.Execute(key.FocusCmd{})
		w.sheet = nil
	}
}

// apply takes what was chosen, all or nothing; it reports whether all of it could be read.
func (s *optionsSheet) apply(w *Window, c sheet.Choices) bool {
	s.wrong = [len(s.wrong)]string{}
	for i := range c.Text {
		c.Text[i] = strings.TrimSpace(c.Text[i])
	}
	if c.Text[sheet.FieldGPU] == "none" {
		c.Text[sheet.FieldGPU] = ""
	}
	gpu := readField(s, c, sheet.FieldGPU, capacity.Find)
	offset := readField(s, c, sheet.FieldOffset, options.ParseOffset)
	readField(s, c, sheet.FieldModel, hub.ParseID)
	reading := readField(s, c, sheet.FieldMemory, options.ParseMemory)
	rules := readField(s, c, sheet.FieldCategories, options.ReadCategories)
	entries := readField(s, c, sheet.FieldEntries, wholeNumber(0, "it is a number of allocations; empty or 0 for all"))
	vocab := readField(s, c, sheet.FieldVocab, wholeNumber(1, "it is a number of tokens, such as 128256"))
	if s.wrong[sheet.FieldMemory] != "" {
		s.wrong[sheet.FieldMemory] = "It is an amount such as 16GiB; empty for what suits the file."
	}
	if s.wrong != [len(s.wrong)]string{} {
		return false
	}
	o := w.opt
	o.Limits = reading
	w.setOwnCode(c.Text[sheet.FieldOwnCode])
	w.setCategories(c.Text[sheet.FieldCategories], rules)
	w.setCapacity(gpu)
	w.sessions.SetOffset(offset)
	w.sessions.SetEntries(int(entries))
	model := c.Text[sheet.FieldModel]
	if model != o.Model || vocab != o.VocabSize || c.Quantized != o.Quantized || w.sessions.Naming.Wrong != "" {
		w.setModel(model, vocab, c.Quantized)
	}
	return true
}

// readField reads a field with parse, the zero value of an empty one, and notes what is wrong with it.
func readField[T any](s *optionsSheet, c sheet.Choices, field int, parse func(string) (T, error)) (value T) {
	if c.Text[field] == "" {
		return value
	}
	value, err := parse(c.Text[field])
	if err != nil {
		s.wrong[field] = session.Sentence(err.Error())
	}
	return value
}

// setOwnCode changes what is own code, and remembers it. Open files are read anew, as much depends on it.
func (w *Window) setOwnCode(text string) {
	own := snapshot.ParseOwnCode(text)
	if own.String() == w.opt.OwnCode.String() {
		return
	}
	w.opt.OwnCode, w.settings.OwnCode = own, own.String()
	w.save()
	w.reloadAll()
}

// setCategories changes the person's own rules of what memory is for, and remembers their file.
func (w *Window) setCategories(file string, rules *category.Rules) {
	if file == w.settings.Categories && file == "" {
		return
	}
	w.opt.Categories, w.settings.Categories = rules, file
	w.save()
	w.reloadAll()
}

// reloadAll reads all open files anew.
func (w *Window) reloadAll() {
	for _, s := range w.sessions.All {
		if s.Doc != nil {
			s.Load()
		}
	}
}

// wholeNumber reads a number from least up that may be written with separators; the error is what it should be.
func wholeNumber(least int64, should string) func(text string) (int64, error) {
	return func(text string) (int64, error) {
		text = strings.NewReplacer(",", "", "_", "", " ", "").Replace(text)
		if text == "" || text == "all" {
			return 0, nil
		}
		n, err := strconv.ParseInt(text, 10, 32)
		if err != nil || n < least {
			return 0, errors.New(should)
		}
		return n, nil
	}
}

func (s *optionsSheet) draw(w *Window, gtx giolayout.Context) {
	w.options.Layout(gtx, w.theme, s.notes(w))
	if !s.ready {
		s.ready = true
		gtx.Execute(key.FocusCmd{Tag: w.options.Tag(sheet.FieldGPU)})
	}
}

func (s *optionsSheet) focused(w *Window, gtx giolayout.Context) bool { return w.options.Focused(gtx) }

// notes are what stands under the fields.
func (s *optionsSheet) notes(w *Window) *sheet.OptionNotes {
	o, naming := w.opt, &w.sessions.Naming
	n := &sheet.OptionNotes{Wrong: s.wrong}
	n.Note[sheet.FieldGPU] = "draws a line at its memory; the settings menu lists those that are known"
	if o.GPU.Bytes > 0 {
		n.Note[sheet.FieldGPU] = o.GPU.Label() + ": " + units.ExactBytes(o.GPU.Bytes)
		if o.GPU.Note != "" {
			n.Note[sheet.FieldGPU] += "; " + o.GPU.Note
		}
	}
	n.Note[sheet.FieldOffset] = "added to every total, for memory that PyTorch does not manage"
	n.Note[sheet.FieldEntries] = "the largest; the others are summed up in one band"
	n.Note[sheet.FieldModel] = "names tensors by its dimensions; only its config.json is fetched"
	switch {
	case naming.Loading:
		n.Note[sheet.FieldModel] = "reading " + o.Model + " …"
	case naming.Wrong != "" && n.Wrong[sheet.FieldModel] == "":
		n.Wrong[sheet.FieldModel] = naming.Wrong
	case naming.Known.ID != "":
		n.Note[sheet.FieldModel] = modelText(naming.Known)
	}
	n.Note[sheet.FieldVocab] = "in place of the model's own"
	n.Note[sheet.FieldOwnCode] = "parts of file names that are yours, with a minus those that are not. " +
		"Without: all Python but site-packages, dist-packages, lib/python, torch and what compilers write"
	n.Note[sheet.FieldCategories] = "your own rules of what memory is for, on lines of CATEGORY = SEARCH; " +
		"they come before Strata's"
	n.Note[sheet.FieldMemory] = "what reading a file may take at most, from the next file on"
	return n
}

// modelText returns a model's dimensions as text.
func modelText(m hub.Model) string {
	text := m.From.String()
	for _, d := range []struct {
		name string
		n    int64
	}{
		{"h", m.Hidden}, {"i", m.Intermediate}, {"v", m.Vocab}, {"heads", m.Heads}, {"key/value heads", m.KVHeads},
		{"experts", m.Experts},
	} {
		if d.n > 0 {
			text += "  ·  " + d.name + " = " + units.Count(d.n)
		}
	}
	return text
}

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
