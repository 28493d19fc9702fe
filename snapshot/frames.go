package snapshot

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"strata/snapshot/kineto"
	"strata/snapshot/pickle"
)

// Names and files of frames that say nothing about who asked for the memory (FORMAT.md, section 4.4).
var (
	noiseNames = []string{"unwind::unwind", "CapturedTraceback::gather", "gather_with_cpp", "_start",
		"__libc_start_main", "PyEval_", "PyObject_", "PyFunction_"}
	noiseFiles = []string{"core/boxing", "/Register", "/Redispatch", "pythonrun.c", "Modules/main.c", "Objects/call.c",
		"Objects/methodobject.c", "pycore_ceval.h", "ceval.c", "cpython/abstract.h"}
)

// IsNoise reports whether a frame is one of those PyTorch's own viewer hides: unwinding, the interpreter's
// machinery, boxing (FORMAT.md, section 4.4).
func (s *Snapshot) IsNoise(f FrameID) bool {
	return containsAny(s.Strings[s.Frames.Name[f]], noiseNames) || containsAny(s.Strings[s.Frames.File[f]], noiseFiles)
}

func containsAny(s string, subs []string) bool {
	return slices.ContainsFunc(subs, func(sub string) bool { return strings.Contains(s, sub) })
}

// IsFramework reports whether a frame belongs to installed code (torch, site-packages, the standard library), to
// the interpreter or to C++, rather than to the user's own program. Noise is framework too.
func (s *Snapshot) IsFramework(f FrameID) bool {
	return s.IsNoise(f) || !s.isOwn(s.FileOf(f))
}

// FileOf is a frame's file. Snapshots made of a profiler run have it in the name, as in
// "torch/nn/modules/linear.py(130): forward" (FORMAT.md, section 7.5).
func (s *Snapshot) FileOf(f FrameID) string {
	file := s.Strings[s.Frames.File[f]]
	if file == "none" {
		name := s.Strings[s.Frames.Name[f]]
		if i := strings.Index(name, ".py("); i > 0 {
			return name[:i+len(".py")]
		}
	}
	return file
}

// OwnCode is what a person says is their own code, or is not, before the rules that [Snapshot.IsFramework] has for
// everybody: parts of file names. The zero value says nothing.
type OwnCode struct {
	Own, Framework []string
}

// ParseOwnCode reads parts of file names between commas; those with a minus in front are of a framework.
func ParseOwnCode(text string) (o OwnCode) {
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		switch rest, minus := strings.CutPrefix(part, "-"); {
		case rest == "":
		case minus:
			o.Framework = append(o.Framework, rest)
		default:
			o.Own = append(o.Own, part)
		}
	}
	return o
}

// String is the text that ParseOwnCode reads.
func (o OwnCode) String() string {
	parts := append([]string{}, o.Own...)
	for _, f := range o.Framework {
		parts = append(parts, "-"+f)
	}
	return strings.Join(parts, ", ")
}

// IsZero reports whether nothing is said.
func (o OwnCode) IsZero() bool { return len(o.Own)+len(o.Framework) == 0 }

// WithOwnCode returns the snapshot with other rules of what is own code: a copy with call sites of its own, that shares
// all else.
func (s *Snapshot) WithOwnCode(o OwnCode) *Snapshot {
	if o.IsZero() {
		return s
	}
	c := *s
	c.own = o
	c.Stacks.Site = c.sites()
	return &c
}

// isOwn reports whether a file name is that of the user's own code: by their rules, else by what Python installs where.
func (s *Snapshot) isOwn(file string) bool {
	switch {
	case containsAny(file, s.own.Framework):
		return false
	case containsAny(file, s.own.Own):
		return true
	}
	return isUserFile(file)
}

// isUserFile reports whether a file name is that of the user's own Python.
func isUserFile(file string) bool {
	file = strings.ReplaceAll(file, "\\", "/")
	if strings.HasPrefix(file, "<ipython-input-") {
		return true
	}
	if !strings.HasSuffix(file, ".py") && !strings.HasSuffix(file, ".ipynb") {
		return false // C++, "??", "<frozen runpy>", "<string>", none
	}
	if strings.HasPrefix(file, "torch/") || isGenerated(file) {
		return false
	}
	return !containsAny(file, installed) && !isStdlib(file)
}

// installed are parts of the paths of installed packages.
var installed = []string{"/site-packages/", "/dist-packages/", "/torch/_", "/torch/nn/", "/torch/optim/",
	"/torch/utils/", "/torch/autograd/", "/torch/cuda/", "/torch/distributed/", "/_pytest/"}

