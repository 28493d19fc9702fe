package pages

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"

	"strata/app/session"
	"strata/app/wall"
	"strata/layout/breakdown"
	"strata/layout/category"
	"strata/layout/ranks"
	"strata/layout/units"
	"strata/snapshot/cache"
)

// Order is how a wall is sorted.
type Order uint8

// The orders.
const (
	ByRank Order = iota
	ByPeak
	ByDistance
	orders
)

// Orders are all of them.
func Orders() []Order { return []Order{ByRank, ByPeak, ByDistance} }

// String is what menus call it.
func (o Order) String() string { return [orders]string{"rank", "peak", "distance from the others"}[o] }

// A Wall is many snapshots, each reduced to a small chart and some figures, which arrive while files are read.
type Wall struct {
	Paths []string // files, and folders to search

	sessions *session.Sessions
	order    Order
	run      int // counts what was begun and stopped: of an older run no file is taken
	begun    int // counts what was begun: of what was begun before nothing is shown
	cancel   context.CancelFunc
	of       wallKey

	names   []string
	more    bool
	files   []*ranks.File // nil where it is not read yet
	read    int
	problem string
	done    bool

	building bool
	built    int // how many files Shown has
	shown    *Shown
	selected []string
}

// wallKey is what digests depend on.
type wallKey struct {
	by    breakdown.By
	own   string
	rules *category.Rules
}

// Shown is a wall with the files that were read so far. It is immutable.
type Shown struct {
	*ranks.Wall
	Names []string // of Ranks: what tells the files apart
	Sorts [orders][]int
}

// NewWall begins to read a wall.
func NewWall(all *session.Sessions, paths ...string) *Wall {
	return &Wall{sessions: all, Paths: paths}
}

// Title is what the tab is called.
func (w *Wall) Title() string {
	if len(w.Paths) == 1 {
		return "Ranks in " + filepath.Base(w.Paths[0])
	}
	return units.Plural(len(w.Paths), "rank")
}

// Close stops reading.
func (w *Wall) Close() {
	w.run++
	if w.cancel != nil {
		w.cancel()
		w.cancel = nil
	}
}

// Cancel stops reading; what was read stays.
func (w *Wall) Cancel() {
	w.Close()
	w.done = true
}

// Refresh begins to read where that is needed, and takes what has arrived. It is called before each frame.
func (w *Wall) Refresh() {
	o := w.sessions.Options
	want := wallKey{o.GroupBy, o.OwnCode.String(), o.Categories}
	if w.run == 0 || want != w.of {
		w.of = want
		w.begin()
	}
	if w.building || w.read == w.built {
		return
	}
	w.building = true
	files := slices.DeleteFunc(slices.Clone(w.files), func(f *ranks.File) bool { return f == nil })
	begun := w.begun
	w.sessions.Background.Go(func(context.Context) func() {
		shown := newShown(files)
		return func() {
			w.building = false
			if begun == w.begun {
				w.shown, w.built = shown, len(files)
			}
		}
	})
}

// Reload reads again what has changed, and what is new.
func (w *Wall) Reload() { w.begin() }

// begin reads all files anew; those that were reduced before come from the cache.
func (w *Wall) begin() {
	w.Close()
	w.begun++
	w.read, w.built, w.done, w.problem = 0, 0, false, ""
	run, log := w.run, w.sessions.Log
	opt := *w.sessions.Options
	paths := w.Paths
	post := func(f func()) {
		w.sessions.Background.Post(func() {
			if run == w.run {
				f()
			}
		})
	}
	w.cancel = w.sessions.Background.Go(func(ctx context.Context) func() {
		names, more, err := wall.List(ctx, paths)
		if err == nil {
			post(func() { w.names, w.more, w.files = names, more, make([]*ranks.File, len(names)) })
			r := wall.NewReader(&opt, log, cache.Options{Disabled: opt.NoCache})
			err = r.Read(ctx, names, func(i int, f *ranks.File) {
				post(func() {
					w.files[i] = f
					w.read++
				})
			})
		}
		stopped := ctx.Err() != nil
		return func() {
			if run == w.run {
				w.done = true
				if err != nil && !stopped {
					w.problem = err.Error()
				}
			}
		}
	})
}

func newShown(files []*ranks.File) *Shown {
	ranks.Sort(files)
	paths := make([]string, len(files))
	for i, f := range files {
		paths[i] = f.Name
	}
	s := &Shown{Wall: ranks.NewWall(files)}
	short := map[*ranks.File]string{}
	for i, name := range wall.Names(paths) {
		short[files[i]] = name
	}
	for i := range s.Ranks {
		s.Names = append(s.Names, short[s.Ranks[i].File])
	}
	for o := range s.Sorts {
		order := make([]int, len(s.Ranks))
		for i := range order {
			order[i] = i
		}
		by := func(i int) int64 {
			switch r := &s.Ranks[i]; {
			case Order(o) == ByRank:
				return 0
			case r.Digest == nil:
				return -1 << 62 // at the end
			case Order(o) == ByPeak:
				return r.Digest.Peak
			case r.Reason != "": // the odd ones first
				return 1<<61 + max(r.Apart, -r.Apart)
			default:
				return max(r.Apart, -r.Apart)
			}
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(by(b), by(a)) })
		s.Sorts[o] = order
	}
	return s
}

// Shown is what has arrived, nil while nothing has.
func (w *Wall) Shown() *Shown { return w.shown }

// Order is how it is sorted.
func (w *Wall) Order() Order { return w.order }

// SetOrder sorts it in another way.
func (w *Wall) SetOrder(o Order) { w.order = o }

// Reading reports whether files are still being read, and how many of how many are; all is 0 while that is not known.
func (w *Wall) Reading() (read, all int, is bool) { return w.read, len(w.names), !w.done }

// Note says why there is nothing to see, or what is not shown; "" for nothing.
func (w *Wall) Note() string {
	switch {
	case w.problem != "":
		return session.Sentence(w.problem)
	case w.more:
		return "There are more than the first " + units.Count(len(w.names)) + " snapshots"
	}
	return ""
}

// Select selects a rank by its place in Shown, or no longer: two at most, the one before goes.
func (w *Wall) Select(i int) {
	path := w.shown.Ranks[i].File.Name
	if at := slices.Index(w.selected, path); at >= 0 {
		w.selected = slices.Delete(w.selected, at, at+1)
		return
	}
	w.selected = append(w.selected, path)
	if len(w.selected) > 2 {
		w.selected = w.selected[1:]
	}
}

// Selected reports whether a rank's file is selected.
func (w *Wall) Selected(i int) bool { return slices.Contains(w.selected, w.shown.Ranks[i].File.Name) }

// Two are the paths of the two selected files; false where there are not two.
func (w *Wall) Two() (a, b string, ok bool) {
	if len(w.selected) != 2 {
		return "", "", false
	}
	return w.selected[0], w.selected[1], true
}

// Unselect selects none; it reports whether any was.
func (w *Wall) Unselect() bool {
	was := len(w.selected) > 0
	w.selected = nil
	return was
}

// Complete reports whether all that was read is Shown.
func (w *Wall) Complete() bool { return w.done && !w.building && w.read == w.built && w.shown != nil }
