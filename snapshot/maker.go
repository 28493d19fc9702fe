package snapshot

import (
	"slices"
	"strings"

	"strata/snapshot/pickle"
)

// The values of Source.Maker (FORMAT.md, section 7).
const (
	MakerROCm = "ROCm"
	MakerXPU  = "XPU"
	MakerNPU  = "torch_npu"
)

// Writer is who wrote the file, such as "PyTorch 2.5–2.7", "PyTorch ≥ 2.10 for XPU" or "torch_npu"; "" if unknown.
func (s *Source) Writer() string {
	switch {
	case s.Maker == MakerNPU:
		return MakerNPU
	case s.Maker == "" && s.Version == "":
		return ""
	}
	text := "PyTorch"
	if s.Version != "" {
		text += " " + s.Version
	}
	if s.Maker != "" {
		text += " for " + s.Maker
	}
	return text
}

// Memory is the Python module that records snapshots for the device: "torch.cuda.memory", which is ROCm's too.
func (s *Source) Memory() string {
	switch s.Maker {
	case MakerNPU:
		return "torch_npu.npu.memory"
	case MakerXPU:
		return "torch.xpu.memory"
	}
	return "torch.cuda.memory"
}

// Advise replaces the module in a line of Python, written for CUDA, by the maker's.
func (s *Source) Advise(advice string) string {
	return strings.ReplaceAll(advice, "torch.cuda.memory", s.Memory())
}

// makers are the names in frames that tell a maker.
var makers = []struct {
	maker string
	names []string
}{
	{MakerNPU, []string{"/torch_npu/", "torch_npu::", "c10_npu::", "at_npu::", "libtorch_npu"}},
	{MakerROCm, []string{"c10::hip", "HIPCachingAllocator", "c10/hip/", "libtorch_hip", "libc10_hip", "ATen/hip/"}},
	{MakerXPU, []string{"c10::xpu", "XPUCachingAllocator", "c10/xpu/", "libtorch_xpu", "libc10_xpu",
		"/torch/xpu/memory.py"}},
}

// maker tells which backend wrote the file (FORMAT.md, section 7); "" for CUDA.
func (b *builder) maker(s *Snapshot) string {
	for i := range s.Frames.Name {
		name, file := s.Strings[s.Frames.Name[i]], s.Strings[s.Frames.File[i]]
		for _, m := range makers {
			if containsAny(name, m.names) || containsAny(strings.ReplaceAll(file, "\\", "/"), m.names) {
				return m.maker
			}
		}
	}
	has := func(key string) bool {
		return slices.ContainsFunc(s.Settings, func(x Setting) bool { return x.Key == key })
	}
	_, workspace := s.find(ActionWorkspaceSnapshot)
	switch {
	case workspace:
		return MakerNPU
	case has("pinned_use_hip_host_register"), has("PYTORCH_HIP_ALLOC_CONF"):
		return MakerROCm
	case has("PYTORCH_ALLOC_CONF") && !has("PYTORCH_CUDA_ALLOC_CONF") && !has("max_split_size"):
		return MakerXPU
	case !b.evidence.time && !b.root.hasSettings && !b.root.hasAnnotations && s.roundsAsNPU():
		return MakerNPU
	}
	return ""
}

// find returns a device that has an event of an action.
func (s *Snapshot) find(a Action) (*Device, bool) {
	for i := range s.Devices {
		if slices.Contains(s.Devices[i].Events.Action, a) {
			return &s.Devices[i], true
		}
	}
	return nil, false
}

// roundsAsNPU reports whether the blocks in use were rounded as torch_npu does and CUDA does not (FORMAT.md, section
// 2.4).
func (s *Snapshot) roundsAsNPU() bool {
	npu, cuda := 0, 0
	for i := range s.Devices {
		b := &s.Devices[i].Blocks
		for k, size := range b.Size {
			up := func(n int64) bool { return size == (n+511)/512*512 }
			if n := b.Requested[k]; b.State[k] == BlockAllocated && !(up(n) && up(n+32)) {
				switch {
				case up(n + 32):
					npu++
				case up(n):
					cuda++
				}
			}
		}
	}
	return npu > 0 && cuda == 0
}

