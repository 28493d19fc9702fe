package session

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"strata/app/files"
	"strata/app/reading"
	"strata/layout"
	"strata/layout/units"
	"strata/render/colour"
	"strata/snapshot"
	"strata/snapshot/beside"
	"strata/snapshot/cache"
	"strata/testdata"
	"strata/widgets/describe"
)

// A Loading is a file being read. Its counters are written by the reading goroutine and read by frames.
type Loading struct {
	Begun time.Time

	path    string
	over    []string // that is laid over it
	sample  bool     // the embedded sample; path is only its name
	cancel  context.CancelFunc
	visited func(files.Stamp) // told which file is read
	done    atomic.Int64      // bytes
	total   atomic.Int64      // bytes, 0 if unknown
	laying  atomic.Bool       // reading is over
}

// Progress returns how far the loading is.
func (l *Loading) Progress(now time.Time) describe.Progress {
	p := describe.Progress{Name: filepath.Base(l.path), Phase: "Reading", Done: l.done.Load(), Total: l.total.Load()}
	if l.laying.Load() {
		p.Phase = "Laying out"
	}
	if t := now.Sub(l.Begun).Seconds(); t > .3 {
		p.Rate = float64(p.Done) / t
	}
	return p
}

// Load starts reading the session's file, and gives up an earlier reading. What is shown stays until the new document
// is complete.
func (s *Session) Load() {
	s.stopLoading()
	l := &Loading{path: s.Path, over: slices.Clone(s.Over), sample: s.Sample, Begun: time.Now()}
	s.Loading, s.Problem = l, nil
	l.visited = func(stamp files.Stamp) {
		s.all.Background.Post(func() {
			if s.Loading == l {
				s.examined(stamp)
			}
		})
	}
	want, opt := s.wantDevice, s.stageOptions()
	l.cancel = s.all.Background.Go(func(ctx context.Context) func() {
		doc, err := load(ctx, l, want, opt)
		return func() { s.loaded(l, doc, err) }
	})
}

// load reads and lays out a file.
func load(ctx context.Context, l *Loading, want int, opt stageOptions) (*Document, error) {
	var stamp files.Stamp
	if !l.sample {
		var err error
		if stamp, err = files.Examine(ctx, l.path); err != nil {
			return nil, err
		}
		l.visited(stamp)
	}
	doc, err := read(ctx, l, opt)
	if err != nil {
		return nil, err
	}
	if doc.Snapshot, err = beside.Lay(ctx, doc.Snapshot, l.over, opt.Zone, opt.Limits); err != nil {
		return nil, err
	}
	doc.stamp = stamp
	l.laying.Store(true)
	doc.Devices = doc.Snapshot.All()
	if len(doc.Devices) == 0 {
		return nil, &snapshot.Error{Kind: snapshot.KindNotSnapshot, Name: l.path, Offset: -1,
			What:   "the snapshot is empty: no device in it has events or memory",
			Advice: "record with torch.cuda.memory._record_memory_history() in the process that uses the GPU"}
	}
	doc.Stage, err = newStage(ctx, doc.Snapshot, doc.Devices, doc.chooseDevice(want), opt)
	if err == nil {
		doc.bytes = snapshotBytes(doc.Snapshot) + doc.Stage.Timeline.Bytes() + perOverviews
	}
	doc.took = time.Since(l.Begun)
	return doc, err
}

// read reads the file, or the sample.
func read(ctx context.Context, l *Loading, opt stageOptions) (*Document, error) {
	how := snapshot.Options{Limits: opt.Limits, Progress: func(done, total int64) {
		l.done.Store(done)
		l.total.Store(total)
	}}
	if l.sample {
		s, err := snapshot.Read(ctx, l.path, testdata.Sample(), how)
		if err != nil {
			return nil, err
		}
		return &Document{Path: l.path, Sample: true, Snapshot: s.WithOwnCode(opt.OwnCode)}, nil
	}
	opened, err := reading.Open(ctx, opt.log, l.path, how, cache.Options{Disabled: opt.NoCache})
	if err != nil {
		return nil, err
	}
	doc := &Document{Path: l.path, Snapshot: opened.Snapshot.WithOwnCode(opt.OwnCode)}
	if !opened.Cached && !opt.NoCache {
		doc.store = opened.Store
	}
	return doc, nil
}

