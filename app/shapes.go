package app

import (
	"context"

	"strata/app/hub"
	"strata/layout/shape"
	"strata/widgets"
)

// shapes names tensors by the dimensions of a model.
type shapes struct {
	namer     *shape.Namer
	model     string // that is wanted, "" for none
	vocab     int64  // in place of the model's own; 0 leaves it
	quantized bool

	known   hub.Model // of namer; the zero value is none
	wrong   string    // why model could not be had
	loading bool
	stop    context.CancelFunc
	run     int // counts what was started, so that only the newest counts
}

// shapesShown is how many readings of a size are shown.
const shapesShown = 2

// shapeOf names the tensors that a size may be.
func (w *window) shapeOf(size int64) string {
	return shape.Join(w.shapes.namer.Name(size), shapesShown)
}

// setModel names tensors by another model: by plain sizes until it is there, and
// if it cannot be had, which a card says.
func (w *window) setModel(id string, vocab int64, quantized bool) {
	s := &w.shapes
	if s.stop != nil {
		s.stop()
	}
	ctx, cancel := context.WithCancel(w.ctx)
	again := id != s.model
	run := s.run + 1
	*s = shapes{namer: s.namer, known: s.known, model: id, vocab: vocab, quantized: quantized, stop: cancel, run: run}
	if again || id == "" || s.namer == nil || vocab != 0 {
		s.known = hub.Model{} // plain sizes until the model is there
	}
	w.useModel(s.known)
	if id == "" {
		cancel()
		return
	}
	s.loading = true
	w.work.Go(func() {
		defer cancel()
		settings, err := hub.FromEnvironment()
		var m hub.Model
		if err == nil {
			m, err = hub.New(settings).Load(ctx, id, vocab)
		}
		w.mail.post(func() {
			if s.run != run {
				return // no longer wanted
			}
			s.loading = false
			if err != nil {
				s.wrong = sentence(err.Error())
				w.problem = &widgets.Problem{Title: "The model " + id + " could not be read", What: s.wrong,
					Advice: "Tensors are named by plain sizes meanwhile. Another model can be given in the settings menu, under Limits, model, entries."}
				return
			}
			w.useModel(m)
			if m.Warning != "" {
				w.say(sentence(m.Warning))
				return
			}
			w.say("Tensors are named by " + m.ID + " (" + m.From.String() + ")")
		})
	})
}

// useModel makes the namer of a model; the zero value is none.
func (w *window) useModel(m hub.Model) {
	s := &w.shapes
	s.known = m
	dims := m.Model
	if m.ID == "" {
		dims = shape.Model{Vocab: s.vocab}
	}
	s.namer = shape.NewNamer(dims, shape.Options{Quantized: s.quantized})
	w.shownOf, w.tipOf = detailsKey{}, detailsKey{}
}

// startShapes takes what the command line says of the model, else what was
// chosen last.
func (w *window) startShapes() {
	model, vocab, quantized := w.opt.Model, w.opt.VocabSize, w.opt.Quantized
	if model == "" && vocab == 0 && !quantized {
		model, vocab, quantized = w.settings.Model, w.settings.VocabSize, w.settings.Quantized
	}
	w.setModel(model, vocab, quantized)
}

// chooseModel names tensors by another model and remembers it.
func (w *window) chooseModel(id string, vocab int64, quantized bool) {
	w.settings.Model, w.settings.VocabSize, w.settings.Quantized = id, vocab, quantized
	w.save()
	w.setModel(id, vocab, quantized)
}
