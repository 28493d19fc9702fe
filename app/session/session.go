// Package session is what is open in the window, without the window: a Session for each tab, and Sessions for all of
// them. It knows nothing of Gio. All methods belong to the goroutine that owns the Sessions; what goroutines of the
// package find comes back by Background.
package session

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/png"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"strata/app/files"
	"strata/layout"
	"strata/layout/units"
	"strata/render"
	"strata/snapshot"
	"strata/widgets/describe"
)

// A Session is one tab: a file with the progress of its loading, what went wrong, and what is shown and asked of it.
type Session struct {
	Path   string   // "" if nothing was opened in it yet
	Sample bool     // the embedded sample; Path is only its name
	Over   []string // files that lie over it, by the time of day

	Page Page // what is shown in place of a file, nil for a file

	Doc     *Document         // nil if nothing is loaded
	Loading *Loading          // nil if nothing is being read
	Problem *describe.Problem // what to tell the user, nil for nothing
	Opening time.Time         // when the document was asked for; the window resets it once that is shown

	View    render.View
	Begun   int // counts the documents and devices that were shown anew, from the view of the whole run
	History History
	Pinned  layout.ID
	Failed  *layout.OOM // the request out of memory that is pinned in place of an allocation, nil if none is

	Find       Finder
	SQL        SQL
	Annotation int32 // the current one, an index into Stage.Lane.Phases.All, or describe.NoPhase

	Notice    string // a short message for the status line, shown until NoticeEnd
	NoticeEnd time.Time

	play        playhead
	groups      Groups
	why         why
	lines       lines
	segments    bool // are stacked in place of allocations
	allocator   allocator
	trees       trees
	bands       bands
	all         *Sessions
	annotations layout.Choice

	changed    *Document          // whose file has changed since it was read
	stamp      files.Stamp        // of the file when it was examined last
	known      bool               // it has been examined
	evicted    bool               // unloaded to save memory: not loaded again before it is shown
	kept       *viewKey           // what View and Pinned are valid for after unloading, nil if for nothing
	place      int                // where the tab was, once it is closed
	looked     uint64             // when it was shown last, on the clock of Sessions.looks; 0: never
	staging    context.CancelFunc // gives up the stage being made, nil if none is
	stagings   int                // counts the stages that were begun
	wantDevice int                // options.Options.Device, or the one chosen last
}

// A Page is what a session shows that is not of one file: a comparison, a wall of ranks.
type Page interface {
	Title() string
	Close() // gives up what it is working on
}

// AddPage opens a session for a page, right of the active one, and goes to it.
func (all *Sessions) AddPage(p Page) *Session {
	s := all.Active
	if !s.Empty() || s.Path != "" {
		s = all.newSession()
		all.All = slices.Insert(all.All, slices.Index(all.All, all.Active)+1, s)
	}
	s.Page, s.Problem = p, nil
	all.Activate(s)
	return s
}

// State returns how far the session is.
func (s *Session) State() describe.State {
	switch {
	case s.Loading != nil:
		return describe.Reading
	case s.Path == "" || s.Doc != nil:
		return describe.Ready
	case s.Problem != nil:
		return describe.Failed
	}
	return describe.Waiting
}

// Empty reports whether the session has nothing but perhaps a problem: another file may take its place.
func (s *Session) Empty() bool {
	return s.Page == nil && s.Doc == nil && s.Loading == nil && (s.Path == "" || s.Problem != nil)
}

// Title returns the name of the file, "" if there is none.
func (s *Session) Title() string {
	switch {
	case s.Page != nil:
		return s.Page.Title()
	case s.Path == "":
		return ""
	}
	return files.Name(s.Path)
}

// is reports whether the session is that of a file, however its path is written.
func (s *Session) is(path string, sample bool) bool {
	return s.Path != "" && s.Sample == sample && (sample || files.Absolute(s.Path) == files.Absolute(path))
}

// Size returns the size of the file in bytes, 0 if it is not known.
func (s *Session) Size() int64 { return s.stamp.Size }

// Evicted reports whether the document was unloaded to save memory.
func (s *Session) Evicted() bool { return s.evicted }

// Loaded returns how much of the loading is done, from 0 to 1.
func (s *Session) Loaded() float32 {
	if s.Loading == nil || s.Loading.total.Load() <= 0 {
		return 0
	}
	return min(1, float32(s.Loading.done.Load())/float32(s.Loading.total.Load()))
}

// Timeline returns what is shown, nil if nothing is.
func (s *Session) Timeline() *layout.Timeline {
	if s.Doc == nil {
		return nil
	}
	return s.Doc.Stage.Timeline
}

