package app

import (
	"strconv"
	"strings"

	"gioui.org/io/key"
	giolayout "gioui.org/layout"

	"strata/app/hub"
	"strata/app/options"
	"strata/layout/capacity"
	"strata/layout/units"
	"strata/snapshot"
	"strata/widgets"
	"strata/widgets/kit"
)

// askOptions opens the sheet of what a snapshot does not say.
func (w *window) askOptions(gtx giolayout.Context) {
	l, s := &w.panels.timeline.Limits, &w.shapes
	var c widgets.Choices
	c.Text[widgets.FieldGPU] = l.Capacity.Name
	if l.Offset > 0 {
		c.Text[widgets.FieldOffset] = strconv.FormatFloat(float64(l.Offset)/(1<<20), 'f', -1, 64)
	}
	if w.opt.MaxEntries > 0 {
		c.Text[widgets.FieldEntries] = strconv.Itoa(w.opt.MaxEntries)
	}
	c.Text[widgets.FieldModel] = s.model
	if s.vocab > 0 {
		c.Text[widgets.FieldVocab] = strconv.FormatInt(s.vocab, 10)
	}
	if m := w.opt.Limits.Memory; m > 0 {
		c.Text[widgets.FieldMemory] = strconv.FormatFloat(float64(m)/(1<<30), 'f', -1, 64) + "GiB"
	}
	c.Quantized = s.quantized
	w.panels.options.Open(c)
	w.options, w.optionsWrong = true, [len(c.Text)]string{}
	w.focusOptions = true
	w.help, w.findings, w.asking, w.recording = false, false, false, false
}

// updateOptions reads the sheet.
func (w *window) updateOptions(gtx giolayout.Context) {
	if !w.options {
		return
	}
	c, applied, closed := w.panels.options.Update(gtx)
	if applied {
		closed = w.apply(c) || closed
	}
	if closed {
		w.closeOptions(gtx)
	}
}

func (w *window) closeOptions(gtx giolayout.Context) {
	w.options = false
	gtx.Execute(key.FocusCmd{})
}

// apply takes what was chosen, all or nothing; it reports whether all of it
// could be read.
func (w *window) apply(c widgets.Choices) bool {
	wrong := &w.optionsWrong
	*wrong = [len(c.Text)]string{}
	for i := range c.Text {
		c.Text[i] = strings.TrimSpace(c.Text[i])
	}
	var gpu capacity.Capacity
	if text := c.Text[widgets.FieldGPU]; text != "" && text != "none" {
		var err error
		if gpu, err = capacity.Find(text); err != nil {
			wrong[widgets.FieldGPU] = sentence(err.Error())
		}
	}
	var offset int64
	if text := c.Text[widgets.FieldOffset]; text != "" {
		var err error
		if offset, err = options.ParseOffset(text); err != nil {
			wrong[widgets.FieldOffset] = sentence(err.Error())
		}
	}
	entries, ok := wholeNumber(c.Text[widgets.FieldEntries], 0)
	if !ok {
		wrong[widgets.FieldEntries] = "It is a number of allocations; empty or 0 for all."
	}
	vocab, ok := wholeNumber(c.Text[widgets.FieldVocab], 1)
	if !ok {
		wrong[widgets.FieldVocab] = "It is a number of tokens, such as 128256."
	}
	model := c.Text[widgets.FieldModel]
	if model != "" {
		if _, err := hub.ParseID(model); err != nil {
			wrong[widgets.FieldModel] = sentence(err.Error())
		}
	}
	reading := snapshot.Limits{}
	if text := c.Text[widgets.FieldMemory]; text != "" {
		var err error
		if reading, err = options.ParseMemory(text); err != nil {
			wrong[widgets.FieldMemory] = "It is an amount such as 16GiB; empty for what suits the file."
		}
	}
	if *wrong != [len(c.Text)]string{} {
		return false
	}
	w.opt.Limits = reading
	w.setCapacity(gpu)
	if offset != w.panels.timeline.Limits.Offset {
		w.setOffset(offset)
	}
	w.setEntries(int(entries))
	if s := &w.shapes; model != s.model || vocab != s.vocab || c.Quantized != s.quantized || s.wrong != "" {
		w.chooseModel(model, vocab, c.Quantized)
	}
	return true
}

// wholeNumber reads a number that may be written with separators; "" is 0.
func wholeNumber(text string, least int64) (int64, bool) {
	text = strings.NewReplacer(",", "", "_", "", " ", "").Replace(text)
	if text == "" || text == "all" {
		return 0, true
	}
	n, err := strconv.ParseInt(text, 10, 32)
	return n, err == nil && n >= least
}

// setEntries draws at most so many allocations, all for 0, and lays the device
// out anew.
func (w *window) setEntries(n int) {
	if n == w.opt.MaxEntries {
		return
	}
	w.opt.MaxEntries = n
	if w.doc != nil {
		w.restage(w.doc.stage.device)
	}
}