// isGenerated reports whether a file is one that a compiler wrote: in a cache of inductor, triton or vLLM, wherever it
// lies, or named as inductor names its files, ab/cab….py with a hash in base 32 (FORMAT.md, section 4.4).
func isGenerated(file string) bool {
	dirs := strings.Split(file, "/")
	for _, d := range dirs {
		switch d {
		case "torchinductor", "inductor_cache", "torch_compile_cache", "torch_aot_compile", ".triton", "triton_cache":
			return true
		}
		if strings.HasPrefix(d, "torchinductor_") || strings.HasPrefix(d, "<eval_with_key>") {
			return true
		}
	}
	if len(dirs) < 2 {
		return false
	}
	name, shard := strings.TrimSuffix(dirs[len(dirs)-1], ".py"), dirs[len(dirs)-2]
	return len(name) > 40 && len(shard) == 2 && strings.HasPrefix(name, "c"+shard) &&
		strings.Trim(name, "abcdefghijklmnopqrstuvwxyz234567") == ""
}

// isStdlib recognizes …/lib/python3.12/…, …/Lib/… of Windows installations.
func isStdlib(file string) bool {
	for i, rest := range strings.Split(file, "/lib/python") {
		if i > 0 && rest != "" && rest[0] >= '0' && rest[0] <= '9' {
			return true
		}
	}
	windows := strings.Contains(file, "/Lib/") &&
		(strings.Contains(file, "/Python3") || strings.Contains(file, "conda") || strings.Contains(file, "/envs/"))
	return windows || strings.Contains(file, "/lib64/python3")
}

// The ranks of frames as the site of an allocation, best first.
const (
	siteUser     = iota // the user's own Python
	siteLibrary         // installed Python, but the standard library's
	siteBackward        // C++: the step of a backward pass, as MmBackward0::apply
	siteOperator        // C++: the call of an operator, as at::_ops::mm::call
	siteOther
	siteNoise
)

func (s *Snapshot) siteRank(f FrameID) uint8 {
	file, name := s.FileOf(f), s.Strings[s.Frames.Name[f]]
	switch {
	case s.IsNoise(f) || s.IsHeading(f):
		return siteNoise
	case s.IsTrace() && file == "" && strings.Contains(name, "::"):
		return siteOperator
	case s.isOwn(file):
		return siteUser
	case strings.HasSuffix(file, ".py") && (!isStdlib(file) || strings.Contains(file, "-packages/")):
		return siteLibrary
	case strings.Contains(name, "torch::autograd::") && strings.Contains(name, "::apply("):
		return siteBackward
	case strings.Contains(name, "at::_ops::") && strings.Contains(name, "::call("):
		return siteOperator
	}
	return siteOther
}

// sites returns the site of every stack: the innermost of its frames with the best rank, but the outermost of
// operators, which is the one that was called. A stack of noise has none.
func (s *Snapshot) sites() []FrameID {
	rank := make([]uint8, len(s.Frames.Name))
	for f := 1; f < len(rank); f++ {
		rank[f] = s.siteRank(FrameID(f))
	}
	out := make([]FrameID, s.Stacks.Len())
	for i := range out {
		best := uint8(siteNoise)
		for _, f := range s.Stacks.Of(StackID(i)) {
			if r := rank[f]; r < best || r == siteOperator && r == best {
				best, out[i] = r, f
				if r == siteUser {
					break
				}
			}
		}
	}
	return out
}

// StackText is a stack as text, innermost frame first, each as "file:line function" with its torch.fx fields on lines
// below. With hideFramework it has only the user's own frames or, if there are none, those that are no noise. Lines of
// forward_frames are as in the file. The empty stack has no lines.
func (s *Snapshot) StackText(id StackID, hideFramework bool) []string {
	frames := s.Stacks.Of(id)
	if hideFramework {
		hidden := func(f FrameID) bool { return !s.isTextFrame(f) && !s.IsHeading(f) && s.IsFramework(f) }
		kept := slices.DeleteFunc(slices.Clone(frames), hidden)
		if len(kept) == 0 {
			kept = slices.DeleteFunc(slices.Clone(frames), s.IsNoise)
		}
		if len(kept) > 0 {
			frames = kept
		}
	}
	var out []string
	for _, f := range frames {
		out = append(out, s.frameLines(f)...)
	}
	return out
}

// IsHeading reports whether a frame of a trace is none, but says what those after it are.
func (s *Snapshot) IsHeading(f FrameID) bool {
	if !s.IsTrace() || s.Frames.File[f] != 0 {
		return false
	}
	name := s.Strings[s.Frames.Name[f]]
	return strings.HasPrefix(name, kineto.ForwardOf) || name == kineto.CalledBy
}

