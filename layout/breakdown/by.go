package breakdown

import (
	"path"
	"strings"

	"strata/layout"
	"strata/layout/units"
	"strata/snapshot"
)

// By is what memory is grouped by.
type By uint8

// The groupings. Those by code look at the call site: the innermost frame of the program's own code, or the most
// telling other one where a stack has none (snapshot.Stacks.Site).
const (
	ByCallSite By = iota // its line of code
	ByFunction
	ByFile
	ByPackage // the directory of its file, as Python would import it
	ByStack   // the whole stack
	ByPhase   // the innermost annotation in force at the alloc
	ByCategory
	BySize
	ByShape
	ByStream
	ByPool
	// Those that only traces of torch.profiler tell of.
	ByOperator // the outermost one
	ByModule   // the innermost torch.nn.Module
	ByStep
	ByThread
)

var byNames = [...]string{"call site", "function", "file", "package", "stack", "phase", "category", "size", "shape",
	"stream", "pool", "operator", "module", "step", "thread"}

// In reports whether a snapshot tells of what memory is grouped by.
func (by By) In(s *snapshot.Snapshot) bool {
	if s.Source.Reader == snapshot.ReaderTimeline {
		return by == ByCategory
	}
	switch by {
	case ByStream, ByPool:
		return !s.IsTrace()
	case ByOperator, ByModule, ByStep, ByThread:
		return s.IsTrace()
	}
	return true
}

// String is the name of a grouping in lower case: "call site".
func (by By) String() string { return byNames[by] }

// All returns all groupings, in the order of menus.
func All() []By {
	all := make([]By, len(byNames))
	for i := range all {
		all[i] = By(i)
	}
	return all
}

// Names of groups of memory that cannot be told more of.
const (
	BeforeRecording = "before recording" // it was there before the first event, its stack is not known
	NoStack         = "no stack"         // it was allocated while recording, without a stack
	NoPhase         = "no annotation"
	NotTold         = "not told" // of an operator, module, step or thread
)

// A key tells a group from the others of a Grouping; id depends on By: a frame, a stack, a string and so on.
type key struct {
	kind keyKind
	id   int64
}

// keyKind tells groups apart that have no id of their own.
type keyKind uint8

const (
	known keyKind = iota
	beforeRecording
	noStack
	noPhase
	notTold
)

// A namer knows the keys of allocations, and the names of keys.
type namer struct {
	t     *layout.Timeline
	by    By
	opt   *Options
	texts []string // that ids of ByFunction, ByFile, ByPackage, ByPhase and ByShape index
	ids   map[string]int64
}

// intern is the number of a text in texts.
func (n *namer) intern(text string) int64 {
	id, is := n.ids[text]
	if !is {
		id = int64(len(n.texts))
		n.texts, n.ids[text] = append(n.texts, text), id
	}
	return id
}

// keyOf returns what gives each allocation its key.
func (n *namer) keyOf() func(layout.ID) key {
	t := n.t
	n.ids = map[string]int64{}
	switch n.by {
	case ByStack:
		return n.byStack(func(stack snapshot.StackID) (int64, bool) { return int64(stack), true })
	case ByFunction:
		return n.bySite(memo(func(f snapshot.FrameID) int64 { return n.intern(n.function(f)) }))
	case ByFile:
		return n.bySite(memo(func(f snapshot.FrameID) int64 { return n.intern(n.file(f)) }))
	case ByPackage:
		return n.bySite(memo(func(f snapshot.FrameID) int64 { return n.intern(Package(t.Snapshot.FileOf(f))) }))
	case ByPhase:
		return n.phase
	case ByCategory:
		return func(id layout.ID) key { return key{id: int64(n.opt.Category(id))} }
	case BySize:
		return func(id layout.ID) key { return key{id: t.Size[id]} }
	case ByShape:
		shape := memo(func(size int64) int64 { return n.intern(n.opt.Shape(size)) })
		sum := n.intern("not one allocation")
		return func(id layout.ID) key {
			if t.IsSum(id) {
				return key{id: sum}
			}
			return key{id: shape(t.Size[id])}
		}
	case ByStream:
		return func(id layout.ID) key { return key{id: int64(t.StreamOf(id))} }
	case ByPool:
		return func(id layout.ID) key { return key{id: int64(t.PoolOf(id))} }
	case ByOperator:
		return n.byMeta(func(m snapshot.Meta) snapshot.StringID { return m.Op })
	case ByModule:
		return n.byMeta(func(m snapshot.Meta) snapshot.StringID { return m.Module })
	case ByStep:
		return n.byMeta(func(m snapshot.Meta) snapshot.StringID { return m.Step })
	case ByThread:
		return n.byMeta(func(m snapshot.Meta) snapshot.StringID { return m.Thread })
	}
	return n.bySite(func(f snapshot.FrameID) int64 { return int64(f) })
}

// memo remembers what f answered.
func memo[K comparable](f func(K) int64) func(K) int64 {
	known := map[K]int64{}
	return func(k K) int64 {
		v, is := known[k]
		if !is {
			v = f(k)
			known[k] = v
		}
		return v
	}
}

