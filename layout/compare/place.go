// Package compare finds the groups of one timeline again in another one, of another run, version or machine: by what
// names them, never by their numbers. It says in words how the two differ.
package compare

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"

	"strata/layout"
	"strata/snapshot"
)

// A place is a line of code of one of the two snapshots, with what helps to know it again.
type place struct {
	file     int32 // of side.files
	function int32 // of code.names
	line     int32
	text     string // the function's name in full, which of C++ tells more

	calls, callers []int32 // of code.names: what is right below and above it on stacks, a few of them
	telling        int32   // of code.names: the function with the name of its file
	largest        int64   // block that it is the call site of, bytes
	bytes          int64   // that it allocated in all
}

// side is what is known of one of the two.
type side struct {
	t      *layout.Timeline
	files  []file
	places []place
	of     []int32 // the place of each frame
}

// A file is a source file.
type file struct {
	name   string
	inside string   // the path within what is installed, "" of other files
	parts  []string // the path's folders and name
	places map[int32][]int32
}

// mostKnown is how many callers and callees of a place are remembered.
const mostKnown = 8

func newSide(t *layout.Timeline, name func(string) int32) *side {
	s := t.Snapshot
	d := &side{t: t, of: make([]int32, len(s.Frames.Name))}
	files := map[string]int32{}
	type key struct {
		file, line int32
		text       string
	}
	known := map[key]int32{}
	for f := range d.of {
		path, function, line := parts(s, snapshot.FrameID(f))
		at, is := files[path]
		if !is {
			at = int32(len(d.files))
			files[path] = at
			d.files = append(d.files, newFile(path))
		}
		k := key{at, line, function}
		p, is := known[k]
		if !is {
			p = int32(len(d.places))
			known[k] = p
			short := name(snapshot.ShortFunction(function))
			parts := d.files[at].parts
			telling := name(parts[len(parts)-1] + " " + snapshot.ShortFunction(function))
			d.places = append(d.places, place{file: at, line: line, text: function, function: short, telling: telling})
			d.files[at].places[short] = append(d.files[at].places[short], p)
		}
		d.of[f] = p
	}
	for i := range d.files {
		for _, list := range d.files[i].places {
			slices.SortFunc(list, func(a, b int32) int {
				x, y := &d.places[a], &d.places[b]
				return cmp.Or(cmp.Compare(x.line, y.line), strings.Compare(x.text, y.text))
			})
		}
	}
	d.look()
	return d
}

// parts is the file, the function and the line of a frame, also where a profiler wrote all of them into the name.
func parts(s *snapshot.Snapshot, f snapshot.FrameID) (file, function string, line int32) {
	file, function, line = s.FileOf(f), s.Strings[s.Frames.Name[f]], int32(s.Frames.Line[f])
	if rest, is := strings.CutPrefix(function, file+"("); is && file != "" {
		if n, name, is := strings.Cut(rest, "): "); is {
			if v, err := strconv.ParseInt(n, 10, 32); err == nil {
				function, line = name, int32(v)
			}
		}
	}
	if file == "??" {
		file = ""
	}
	return file, function, line
}

// newFile reads a path, of any system.
func newFile(name string) file {
	slashed := path.Clean(strings.ReplaceAll(name, `\`, "/"))
	f := file{name: name, places: map[int32][]int32{}}
	for _, root := range [...]string{"/site-packages/", "/dist-packages/"} {
		if i := strings.LastIndex(slashed, root); i >= 0 {
			f.inside = slashed[i+len(root):]
		}
	}
	if _, rest, is := strings.Cut(slashed, "/lib/python"); is && f.inside == "" {
		_, f.inside, _ = strings.Cut(rest, "/") // the version
	}
	f.parts = strings.Split(strings.Trim(slashed, "/"), "/")
	if f.inside != "" {
		f.parts = strings.Split(f.inside, "/")
	}
	return f
}

// look learns about places from the stacks that they are on. Of C++ only the calls of operators tell something that
// stacks of Python alone do not contradict.
func (d *side) look() {
	s := d.t.Snapshot
	tells := make([]bool, len(d.places))
	for i := range d.places {
		p := &d.places[i]
		tells[i] = strings.HasSuffix(d.files[p.file].name, ".py") || strings.Contains(p.text, "at::_ops::")
	}
	add := func(list *[]int32, p int32) {
		if p != none && len(*list) < mostKnown && !slices.Contains(*list, d.places[p].telling) {
			*list = append(*list, d.places[p].telling)
		}
	}
	stacks := &s.Stacks
	for id := range stacks.Len() {
		frames := stacks.Of(snapshot.StackID(id))
		below, above := int32(none), int32(none)
		for i := range frames {
			p := d.of[frames[i]]
			add(&d.places[p].calls, below)
			if tells[p] {
				below = p
			}
			p = d.of[frames[len(frames)-1-i]]
			add(&d.places[p].callers, above)
			if tells[p] {
				above = p
			}
		}
	}
	for id, size := range d.t.Size {
		if site := stacks.Site[d.t.StackOf(layout.ID(id))]; site != 0 {
			p := &d.places[d.of[site]]
			p.largest = max(p.largest, size)
			p.bytes += size
		}
	}
}

// overlap is 1 if two short lists have something in common or are both empty, a half if only one is, else 0.
func overlap(a, b []int32) float64 {
	switch {
	case len(a)+len(b) == 0, slices.ContainsFunc(a, func(x int32) bool { return slices.Contains(b, x) }):
		return 1
	case len(a) == 0 || len(b) == 0:
		return .5
	}
	return 0
}