// optionNotes are what stands under the fields.
func (w *window) optionNotes() *widgets.OptionNotes {
	l, s := &w.panels.timeline.Limits, &w.shapes
	n := &widgets.OptionNotes{Wrong: w.optionsWrong}
	n.Note[widgets.FieldGPU] = "draws a line at its memory; the settings menu lists those that are known"
	if l.Capacity.Bytes > 0 {
		n.Note[widgets.FieldGPU] = l.Capacity.Label() + ": " + units.ExactBytes(l.Capacity.Bytes)
	}
	n.Note[widgets.FieldOffset] = "added to every total, for memory that PyTorch does not manage"
	n.Note[widgets.FieldEntries] = "the largest; the others are summed up in one band"
	n.Note[widgets.FieldModel] = "names tensors by its dimensions; only its config.json is fetched"
	switch {
	case s.loading:
		n.Note[widgets.FieldModel] = "reading " + s.model + " …"
	case s.wrong != "" && n.Wrong[widgets.FieldModel] == "":
		n.Wrong[widgets.FieldModel] = s.wrong
	case s.known.ID != "":
		n.Note[widgets.FieldModel] = modelText(s.known)
	}
	n.Note[widgets.FieldVocab] = "in place of the model's own"
	n.Note[widgets.FieldMemory] = "what reading a file may take at most, from the next file on"
	return n
}

// modelText is a model's dimensions in words.
func modelText(m hub.Model) string {
	text := m.From.String()
	for _, d := range []struct {
		name string
		n    int64
	}{{"h", m.Hidden}, {"i", m.Intermediate}, {"v", m.Vocab}, {"heads", m.Heads}, {"key/value heads", m.KVHeads}, {"experts", m.Experts}} {
		if d.n > 0 {
			text += "  ·  " + d.name + " = " + units.Count(d.n)
		}
	}
	return text
}

// gpuMenu lists the GPUs that are known.
func (w *window) gpuMenu() []kit.MenuItem {
	now := w.panels.timeline.Limits.Capacity
	items := []kit.MenuItem{{ID: "none", Text: "No line", Ticked: now.Bytes == 0}}
	for _, g := range capacity.Known() {
		c := g.Capacity()
		items = append(items, kit.MenuItem{ID: g.Name, Text: g.Name, Detail: units.Bytes(c.Bytes), Ticked: now == c})
	}
	return items
}

// entriesMenu offers how many allocations to draw.
func (w *window) entriesMenu() []kit.MenuItem {
	items := []kit.MenuItem{{ID: "0", Text: "All allocations", Ticked: w.opt.MaxEntries == 0}}
	had := w.opt.MaxEntries == 0
	for _, n := range []int{1000, 10_000, 100_000} {
		had = had || n == w.opt.MaxEntries
		items = append(items, kit.MenuItem{ID: strconv.Itoa(n), Text: "The " + units.Count(n) + " largest", Ticked: n == w.opt.MaxEntries})
	}
	if !had {
		items = append(items, kit.MenuItem{ID: strconv.Itoa(w.opt.MaxEntries), Text: "The " + units.Count(w.opt.MaxEntries) + " largest", Ticked: true})
	}
	return items
}

// limitItems are the lines of the settings menu about limits.
func (w *window) limitItems() []kit.MenuItem {
	gpu, entries := "none", "all"
	if c := w.panels.timeline.Limits.Capacity; c.Bytes > 0 {
		gpu = c.Name
	}
	if w.opt.MaxEntries > 0 {
		entries = units.Count(w.opt.MaxEntries)
	}
	all := w.item("all-annotations", "The framework's own annotations")
	all.Ticked = w.annotations.all
	return []kit.MenuItem{
		all, w.item("annotations", "Filter the annotations…"),
		{Rule: true},
		{ID: "menu:gpu", Text: "Line at the memory of a GPU…", Detail: gpu},
		{ID: "menu:entries", Text: "Draw at most…", Detail: entries},
		w.item("options", "Limits, model, entries…"),
		{ID: "cache", Text: "Keep what was read, to open it faster", Ticked: !w.opt.NoCache},
	}
}

// chosenLimit does what an item of these menus stands for; it reports whether
// it was one.
func (w *window) chosenLimit(owner, id string) bool {
	switch {
	case id == "menu:gpu":
		w.panels.menu.OpenLeft("gpu", w.menuAt, w.gpuMenu())
	case owner == "settings" && id == "cache":
		w.opt.NoCache = !w.opt.NoCache
	case id == "menu:entries":
		w.panels.menu.OpenLeft("entries", w.menuAt, w.entriesMenu())
	case owner == "gpu":
		c, err := capacity.Find(id)
		if err != nil { // "none"
			c = capacity.Capacity{}
		}
		w.setCapacity(c)
	case owner == "entries":
		if n, err := strconv.Atoi(id); err == nil {
			w.setEntries(n)
		}
	default:
		return false
	}
	return true
}
