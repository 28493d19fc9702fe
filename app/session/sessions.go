package session

import (
	"context"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"strata/app/diag"
	"strata/app/files"
	"strata/app/options"
	"strata/layout"
	"strata/testdata"
	"strata/widgets/describe"
)

// closedLimit is how many closed sessions can be opened again.
const closedLimit = 20

// Sessions are all open sessions in their order, and what they have in common.
type Sessions struct {
	Options *options.Options // of all sessions; the setters change it
	Dark    bool             // the theme
	Naming  Naming

	All    []*Session // never empty
	Active *Session   // the one that is shown

	Background *Background
	Tiles      Tiles
	Log        *diag.Log
	Budget     int64 // bytes that all documents may take together

	// OnOpened is called with the path of a file that was opened and is shown for the first time; may be nil.
	OnOpened func(path string)

	// OnMany is asked for a page to show in place of the files of a folder, a tab for each; nil, or no page, opens
	// those.
	OnMany func(folder *files.Folder) Page

	watched atomic.Pointer[watched] // what Watch looks at
	closed  []*Session              // that can be opened again, the newest last
	looks   uint64                  // counts calls of Activate
	freeing bool                    // memory is about to be given back
}

// New returns Sessions with an empty one. Tiles has to be set before a file is opened. memory is that of the machine,
// in bytes, 0 if it is not known.
func New(opt *options.Options, log *diag.Log, memory int64) *Sessions {
	all := &Sessions{Options: opt, Background: NewBackground(), Log: log, Budget: memoryBudget(memory)}
	all.Active = all.newSession()
	all.All = []*Session{all.Active}
	all.Active.Over = slices.Clone(opt.With)
	return all
}

// Open opens files and folders, each in a session of its own and in natural order, and goes to the first. What is
// open already is not opened again.
func (all *Sessions) Open(paths ...string) {
	if all.Active.Doc != nil && len(paths) > 0 {
		all.Active.Problem = nil // it has been seen
	}
	if len(paths) > 1 {
		paths = slices.SortedStableFunc(slices.Values(paths), files.ComparePaths)
	}
	var opened []*Session
	for _, path := range paths {
		opened = append(opened, all.sessionFor(path, false))
	}
	if len(opened) > 0 {
		all.Activate(opened[0])
		all.examine(opened[1:])
	}
}

// OpenSample opens the snapshot that comes with the program.
func (all *Sessions) OpenSample() { all.Activate(all.sessionFor(testdata.SampleName, true)) }

// sessionFor returns the session of a file: the one that has it open, else the active one if that is empty, else a new
// one at the end.
func (all *Sessions) sessionFor(path string, sample bool) *Session {
	if s := all.find(path, sample); s != nil {
		s.refresh()
		return s
	}
	s := all.Active
	if !s.Empty() {
		s = all.newSession()
		all.All = append(all.All, s)
	}
	s.Path, s.Sample, s.Problem = path, sample, nil
	return s
}

// find returns the session that has a file open, nil if none has.
func (all *Sessions) find(path string, sample bool) *Session {
	i := slices.IndexFunc(all.All, func(s *Session) bool { return s.is(path, sample) })
	if i < 0 {
		return nil
	}
	return all.All[i]
}

// examine examines the files of sessions that are loaded later: their sizes, and which of them are folders.
func (all *Sessions) examine(opened []*Session) {
	paths := make([]string, len(opened))
	for i, s := range opened {
		paths[i] = s.Path
	}
	all.Background.Go(func(ctx context.Context) func() {
		for i, s := range opened {
			stamp, err := files.Examine(ctx, paths[i])
			all.Background.Post(func() {
				switch {
				case s.State() != describe.Waiting:
				case err != nil:
					s.known = true
					s.fail(err)
				default:
					s.examined(stamp)
				}
			})
		}
		return nil
	})
}

// examined takes what is known of the session's file. If another session has it open by another path, that is shown in
// the place of this one.
func (s *Session) examined(stamp files.Stamp) {
	s.stamp, s.known = stamp, true
	all := s.all
	at := slices.Index(all.All, s)
	in := slices.IndexFunc(all.All, func(other *Session) bool {
		return other != s && !other.Sample && files.SameFile(other.stamp, stamp)
	})
	if s.Doc != nil || s.kept != nil || at < 0 || in < 0 {
		return
	}
	s.stopLoading()
	other := all.All[in]
	all.All = slices.Delete(all.All, at, at+1)
	other.refresh()
	if s == all.Active {
		all.Activate(other)
	}
}

