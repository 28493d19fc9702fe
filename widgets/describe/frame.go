package describe

import (
	"path"
	"strconv"
	"strings"

	"strata/layout"
	"strata/snapshot"
)

// A Frame is one stack frame in words.
type Frame struct {
	Place    string // "model.py:57", or the function where the file is unknown
	Function string // "" where Place is it
	Folder   string // the last two folders, "…/code/models/"; "" if unknown
}

// FrameAt puts a frame into words.
func FrameAt(s *snapshot.Snapshot, f snapshot.FrameID) Frame {
	file, name := s.Strings[s.Frames.File[f]], s.Strings[s.Frames.Name[f]]
	fr := Frame{Function: name}
	if file == "" || file == "??" || file == "none" {
		return Frame{Place: name}
	}
	slashed := strings.ReplaceAll(file, `\`, "/")
	dir, base := path.Split(slashed)
	fr.Place, fr.Folder = base, lastFolders(dir)
	if line := s.Frames.Line[f]; line > 0 {
		fr.Place += ":" + strconv.Itoa(int(line))
	}
	return fr
}

// lastFolders shortens a folder to what tells files apart: the whole path is
// on the clipboard when the stack is copied.
func lastFolders(dir string) string {
	end := strings.TrimSuffix(dir, "/")
	i := strings.LastIndexByte(end, '/')
	if i > 0 {
		i = strings.LastIndexByte(end[:i], '/')
	}
	if i <= 0 {
		return dir
	}
	return "…" + dir[i:]
}

// SiteText is the line of the user's own code that asked: "model.py:57 forward".
func SiteText(s *snapshot.Snapshot, stack snapshot.StackID) string {
	if int(stack) >= len(s.Stacks.Site) {
		return ""
	}
	f := s.Stacks.Site[stack]
	if f == 0 {
		if stack == 0 || len(s.Stacks.Of(stack)) == 0 {
			return "no stack recorded"
		}
		f = s.Stacks.Of(stack)[0]
	}
	fr := FrameAt(s, f)
	return strings.TrimSpace(fr.Place + " " + fr.Function)
}

// StackText is a call stack as plain text, one frame a line, innermost first, with or without the framework's frames;
// "" for the empty stack.
func StackText(s *snapshot.Snapshot, stack snapshot.StackID, hideFramework bool) string {
	lines := s.StackText(stack, hideFramework)
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}

// Extras is what an allocation carries beside its stack.
type Extras struct {
	Meta    snapshot.MetaID
	Forward snapshot.StackID // the frames of the forward pass that led to it
}

// ExtrasOf finds what was recorded of an allocation beside its stack.
func ExtrasOf(t *layout.Timeline, a *layout.Allocation) Extras {
	e := Extras{Meta: a.Meta, Forward: t.Snapshot.Metas[a.Meta].Forward}
	if e.Forward == 0 && a.Block >= 0 && t.Options.Mode != layout.Segments && t.Device.Blocks.Forward != nil {
		e.Forward = t.Device.Blocks.Forward[a.Block]
	}
	return e
}

// MetaNotes are the texts of an event's metadata, each with what it is.
func MetaNotes(s *snapshot.Snapshot, id snapshot.MetaID) [][2]string {
	var found [][2]string
	m := &s.Metas[id]
	for _, n := range [...]struct {
		title string
		text  snapshot.StringID
	}{{"User metadata", m.User}, {"Compile context", m.CompileContext}, {"Category", m.Category}, {"Internal metadata", m.Internal}} {
		if n.text != 0 && s.Strings[n.text] != "" {
			found = append(found, [2]string{n.title, strings.TrimSpace(s.Strings[n.text])})
		}
	}
	return found
}

// ForwardLines are the frames of the forward pass, as the file has them.
func ForwardLines(s *snapshot.Snapshot, stack snapshot.StackID) []string {
	var lines []string
	for _, l := range s.StackText(stack, false) {
		lines = append(lines, strings.TrimRight(l, "\n "))
	}
	return lines
}