// Findings returns what the reader and the layout noticed, nil if nothing is open.
func (s *Session) Findings() []snapshot.Finding {
	if s.Doc == nil {
		return nil
	}
	return s.Doc.Stage.Findings
}

// Changed reports whether the file on disk is no longer the one that is shown.
func (s *Session) Changed() bool { return s.Doc != nil && s.changed == s.Doc }

// Say shows a short notice for four seconds.
func (s *Session) Say(text string) { s.SayFor(text, 4*time.Second) }

// SayFor shows a notice for some time.
func (s *Session) SayFor(text string, d time.Duration) {
	s.Notice, s.NoticeEnd = text, time.Now().Add(d)
}

// Pin pins an allocation, or unpins if there is none.
func (s *Session) Pin(id layout.ID) {
	s.Pinned, s.Failed, s.SQL.Picked = layout.None, nil, false
	if id >= 0 {
		s.Pinned = id
	}
}

// HasPinned reports whether an allocation is pinned.
func (s *Session) HasPinned() bool { return s.Doc != nil && s.Pinned >= 0 }

// Dismiss removes the problem, and closes a session that has nothing else to show.
func (s *Session) Dismiss() {
	if s.State() == describe.Failed {
		s.all.Close(s, s.all.lookedBefore())
		return
	}
	s.Problem = nil
}

// refresh reads the file of an open session again if it has changed, and tries again if it could not be read.
func (s *Session) refresh() {
	if s.State() == describe.Failed {
		s.Problem = nil
		return
	}
	doc, path := s.Doc, s.Path
	if doc == nil || s.Sample || s.Loading != nil {
		return
	}
	s.all.Background.Go(func(ctx context.Context) func() {
		stamp, err := files.Examine(ctx, path)
		return func() {
			if err == nil && s.Doc == doc && doc.stamp != stamp {
				s.Load()
			}
		}
	})
}

// unload releases everything large. What the session needs to come back to where the user was stays.
func (s *Session) unload() {
	s.stopStaging()
	s.stopLoading()
	s.Find.halt()
	s.Find = Finder{Text: s.Find.Text, query: s.Find.query, Wrong: s.Find.Wrong}
	s.closeDatabase()
	if s.Page != nil {
		s.Page.Close()
	}
	s.groups, s.trees, s.bands = Groups{}, trees{}, bands{making: s.bands.making}
	s.why, s.lines, s.allocator = why{}, lines{}, allocator{}
	if s.Doc != nil {
		key := s.Doc.viewKey()
		s.kept, s.wantDevice = &key, s.Doc.Device().Index
		s.all.forget(s.Doc.Stage.Timeline)
		s.Doc, s.Opening = nil, time.Time{}
	}
	s.all.freeMemory()
}

// newSession returns an empty session.
func (all *Sessions) newSession() *Session {
	o := all.Options
	s := &Session{all: all, Pinned: layout.None, Annotation: describe.NoPhase, wantDevice: o.Device,
		annotations: layout.Choice{All: o.AllAnnotations, Spans: layout.OuterSpans,
			Filter: o.AnnotationFilter}}
	s.View.Axis = o.Axis
	return s
}

// problemOf returns the problem of a file that could not be opened.
func problemOf(path string, err error) *describe.Problem {
	p := &describe.Problem{Title: filepath.Base(path) + " could not be opened", Path: path}
	e, ok := errors.AsType[*snapshot.Error](err)
	if !ok {
		p.What = Sentence(err.Error())
		return p
	}
	what := e.What
	if e.Offset >= 0 {
		what += " at byte " + units.Count(e.Offset)
	}
	p.What, p.Advice = Sentence(what), Sentence(e.Advice)
	p.Image = imageOf(e.Image)
	return p
}

// maxImage is the most pixels of a picture that is shown.
const maxImage = 1 << 26

// imageOf decodes a PNG; nil if it is damaged or huge, or there is none.
func imageOf(data []byte) image.Image {
	c, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil || c.Width*c.Height > maxImage {
		return nil
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return nil
	}
	return img
}

// Sentence gives a text a capital and a full stop.
func Sentence(s string) string {
	s = strings.TrimSpace(s)
	if s == "" {
		return ""
	}
	r, n := utf8.DecodeRuneInString(s)
	s = string(unicode.ToUpper(r)) + s[n:]
	if !strings.HasSuffix(s, ".") && !strings.HasSuffix(s, "!") && !strings.HasSuffix(s, "?") {
		s += "."
	}
	return s
}