// byStack gives a key to each allocation by its stack, which id may have nothing to say of.
func (n *namer) byStack(id func(snapshot.StackID) (int64, bool)) func(layout.ID) key {
	t := n.t
	return func(a layout.ID) key {
		before := t.BeforeRecording(a)
		if stack := t.StackOf(a); stack != 0 && !(before && t.KnownByFree(a)) {
			if v, is := id(stack); is {
				return key{id: v}
			}
		}
		if before {
			return key{kind: beforeRecording}
		}
		return key{kind: noStack}
	}
}

// byMeta gives a key to each allocation by a text that its event has.
func (n *namer) byMeta(text func(snapshot.Meta) snapshot.StringID) func(layout.ID) key {
	t := n.t
	return func(a layout.ID) key {
		before := t.BeforeRecording(a)
		switch id := text(t.MetaOf(a)); {
		case id != 0 && !before:
			return key{id: n.intern(t.Snapshot.Strings[id])}
		case before:
			return key{kind: beforeRecording}
		}
		return key{kind: notTold}
	}
}

// bySite gives a key to each allocation by its call site.
func (n *namer) bySite(id func(snapshot.FrameID) int64) func(layout.ID) key {
	sites := n.t.Snapshot.Stacks.Site
	return n.byStack(func(stack snapshot.StackID) (int64, bool) {
		if sites[stack] == 0 {
			return 0, false
		}
		return id(sites[stack]), true
	})
}

// phase is the key of an allocation by the annotation in force when it came.
func (n *namer) phase(id layout.ID) key {
	t := n.t
	if t.BeforeRecording(id) {
		return key{kind: beforeRecording}
	}
	if t.HasTime() && n.opt.Phases != nil {
		if p := n.opt.Phases.At(t.TimeOf(int(t.Birth[id] - 1))); p != nil {
			return key{id: n.intern(p.Name)}
		}
	}
	return key{kind: noPhase}
}

func (n *namer) file(f snapshot.FrameID) string {
	if file := n.t.Snapshot.FileOf(f); file != "" {
		return file
	}
	return "no file"
}

// function is "FILE FUNCTION".
func (n *namer) function(f snapshot.FrameID) string {
	s := n.t.Snapshot
	name := s.Strings[s.Frames.Name[f]]
	if file := s.Strings[s.Frames.File[f]]; file != "" {
		return file + " " + name
	}
	return name
}

// Package is the directory of a Python file as one would import it: what lies behind site-packages or lib/python3.x,
// with dots. Other directories stay as they are, and so does the name of a file without any.
func Package(file string) string {
	if !strings.Contains(file, ".py") { // C++, "??", "<frozen runpy>"
		return "no package"
	}
	dir := path.Dir(strings.ReplaceAll(file, `\`, "/"))
	if dir == "." {
		return file
	}
	for _, root := range [...]string{"site-packages", "dist-packages"} {
		if _, inside, is := strings.Cut(dir+"/", "/"+root+"/"); is {
			if inside == "" {
				return root
			}
			return strings.ReplaceAll(strings.TrimSuffix(inside, "/"), "/", ".")
		}
	}
	if _, inside, is := strings.Cut(dir, "/lib/python"); is {
		version, inside, _ := strings.Cut(inside, "/")
		return strings.TrimSuffix("python"+version+"."+strings.ReplaceAll(inside, "/", "."), ".")
	}
	return dir
}

// Name is the name of a group in full: a call site is "FILE:LINE FUNCTION".
func (g *Grouping) Name(group int32) string {
	k, s := g.keys[group], g.Timeline.Snapshot
	switch k.kind {
	case beforeRecording:
		return BeforeRecording
	case noStack:
		return NoStack
	case noPhase:
		return NoPhase
	case notTold:
		return NotTold
	}
	switch g.By {
	case ByCallSite:
		return s.FrameText(snapshot.FrameID(k.id))
	case ByStack:
		return strings.Join(s.StackText(snapshot.StackID(k.id), false), " < ")
	case ByCategory:
		return g.names.opt.Categories[k.id]
	case BySize:
		return units.ExactBytes(k.id)
	case ByStream:
		return layout.StreamName(s, snapshot.StreamID(k.id))
	case ByPool:
		return layout.PoolTitle(layout.PoolName(s, snapshot.PoolID(k.id)))
	}
	return g.names.texts[k.id]
}

// Label is the name of a group as tables have it: of C++ functions the short name, of a call site or function the last
// part of its path.
func (g *Grouping) Label(group int32) string {
	k := g.keys[group]
	if k.kind == known {
		switch g.By {
		case ByCategory:
			if told := g.Told(group); told != "" {
				return g.Name(group) + " (" + told + ")"
			}
		case ByCallSite:
			return g.Timeline.Snapshot.FrameLabel(snapshot.FrameID(k.id))
		case ByFunction:
			file, name, _ := strings.Cut(g.names.texts[k.id], " ")
			return strings.TrimPrefix(path.Base(file)+" "+snapshot.ShortFunction(name), "?? ")
		}
	}
	return g.Name(group)
}

// Told is how the category of a group ByCategory was told, "" of other groups.
func (g *Grouping) Told(group int32) string {
	if told := g.names.opt.CategoryTold; told != nil && g.By == ByCategory {
		return told(int32(g.keys[group].id))
	}
	return ""
}

// Stack is the stack of a group ByStack, 0 if it has none.
func (g *Grouping) Stack(group int32) snapshot.StackID {
	if k := g.keys[group]; g.By == ByStack && k.kind == known {
		return snapshot.StackID(k.id)
	}
	return 0
}