// isTextFrame reports whether a frame is a line of forward_frames.
func (s *Snapshot) isTextFrame(f FrameID) bool {
	return s.Frames.File[f] == 0 && s.Frames.Line[f] == 0 && strings.HasPrefix(s.Strings[s.Frames.Name[f]], "  File ")
}

// FrameText is one frame as "file:line function".
func (s *Snapshot) FrameText(f FrameID) string {
	name, file, line := s.Strings[s.Frames.Name[f]], s.Strings[s.Frames.File[f]], s.Frames.Line[f]
	switch {
	case file == "":
		return name
	case line == 0:
		return file + " " + name
	}
	return file + ":" + strconv.Itoa(int(line)) + " " + name
}

// FrameLabel is one frame as "file.py:12 function", without the file's folders, and of a C++ function with its short
// name alone.
func (s *Snapshot) FrameLabel(f FrameID) string {
	file := s.Strings[s.Frames.File[f]]
	file = file[strings.LastIndexAny(file, `/\`)+1:]
	if line := s.Frames.Line[f]; line > 0 {
		file += ":" + strconv.Itoa(int(line))
	}
	name := ShortFunction(s.Strings[s.Frames.Name[f]])
	switch {
	case name == "":
		return file
	case file == "" || file == "??":
		return name
	}
	return file + " " + name
}

func (s *Snapshot) frameLines(f FrameID) []string {
	out := strings.Split(s.FrameText(f), "\n")
	node, code := s.FX(f)
	if node != "" {
		out = append(out, "    >> FX: "+node)
	}
	if len(code) > 0 {
		out = append(out, "    >> Original model code:")
		for _, l := range code {
			out = append(out, "       "+l)
		}
	}
	return out
}

// FX is what augment_with_fx_traces added to a frame: the node, and the lines of the model's own code that it was
// made from. Both are empty for most frames.
func (s *Snapshot) FX(f FrameID) (node string, code []string) {
	fx, ok := s.Frames.FX[f]
	if !ok {
		return "", nil
	}
	var parts []string
	for _, p := range []struct {
		label string
		id    StringID
	}{{"node", fx.Node}, {"op", fx.Op}, {"target", fx.Target}} {
		if p.id != 0 {
			parts = append(parts, p.label+"="+s.Strings[p.id])
		}
	}
	if fx.OriginalTrace != 0 {
		for l := range strings.Lines(strings.TrimSpace(s.Strings[fx.OriginalTrace])) {
			code = append(code, strings.TrimSpace(l))
		}
	}
	return strings.Join(parts, ", "), code
}

// A stackTable interns call stacks by content: files have millions of references to a few thousand distinct stacks.
type stackTable struct {
	start []uint32
	frame []FrameID
	id    map[string]StackID // by the bytes of their frames
	buf   []FrameID          // the current stack
}

// add returns the id of the stack with the given frames.
func (t *stackTable) add(h *pickle.Heap, frames []FrameID) StackID {
	if len(frames) == 0 {
		return 0
	}
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(frames))), len(frames)*int(unsafe.Sizeof(frames[0])))
	if id, ok := t.id[string(bytes)]; ok {
		return id
	}
	if uint64(len(t.frame)+len(frames)) > 1<<32-1 {
		h.Spend(math.MaxInt)
		return 0
	}
	id := StackID(len(t.start) - 1)
	t.frame = append(t.frame, frames...)
	t.start = append(t.start, uint32(len(t.frame)))
	t.id[string(bytes)] = id
	h.Spend(8*len(frames) + 48)
	return id
}

// stack returns the stack of a list or tuple of frames, or of the text lines of forward_frames. Everything else is
// the empty stack. The list is replaced by the stack's record, which all that share the list then find.
func (b *builder) stack(v pickle.Value) StackID {
	v = b.h.Resolve(v)
	if class, n, ok := v.Record(); ok {
		if class == classStack {
			return StackID(n)
		}
		return 0
	}
	if !v.IsList() {
		return 0
	}
	buf := b.stacks.buf[:0]
	for _, f := range b.h.Items(v) {
		if class, n, ok := f.Record(); ok && class == classFrame {
			buf = append(buf, FrameID(n))
			continue
		}
		if id, ok := f.IsString(); ok {
			buf = append(buf, b.textLine(id))
		}
	}
	b.stacks.buf = buf
	id := b.stacks.add(b.h, buf)
	b.h.SealList(v, pickle.Record(classStack, uint64(id)))
	return id
}

// textLine makes a frame of one preformatted line of forward_frames.
func (b *builder) textLine(id uint32) FrameID {
	if f, ok := b.textFrame[id]; ok {
		return f
	}
	f := b.frameFor(frameKey{name: b.intern(clean(strings.TrimRight(b.h.Text(id), "\n")))})
	b.textFrame[id] = f
	return f
}
