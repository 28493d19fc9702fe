package session

import (
	"time"

	"strata/app/files"
)

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
