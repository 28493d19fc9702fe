package snapshot

import (
	"context"
	"slices"
	"strings"
	"testing"
)

// refusals are what the errors of cases say that cannot be opened.
var refusals = map[string]string{
	"zip_method_12":   "compressed with bzip2 (method 12), which Strata does not read. Unpack it first",
	"git_lfs_pointer": "a Git LFS pointer, not the file it stands for. git lfs pull fetches the 117.7 MiB file",
}

// secondLot checks the cases under "Second lot" in their README, as far as the reader can.
var secondLot = map[string]func(t *testing.T, s *Snapshot){
	"pending_before": func(t *testing.T, s *Snapshot) {
		if b := &s.Devices[0].Blocks; !slices.Contains(b.State, BlockPendingFree) {
			t.Errorf("states %v", b.State)
		}
	},
	"npu_rounding": func(t *testing.T, s *Snapshot) {
		wantText(t, s, "no-times", "torch_npu: no times recorded")
		if s.Source.Maker != MakerNPU || s.Source.Memory() != "torch_npu.npu.memory" {
			t.Errorf("maker %q", s.Source.Maker)
		}
		if s.finding("version").Title != "torch_npu" {
			t.Errorf("%+v", s.finding("version"))
		}
	},
	"list_root_new": func(t *testing.T, s *Snapshot) {
		f := s.finding("old-form")
		if s.Source.Version != "≥ 2.1" || f == nil || strings.Contains(f.Explain+f.Advice, "1.13") ||
			strings.Contains(f.Advice, "newer") || s.Devices[0].Index != 1 {
			t.Errorf("version %q, %+v", s.Source.Version, f)
		}
	},
	"traces_dict_int": func(t *testing.T, s *Snapshot) {
		wantText(t, s, "other-form", "a dict by device")
		wantEvents(7)(t, s)
	},
	"oom_two_devices": func(t *testing.T, s *Snapshot) {
		wantText(t, s, "oom", "GPU 0", "asked for 300.0 MiB", "had 100.0 MiB free", "train.py:12")
	},
	"oom_other_device": func(t *testing.T, s *Snapshot) {
		wantText(t, s, "oom", "on GPU 1", "asked for 50.0 MiB", "had 7.00 MiB free")
		if s.FirstDevice().Index != 1 {
			t.Errorf("GPU %d is first", s.FirstDevice().Index)
		}
	},
	"oom_retry": func(t *testing.T, s *Snapshot) {
		wantText(t, s, "oom", "The last of 6 requests", "105.0 MiB")
	},
	"host_only": func(t *testing.T, s *Snapshot) {
		wantText(t, s, "history-off", "GPU", "host memory alone")
		if s.FirstDevice() != s.Host {
			t.Errorf("device %d is first", s.FirstDevice().Index)
		}
	},
	"annotate_twice": func(t *testing.T, s *Snapshot) {
		d := &s.Devices[0]
		if !slices.Equal(d.Notes, []int32{1, 2}) || s.Strings[s.Metas[d.Events.Meta[2]].User] != "layer 3 weight" {
			t.Errorf("notes %v", d.Notes)
		}
	},
	"optimizer_phases_only": func(t *testing.T, s *Snapshot) {
		if len(s.Annotations) != 6 {
			t.Errorf("%d annotations", len(s.Annotations))
		}
	},
	"generated_code_site": func(t *testing.T, s *Snapshot) {
		for _, st := range s.Devices[0].Events.Stack {
			if site := s.FrameText(s.Stacks.Site[st]); st != 0 && !strings.HasPrefix(site,
				"/home/user/serve/model.py:") {
				t.Errorf("site %s", site)
			}
		}
	},
	"ring_10000": wantEvents(10_000),
	"skip_alloc": wantEvents(20),
	"two_in_one": func(t *testing.T, s *Snapshot) {
		wantText(t, s, "second-pickle", "Another pickle of 575 bytes follows")
	},
	"numpy_scalars":   wantEvents(7),
	"cut_zip":         wantEvents(607),
	"xz_named_pickle": wantEvents(7),
}

func wantEvents(n int) func(*testing.T, *Snapshot) {
	return func(t *testing.T, s *Snapshot) {
		if got := s.Devices[0].Events.Len(); got != n {
			t.Errorf("%d events, want %d", got, n)
		}
	}
}

// wantText checks that a finding holds texts in its title or explanation.
func wantText(t *testing.T, s *Snapshot, id string, texts ...string) {
	t.Helper()
	f := s.finding(id)
	if f == nil {
		t.Errorf("no %s in %+v", id, s.Findings)
		return
	}
	for _, text := range texts {
		if !strings.Contains(f.Title+". "+f.Explain, text) {
			t.Errorf("%+v does not say %q", f, text)
		}
	}
}

