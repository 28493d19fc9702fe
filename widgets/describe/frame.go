package describe

import (
	"path"
	"strconv"
	"strings"

	"strata/snapshot"
)

// A Frame is one stack frame in words.
type Frame struct {
	Place    string // "model.py:57", or the function where the file is unknown
	Function string // "" where Place is it
	Full     string // the name in full, where a shorter one stands in its place; else ""
	Folder   string // the last two folders, "…/code/models/"; "" if unknown
}

// FrameAt puts a frame into words.
func FrameAt(s *snapshot.Snapshot, f snapshot.FrameID) Frame {
	file, name := s.Strings[s.Frames.File[f]], s.Strings[s.Frames.Name[f]]
	fr := Frame{Function: name}
	if !strings.HasSuffix(file, ".py") {
		if short := snapshot.ShortFunction(name); short != name {
			fr.Function, fr.Full = short, name
		}
	}
	if file == "" || file == "??" || file == "none" {
		return Frame{Place: fr.Function, Full: fr.Full}
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