// unfold opens the snapshots of a folder in the place of the session that was for the folder.
func (all *Sessions) unfold(s *Session, folder *files.Folder) {
	i := slices.Index(all.All, s)
	switch {
	case i < 0:
		return // closed meanwhile
	case len(folder.Files) == 0:
		s.Problem = &describe.Problem{Title: "Nothing to open in " + filepath.Base(folder.Path), Path: folder.Path,
			What:   "No file in this folder is a snapshot.",
			Advice: "Folders in it are not searched: open the one that holds them."}
		return
	}
	if all.OnMany != nil {
		if page := all.OnMany(folder); page != nil {
			s.Page, s.Path, s.Problem = page, "", nil
			return
		}
	}
	var found, fresh []*Session
	for _, path := range folder.Files {
		in := all.find(path, false)
		if in == nil {
			in = all.newSession()
			in.Path = path
			fresh = append(fresh, in)
		}
		found = append(found, in)
	}
	all.All = slices.Replace(all.All, i, i+1, fresh...)
	if s == all.Active {
		all.Activate(found[0])
	}
	all.examine(fresh)
	if text := folder.Notice(); text != "" {
		all.Active.SayFor(text, 20*time.Second)
	}
}

// Activate shows a session, and loads its file if that is not loaded.
func (all *Sessions) Activate(s *Session) {
	all.Active = s
	if s.looked == 0 {
		all.remember(s)
	}
	all.looks++
	s.looked = all.looks
	s.settle()
	if s.State() == describe.Waiting {
		s.Load()
	}
}

// remember reports a file that is shown for the first time. Files that were loaded ahead are not reported before:
// a folder of many would push everything else off the list of recent files.
func (all *Sessions) remember(s *Session) {
	if s.Doc != nil && !s.Doc.Sample && all.OnOpened != nil {
		all.OnOpened(s.Doc.Path)
	}
}

// Close closes a session; if it is the active one, next is shown in its place.
func (all *Sessions) Close(s, next *Session) {
	i := slices.Index(all.All, s)
	if i < 0 {
		return
	}
	s.unload()
	s.Problem = nil
	all.All = slices.Delete(all.All, i, i+1)
	if s.Path != "" {
		s.place = i
		all.closed = append(all.closed, s)
		if len(all.closed) > closedLimit {
			all.closed = slices.Delete(all.closed, 0, 1)
		}
	}
	if len(all.All) == 0 {
		next = all.newSession()
		all.All = []*Session{next}
	}
	if s == all.Active {
		all.Activate(next)
	}
}

// CloseOthers closes all sessions but the active one.
func (all *Sessions) CloseOthers() {
	for _, s := range slices.Clone(all.All) {
		if s != all.Active {
			all.Close(s, all.Active)
		}
	}
}

// Neighbour returns the session that takes the place of the active one when that closes: the next, else the previous.
func (all *Sessions) Neighbour() *Session {
	i := slices.Index(all.All, all.Active)
	if i+1 < len(all.All) {
		return all.All[i+1]
	}
	return all.All[max(0, i-1)]
}

// lookedBefore returns the session that was shown before the active one.
func (all *Sessions) lookedBefore() *Session {
	best := all.Neighbour()
	for _, s := range all.All {
		if s != all.Active && s.looked > best.looked {
			best = s
		}
	}
	return best
}

// CanReopen reports whether there is a closed session to open again.
func (all *Sessions) CanReopen() bool { return len(all.closed) > 0 }

// Reopen opens the session again that was closed last, at its place and as it was.
func (all *Sessions) Reopen() {
	s := all.closed[len(all.closed)-1]
	all.closed = all.closed[:len(all.closed)-1]
	if other := all.find(s.Path, s.Sample); other != nil { // opened again since
		all.Activate(other)
		return
	}
	s.evicted = false
	if a := all.Active; a.Empty() && a.Path == "" {
		all.All[slices.Index(all.All, a)] = s
	} else {
		all.All = slices.Insert(all.All, min(s.place, len(all.All)), s)
	}
	all.Activate(s)
}

// Step shows the session so many places to the right, around the ends.
func (all *Sessions) Step(by int) {
	n := len(all.All)
	all.Activate(all.All[((slices.Index(all.All, all.Active)+by)%n+n)%n])
}

// Holds reports whether a session is open or can be opened again.
func (all *Sessions) Holds(s *Session) bool {
	return slices.Contains(all.All, s) || slices.Contains(all.closed, s)
}

// forget drops the pictures of a timeline that is no longer shown.
func (all *Sessions) forget(gone *layout.Timeline) {
	all.Tiles.Forget(func(t *layout.Timeline) bool { return t != gone })
}