// TestMakers: real files are told by whom they were made.
func TestMakers(t *testing.T) {
	for file, want := range map[string]string{
		"npu-expandable": "torch_npu", "multi-gpu-oom-expandable": "PyTorch 2.8–2.9",
		"small-cpp-2.3":       "PyTorch 2.3–2.4",
		"training-cpp-frames": "PyTorch", "sim-base": "PyTorch",
	} {
		s, err := Open(context.Background(), shared(t, "snapshots", file+".pickle"), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Source.Writer(); !strings.HasPrefix(got, want) || strings.Contains(got, "for") {
			t.Errorf("%s was written by %s, want %s", file, got, want)
		}
		if f := s.finding("unknown-keys"); f != nil {
			t.Errorf("%s: %+v", file, f)
		}
	}
	frame := func(name, file string) *node { return dictOf("name", name, "filename", file, "line", 3) }
	event := dictOf("action", "alloc", "addr", 512, "size", 512, "stream", 0, "time_us", 5)
	for want, root := range map[string]*node{
		"PyTorch 2.3–2.4 for ROCm": dictOf("segments", listOf(), "device_traces", listOf(listOf(event)),
			"allocator_settings", dictOf("max_split_size", -1, "pinned_use_hip_host_register", false)),
		"PyTorch 2.2 for ROCm": dictOf("segments", listOf(), "device_traces",
			listOf(listOf(dictOf("action", "alloc", "addr", 512,
				"size", 512, "time_us", 5, "frames", listOf(frame("c10::hip::HIPCachingAllocator::malloc", "??")))))),
		"PyTorch ≥ 2.10 for XPU": dictOf("segments", listOf(), "device_traces", listOf(listOf(event)),
			"allocator_settings", dictOf("PYTORCH_ALLOC_CONF", "", "expandable_segments", false)),
		"torch_npu": dictOf("segments", listOf(), "device_traces",
			listOf(listOf(dictOf("action", "workspace_snapshot", "addr", 0,
				"size", 0)))),
	} {
		s := read(t, encode(root, form4))
		if got := s.Source.Writer(); got != want {
			t.Errorf("written by %s, want %s", got, want)
		}
		if want == "PyTorch ≥ 2.10 for XPU" && s.Source.Advise("torch.cuda.memory._x()") != "torch.xpu.memory._x()" {
			t.Error("XPU's module is torch.xpu.memory")
		}
	}
}

// TestOtherForms: traces and segments in forms that people make of them.
func TestOtherForms(t *testing.T) {
	ev := func(i int) *node { return dictOf("action", "alloc", "addr", 512*i, "size", 512, "stream", 0) }
	seg := func(device int) *node {
		return dictOf("device", device, "address", 4096, "total_size", 512, "blocks", listOf())
	}
	for name, c := range map[string]struct {
		root    *node
		devices []int
		events  int // of the last device
	}{
		"texts as devices": {dictOf("segments", listOf(), "device_traces", dictOf("cuda:1", listOf(ev(1)), "cuda:3",
			listOf(ev(1), ev(2)))), []int{1, 3}, 2},
		"numbers":     {dictOf("segments", listOf(), "device_traces", dictOf(2, listOf(ev(1)))), []int{2}, 1},
		"a flat list": {dictOf("segments", listOf(seg(3)), "device_traces", listOf(ev(1), ev(2))), []int{3}, 2},
		"segments by device": {dictOf("segments", dictOf(0, listOf(seg(0)), 1, listOf(seg(1))), "device_traces",
			listOf()), []int{0, 1}, 0},
		"segments by name": {dictOf("segments", dictOf("a", seg(0), "b", seg(1)), "device_traces", listOf()),
			[]int{0, 1}, 0},
		"traces alone": {listOf(listOf(ev(1)), listOf(ev(2), ev(3))), []int{0, 1}, 2},
		"events alone": {listOf(ev(1), ev(2)), []int{0}, 2},
		"tuples":       {dictOf("segments", tupleOf(seg(0)), "device_traces", tupleOf(tupleOf(ev(1)))), []int{0}, 1},
	} {
		for _, form := range allForms {
			s := read(t, encode(c.root, form))
			var devices []int
			for _, d := range s.Devices {
				devices = append(devices, d.Index)
			}
			if !slices.Equal(devices, c.devices) || s.Devices[len(devices)-1].Events.Len() != c.events ||
				len(s.warnings()) > 0 && s.finding("missing-segments") == nil {
				t.Errorf("%s, %v: devices %v, %+v", name, form, devices, s.Findings)
			}
		}
	}
	s := read(t, encode(dictOf("segments", listOf(), "device_traces", listOf(listOf(ev(1)), dictOf("odd", 1), nil)),
		form4))
	if f := s.finding("events-skipped"); f == nil || f.Count != 1 {
		t.Errorf("a dict in place of a trace: %+v", s.Findings)
	}
}

// TestUnknownKeys: keys that the format does not have are counted, whichever way their dicts are read.
func TestUnknownKeys(t *testing.T) {
	events := listOf()
	for i := range 20 {
		events.items = append(events.items, dictOf("action", "alloc", "addr", 512*i, "size", 512, "stream", 0,
			"colour", "red"))
	}
	for _, form := range allForms {
		s := read(t, encode(dictOf("segments", listOf(), "device_traces", listOf(events), "weather", 1), form))
		if f := s.finding("unknown-keys"); f == nil || f.Count != 21 ||
			!strings.Contains(f.Explain, `"colour" of events, "weather" of the file`) {
			t.Errorf("%v: %+v", form, f)
		}
	}
}
