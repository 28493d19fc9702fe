package session

import (
	"context"

	"strata/app/hub"
	"strata/layout/shape"
	"strata/widgets/describe"
)

// Naming names tensors by the dimensions of a model. The model is that of Sessions.Options.
type Naming struct {
	Known   hub.Model // in use; the zero value is none
	Wrong   string    // why the wanted model could not be had, "" if it could
	Loading bool

	namer *shape.Namer
	stop  context.CancelFunc
	run   int // counts what was started
}

// Version differs whenever Name may answer differently.
func (n *Naming) Version() *shape.Namer { return n.namer }

// Name names the tensors that a size in bytes may be.
func (n *Naming) Name(size int64) string {
	const shown = 2 // readings of the size
	return shape.Join(n.namer.Name(size), shown)
}

// SetModel names tensors by another model: by plain sizes until it is there, and if it cannot be had, which the active
// session then says. Options.Model, VocabSize and Quantized become what is wanted.
func (all *Sessions) SetModel(id string, vocab int64, quantized bool) {
	n, o := &all.Naming, all.Options
	if n.stop != nil {
		n.stop()
	}
	run := n.run + 1
	known := n.Known
	if id != o.Model || id == "" || n.namer == nil || vocab != 0 {
		known = hub.Model{}
	}
	o.Model, o.VocabSize, o.Quantized = id, vocab, quantized
	*n = Naming{run: run, Loading: id != ""}
	all.useModel(known)
	if id == "" {
		return
	}
	n.stop = all.Background.Go(func(ctx context.Context) func() {
		settings, err := hub.FromEnvironment()
		var m hub.Model
		if err == nil {
			m, err = hub.New(settings).Load(ctx, id, vocab)
		}
		return func() {
			if n.run == run {
				all.modelLoaded(m, err)
			}
		}
	})
}

// modelLoaded takes the model that is wanted.
func (all *Sessions) modelLoaded(m hub.Model, err error) {
	all.Naming.Loading = false
	if err != nil {
		all.Naming.Wrong = Sentence(err.Error())
		all.Active.Problem = &describe.Problem{Title: "The model " + all.Options.Model + " could not be read",
			What: all.Naming.Wrong,
			Advice: "Tensors are named by plain sizes meanwhile. Another model can be given in the settings menu, " +
				"under Limits, model, own code."}
		return
	}
	all.useModel(m)
	if m.Warning != "" {
		all.Active.Say(Sentence(m.Warning))
		return
	}
	all.Active.Say("Tensors are named by " + m.ID + " (" + m.From.String() + ")")
}

// useModel names by a model; the zero value is none.
func (all *Sessions) useModel(m hub.Model) {
	dims := m.Model
	if m.ID == "" {
		dims = shape.Model{Vocab: all.Options.VocabSize}
	}
	all.Naming.Known = m
	all.Naming.namer = shape.NewNamer(dims, all.Options.Quantized)
}