// loaded takes the result of a loading, if it is still wanted.
func (s *Session) loaded(l *Loading, doc *Document, err error) {
	if s.Loading != l {
		if doc != nil && doc.Stage != nil {
			s.all.forget(doc.Stage.Timeline)
		}
		return
	}
	s.Loading = nil
	switch {
	case errors.Is(err, context.Canceled):
	case err != nil:
		s.fail(err)
	default:
		fresh := s.kept == nil
		s.show(doc)
		if fresh && s.looked > 0 {
			s.all.remember(s)
		}
		if time.Now().After(s.NoticeEnd) { // a more important notice may be shown
			s.Say("opened in " + units.Elapsed(doc.took))
		}
		for _, f := range doc.Snapshot.Findings[len(doc.Snapshot.Findings)-len(l.over):] {
			s.Say(f.Explain) // it was asked for
		}
		s.store()
		if s == s.all.Active {
			s.Opening = l.Begun
			s.settle()
		}
		s.all.makeRoom()
	}
}

// fail takes why the file could not be read. A folder opens what is in it.
func (s *Session) fail(err error) {
	if folder, ok := errors.AsType[*files.Folder](err); ok {
		s.all.unfold(s, folder)
		return
	}
	s.Problem = problemOf(s.Path, err)
}

// store fills the cache of opened snapshots. If that fails, the file is read again the next time.
func (s *Session) store() {
	doc := s.Doc
	store := doc.store
	doc.store = nil
	if store == nil {
		return
	}
	s.all.Background.Go(func(ctx context.Context) func() {
		begun := time.Now()
		err := store(ctx)
		s.all.Log.Stored(time.Since(begun), err)
		return func() {
			if s.Doc != doc { // closed meanwhile; now nothing refers to it any more
				s.all.freeMemory()
			}
		}
	})
}

// CancelLoading gives up the file being read, and closes the session if it shows nothing else.
func (s *Session) CancelLoading() {
	if s.Loading == nil {
		return
	}
	s.stopLoading()
	if s.Doc == nil {
		s.all.Close(s, s.all.lookedBefore())
	}
	s.all.Active.Say("Cancelled")
}

// stopLoading gives up the file being read, if any.
func (s *Session) stopLoading() {
	if s.Loading != nil {
		s.Loading.cancel()
		s.Loading = nil
	}
}

// show puts a new document in the place of the old one.
func (s *Session) show(doc *Document) {
	s.stopStaging()
	back := s.kept
	if s.Doc != nil {
		key := s.Doc.viewKey()
		back = &key
		s.all.forget(s.Doc.Stage.Timeline)
		s.closeDatabase()
	}
	s.Doc, s.kept, s.evicted = doc, nil, false
	s.stamp, s.known = doc.stamp, true
	if back == nil || *back != doc.viewKey() {
		s.startView()
	} else {
		s.extendView()
	}
	s.staged()
}

// restage lays the document out anew, for another device or other options, while the old picture stays.
func (s *Session) restage(device int) {
	doc := s.Doc
	if doc == nil {
		return
	}
	s.stopStaging()
	opt := s.stageOptions()
	s.stagings++
	run := s.stagings
	s.staging = s.all.Background.Go(func(ctx context.Context) func() {
		st, err := newStage(ctx, doc.Snapshot, doc.Devices, device, opt)
		return func() {
			switch {
			case err != nil:
			case s.stagings == run && s.staging != nil && s.Doc == doc:
				s.staging = nil
				s.setStage(st)
			default:
				s.all.forget(st.Timeline)
			}
		}
	})
}

// stopStaging gives up what is being laid out.
func (s *Session) stopStaging() {
	if s.staging != nil {
		s.staging()
		s.staging = nil
	}
}