// version guesses which PyTorch wrote the file by what is in it (FORMAT.md, section 1.3).
func (b *builder) version(maker string) string {
	r, e := &b.root, &b.evidence
	switch {
	case maker == MakerNPU:
		return "" // its versions have other signs
	case e.internalMetadata:
		return "> 2.14"
	case e.annotate:
		return "≥ 2.14"
	case r.hasHost:
		return "≥ 2.13"
	case e.poolID:
		return "2.12"
	case e.userMetadata:
		return "2.10–2.11"
	case maker == MakerXPU:
		return "≥ 2.10"
	case e.compileContext && e.graphReuse:
		return "2.9"
	case e.compileContext:
		return "2.8–2.9"
	case r.hasAnnotations && b.events.n == 0: // what came later is written on events
		return "≥ 2.5"
	case r.hasAnnotations:
		return "2.5–2.7"
	case r.hasSettings && b.events.n == 0:
		return "≥ 2.3"
	case r.hasSettings:
		return "2.3–2.4"
	case r.isList && e.blockAddr:
		return "≥ 2.1"
	case r.isList:
		return "≤ 1.13"
	case e.time:
		return "2.2"
	case e.history && !e.blockAddr:
		return "2.0"
	case e.blockFrames && b.events.n == 0:
		return "≥ 2.1"
	case e.blockFrames:
		return "2.1"
	}
	return ""
}

// deviceLists are the traces by device: a list of lists in all releases; a dict by device and a single list of events
// are taken as well.
func (b *builder) deviceLists(traces pickle.Value) (devices []int, lists []pickle.Value) {
	add := func(device int, v pickle.Value) {
		switch {
		case v.IsList():
			devices, lists = append(devices, device), append(lists, v)
		case v != pickle.None:
			b.root.strange++
		}
	}
	switch {
	case traces.IsDict():
		b.root.form = "a dict by device"
		for i, kv := range dictEntries(b.h.Pairs(traces)) {
			add(b.deviceOf(kv[0], i), kv[1])
		}
	case b.firstClass(traces) == classEvent:
		b.root.form = "one list of events"
		add(b.onlyDevice(), traces)
	default:
		for i := range b.h.Len(traces) {
			add(i, b.h.At(traces, i))
		}
	}
	return devices, lists
}

// onlyDevice is the device of all segments, 0 where they have several.
func (b *builder) onlyDevice() int {
	for i := range b.segments {
		if b.segments[i].device != b.segments[0].device {
			return 0
		}
	}
	if len(b.segments) > 0 && b.segments[0].device == int64(int32(b.segments[0].device)) {
		return int(max(b.segments[0].device, 0))
	}
	return 0
}

// deviceOf is the device that the key of a dict names, as 1 or "cuda:1", else i.
func (b *builder) deviceOf(key pickle.Value, i int) int {
	n, ok := b.integer(key)
	if id, isText := key.IsString(); isText {
		text := b.h.Text(id)
		digits := text[len(strings.TrimRight(text, "0123456789")):]
		n, ok = 0, digits != "" && len(digits) < 5
		for _, c := range digits {
			n = 10*n + int64(c-'0')
		}
	}
	if ok && n >= 0 && n < 1<<16 {
		return int(n)
	}
	return i
}

// asList is a list of segments, also where they come in a dict, by device or one by one.
func (b *builder) asList(v pickle.Value) (pickle.Value, error) {
	class, _, _ := v.Record()
	if !v.IsDict() && class != classSegment {
		return v, nil
	}
	list := b.h.NewList()
	items := []pickle.Value{v}
	if v.IsDict() {
		items = nil
		for _, kv := range dictEntries(b.h.Pairs(v)) {
			if !kv[1].IsList() {
				items = append(items, kv[1])
				continue
			}
			if err := b.h.Charge(8 * b.h.Len(kv[1])); err != nil {
				return v, err
			}
			for i := range b.h.Len(kv[1]) {
				items = append(items, b.h.At(kv[1], i))
			}
		}
	}
	return list, b.h.Append(list, items)
}

// firstClass is the class of the first item of a list, 0 if it is no record.
func (b *builder) firstClass(v pickle.Value) uint8 {
	if b.h.Len(v) == 0 {
		return 0
	}
	class, _, _ := b.h.At(v, 0).Record()
	return class
}
