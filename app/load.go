package app

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"strata/app/diag"
	"strata/layout/units"
	"strata/snapshot"
	"strata/snapshot/cache"
	"strata/testdata"
	"strata/widgets"
)

// loading is a file being read. Its counters are written by the reading
// goroutine and read by frames.
type loading struct {
	path        string
	sample      bool // the embedded sample; path is only its name
	cancel      context.CancelFunc
	begun       time.Time
	others      []look            // files of other tabs that this one may be
	saw         func(os.FileInfo) // told which file is read
	done, total atomic.Int64
	laying      atomic.Bool // reading is over
}

// progressEvery is how often a frame shows the progress.
const progressEvery = 60 * time.Millisecond

// load starts reading the tab's file. If it is being read already, that is
// given up; what the tab shows stays until the new one is complete.
func (w *window) load() {
	if w.loading != nil {
		w.loading.cancel()
	}
	l := &loading{path: w.path, sample: w.sample}
	ctx, cancel := context.WithCancel(w.ctx)
	l.cancel, l.begun = cancel, time.Now()
	w.loading, w.problem = l, nil
	t, want, set := w.tab, w.wantDevice, w.setting()
	if w.doc == nil && w.kept == nil {
		l.others = w.lookedAt()
	}
	l.saw = func(file os.FileInfo) {
		w.post(t, func() {
			if w.loading == l {
				w.file = file
			}
		})
	}
	kept := cache.Options{Disabled: w.opt.NoCache}
	w.work.Go(func() {
		defer cancel()
		doc, err := load(ctx, l, kept, want, set)
		w.post(t, func() { w.loaded(l, doc, err) })
	})
}

// load reads and lays out; it runs on its own goroutine.
func load(ctx context.Context, l *loading, kept cache.Options, want int, set setting) (*document, error) {
	var s stamp
	if !l.sample {
		var err error
		if s, err = stampOf(ctx, l.path); err != nil {
			return nil, err
		}
		if file, err := os.Stat(l.path); err == nil {
			if other := alias(l.path, file, l.others); other != nil {
				return nil, &openAlready{other}
			}
			l.saw(file)
		}
	}
	doc, err := read(ctx, l, kept, set.limits, set.log)
	if err != nil {
		return nil, err
	}
	doc.stamp = s
	l.laying.Store(true)
	doc.devices = devicesOf(doc.snap)
	if len(doc.devices) == 0 {
		return nil, &snapshot.Error{Kind: snapshot.KindNotSnapshot, Name: l.path, Offset: -1,
			What:   "the snapshot is empty: no device in it has events or memory",
			Advice: "record with torch.cuda.memory._record_memory_history() in the process that uses the GPU"}
	}
	doc.stage, err = newStage(ctx, doc.snap, doc.devices, choose(doc.devices, want), set)
	if err == nil {
		doc.bytes = bytesOf(doc.snap) + bytesOfTimeline(doc.stage.timeline)
	}
	doc.took = time.Since(l.begun)
	return doc, err
}

// read reads the file, or the sample.
func read(ctx context.Context, l *loading, kept cache.Options, limits snapshot.Limits, log *diag.Log) (*document, error) {
	opt := snapshot.Options{Limits: limits, Progress: func(done, total int64) {
		l.done.Store(done)
		l.total.Store(total)
	}}
	if l.sample {
		s, err := snapshot.Read(ctx, l.path, testdata.Sample(), opt)
		return &document{path: l.path, sample: true, snap: s}, err
	}
	opened, err := log.Open(ctx, l.path, opt, kept)
	if err != nil {
		return nil, err
	}
	doc := &document{path: l.path, snap: opened.Snapshot}
	if !opened.Cached && !kept.Disabled {
		doc.store = opened.Store
	}
	return doc, nil
}

// loaded takes the result of a load, if it is still wanted.
func (w *window) loaded(l *loading, doc *document, err error) {
	if w.loading != l {
		if doc != nil && doc.stage != nil {
			w.forget(doc.stage.timeline)
		}
		return
	}
	w.loading = nil
	switch {
	case errors.Is(err, context.Canceled):
	case err != nil:
		w.fail(err)
	default:
		fresh := w.kept == nil
		w.show(doc)
		if fresh && w.looked > 0 {
			w.rememberFile()
		}
		if w.tab == w.active {
			w.opening = l.begun
		}
		if time.Now().After(w.noticeEnd) { // something weightier may be there
			w.say("opened in " + units.Elapsed(doc.took))
		}
		w.store(doc)
		if w.tab == w.active {
			w.settle()
		}
		w.makeRoom()
	}
}

// store keeps what was read, so that the file opens faster the next time. If
// it cannot be kept, it is read again.
func (w *window) store(doc *document) {
	t, store := w.tab, doc.store
	doc.store = nil
	if store == nil {
		return
	}
	w.work.Go(func() {
		begun := time.Now()
		err := store(w.ctx)
		w.log.Stored(time.Since(begun), err)
		w.post(t, func() {
			if w.doc != doc { // closed meanwhile; now nobody holds it any more
				w.giveBack()
			}
		})
	})
}

// cancelLoading gives up the file being read.
func (w *window) cancelLoading() {
	if w.loading == nil {
		return
	}
	w.loading.cancel()
	w.loading = nil
	if w.doc == nil {
		w.closeTab(w.tab, w.lookedBefore())
	}
	w.say("Cancelled")
}

// problemOf is an error in the words of the card.
func problemOf(path string, err error) *widgets.Problem {
	p := &widgets.Problem{Title: filepath.Base(path) + " could not be opened", Path: path}
	var e *snapshot.Error
	if errors.As(err, &e) {
		p.What, p.Advice = e.What, e.Advice
		if e.Offset >= 0 {
			p.What += " at byte " + units.Count(e.Offset)
		}
		p.What = sentence(p.What)
		p.Advice = sentence(p.Advice)
		return p
	}
	p.What = sentence(err.Error())
	return p
}

// progress is the loading bar's figures.
func (l *loading) progress(now time.Time) widgets.Progress {
	p := widgets.Progress{Name: filepath.Base(l.path), Phase: "Reading", Done: l.done.Load(), Total: l.total.Load()}
	if l.laying.Load() {
		p.Phase = "Laying out"
	}
	if t := now.Sub(l.begun).Seconds(); t > .3 {
		p.Rate = float64(p.Done) / t
	}
	return p
}

// staging is a device being laid out.
type staging struct{ cancel context.CancelFunc }

// stopStaging gives up what is being laid out.
func (w *window) stopStaging() {
	if w.staging != nil {
		w.staging.cancel()
		w.staging = nil
	}
}

// restage lays the open document out anew, for another device or other
// settings, while the old picture stays.
func (w *window) restage(device int) {
	doc := w.doc
	if doc == nil {
		return
	}
	w.stopStaging()
	ctx, cancel := context.WithCancel(w.ctx)
	mine := &staging{cancel}
	w.staging = mine
	t, set := w.tab, w.setting()
	w.work.Add(1)
	go func() {
		defer w.work.Done()
		defer cancel()
		st, err := newStage(ctx, doc.snap, doc.devices, device, set)
		w.post(t, func() {
			switch {
			case err != nil:
			case w.staging == mine && w.doc == doc:
				w.staging = nil
				w.setStage(st)
			default:
				w.forget(st.timeline)
			}
		})
	}()
}