// setStage shows a device that is ready. The view stays if it is the same device laid out or coloured anew.
func (s *Session) setStage(st *Stage) {
	old := s.Doc.Stage
	s.Doc.Stage = st
	if old.Timeline != st.Timeline {
		s.all.forget(old.Timeline)
	}
	for i := range st.OOMs { // its state is another when other allocations are drawn
		if s.Failed != nil && st.OOMs[i].Event == s.Failed.Event {
			s.Failed = &st.OOMs[i]
		}
	}
	switch v := s.View; {
	case old.Device != st.Device:
		s.startView()
	case old.Timeline.Options.Mode == st.Timeline.Options.Mode:
		s.extendView()
	default:
		s.startView()
		if v.Axis == layout.Time {
			s.View.X0, s.View.X1 = v.X0, v.X1
		}
	}
	s.staged()
}

// staged follows a device that was laid out. The choice of annotations may have changed meanwhile.
func (s *Session) staged() {
	s.Annotation = describe.NoPhase
	if s.Doc.Stage.annotations != s.annotations {
		s.showAnnotations()
	}
	if then := s.SQL.then; then != nil {
		s.SQL.then = nil
		then()
	}
}

// stageOptions returns what a stage that is begun now depends on.
func (s *Session) stageOptions() stageOptions {
	all := s.all
	return stageOptions{Options: *all.Options, dark: all.Dark, annotations: s.annotations,
		segments: s.segments, tiles: all.Tiles, log: all.Log}
}

func (s *Session) wantedColours() colouringKey {
	return colouringKey{s.Doc.Stage.Timeline, s.all.Options.Colour, s.all.Dark}
}

// recolour makes the colours anew. Nothing is laid out or rasterized again.
func (s *Session) recolour() {
	doc := s.Doc
	key, rules := s.wantedColours(), s.all.Options.Categories
	doc.painting = key
	s.all.Background.Go(func(context.Context) func() {
		c := colour.NewWith(key.timeline, key.mode, Palette(key.dark), rules)
		return func() {
			if s.Doc == doc && key == s.wantedColours() {
				fresh := *doc.Stage
				fresh.Colouring = c
				doc.Stage = &fresh
			}
		}
	})
}

// Refresh keeps what is shown to the options of now, which may have changed while the document was loaded or another
// session was shown. It is called before each frame that shows the session, and does little if nothing has changed.
func (s *Session) Refresh() {
	if s.Doc == nil {
		return
	}
	st := s.Doc.Stage
	want := s.wantedColours()
	have := colouringKey{st.Timeline, st.Colouring.Mode, st.Colouring.Palette.Dark}
	if want != have && want != s.Doc.painting {
		s.recolour()
	}
	s.refreshSearch()
	s.watch()
}

// settle brings a session that is shown again up to the options that changed meanwhile: the axis, and how many
// allocations to draw. Refresh does the rest.
func (s *Session) settle() {
	if s.Doc == nil {
		return
	}
	s.showAxis(s.all.Options.Axis, time.Now())
	if st := s.Doc.Stage; !s.segments && st.Timeline.Options.MaxEntries != s.all.Options.MaxEntries {
		s.restage(st.Device)
	}
}

// watched is a document whose file is looked at.
type watched struct {
	session *Session
	doc     *Document
}

// Watch looks every so often whether the file of the active session was written anew, until the Background is closed.
// Session.Changed then says so.
func (all *Sessions) Watch(every time.Duration) {
	done := all.Background.Context().Done()
	go func() { // not work that Background.Wait waits for
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			if w := all.watched.Load(); w != nil && files.Changed(w.doc.Path, w.doc.stamp) {
				all.Background.Post(func() {
					w.session.changed = w.doc
					all.watched.CompareAndSwap(w, nil)
				})
			}
		}
	}()
}

// watch has Watch look at the session's file, unless it is known to have changed.
func (s *Session) watch() {
	w := s.all.watched.Load()
	switch {
	case s.Doc.Sample || s.Changed():
		s.all.watched.Store(nil)
	case w == nil || w.doc != s.Doc:
		s.all.watched.Store(&watched{s, s.Doc})
	}
}
