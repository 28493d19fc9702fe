package snapshot

import (
	"slices"
	"strings"
	"testing"
)

// framesOf makes a snapshot with one stack of frames "file:name", innermost first.
func framesOf(frames ...string) *Snapshot {
	s := &Snapshot{Strings: []string{""}, Frames: Frames{Name: []StringID{0}, File: []StringID{0}, Line: []int32{0},
		FX: map[FrameID]FX{}}}
	str := func(x string) StringID {
		if i := slices.Index(s.Strings, x); i >= 0 {
			return StringID(i)
		}
		s.Strings = append(s.Strings, x)
		return StringID(len(s.Strings) - 1)
	}
	s.Stacks.Start = []uint32{0, 0}
	for i, f := range frames {
		file, name, _ := strings.Cut(f, "|")
		s.Frames.File = append(s.Frames.File, str(file))
		s.Frames.Name = append(s.Frames.Name, str(name))
		s.Frames.Line = append(s.Frames.Line, int32(10*i))
		s.Stacks.Frame = append(s.Stacks.Frame, FrameID(i+1))
	}
	s.Stacks.Start = append(s.Stacks.Start, uint32(len(frames)))
	s.Stacks.Site = s.sites()
	return s
}

// TestKindsOfFrames: noise, framework, and the user's own, one by one.
func TestKindsOfFrames(t *testing.T) {
	for _, c := range []struct {
		frame            string
		noise, framework bool
	}{
		{"/srv/train/model.py|forward", false, false}, {"model.py|forward", false, false},
		{"C:\\work\\model.py|f", false, false},
		{"/tmp/ipykernel_114/3105878423.py|<module>", false, false}, {"<ipython-input-3-abc>|<module>", false, false},
		{"/content/nb.ipynb|f", false, false},
		{"/home/u/my_torch_project/train.py|f", false, false}, {"/home/u/torchinductor.py|f", false, false},
		{"/usr/lib/python3.12/threading.py|run", false, true}, {"/opt/venv/lib/python3.12/site-packages/x/y.py|f",
			false, true},
		{"/usr/lib/python3/dist-packages/torch/nn/modules/module.py|_call_impl", false, true},
		{"/opt/pytorch/torch/nn/functional.py|linear", false, true},
		{"C:\\Python311\\Lib\\threading.py|run", false, true}, {"C:\\miniconda3\\Lib\\threading.py|run", false, true},
		{"torch/nn/modules/linear.py|forward", false, true}, {"none|torch/nn/modules/linear.py(130): forward", false,
			true}, {"none|train.py(3): main", false, false},
		{"/tmp/torchinductor_u/xy/cab.py|call", false, true},
		{"/home/u/.cache/torchinductor/xy/cxyz.py|call", false, true},
		{"/root/.cache/vllm/torch_compile_cache/9f3/rank_0_0/inductor_cache/ab/cabc.py|call", false, true},
		{"/root/.cache/vllm/torch_compile_cache/9f3/rank_0_0/transformed_code.py|forward", false, true},
		{"/home/u/.triton/cache/ABC/kernel.py|kernel", false, true}, {"/scratch/triton_cache/ABC/k.py|k", false, true},
		{"/scratch/mine/q7/cq7abcdefghijklmnopqrstuvwxyz234567abcdefghijklmnopq.py|call", false, true},
		{"/scratch/mine/q7/cq7_train.py|main", false, false}, {"/home/u/ca/ccache.py|f", false, false},
		{"<eval_with_key>.12|forward", false, true}, {"<eval_with_key>.3.py|forward", false, true},
		{"C:\\Users\\u\\AppData\\torchinductor_u\\xy\\cxy.py|call", false, true},
		{"<frozen runpy>|_run", false, true},
		{"<string>|f", false, true}, {"??|at::empty", false, true},
		{"|c10::malloc", false, true}, {"??|torch::unwind::unwind()", true, true}, {"x.py|my_start", true, true},
		{"/p/ceval.c|_PyEval_EvalFrameDefault", true, true},
		{"RegisterCUDA_0.cpp|at::f", false, true}, {"build/aten/src/ATen/RegisterCUDA.cpp|at::f", true, true},
		{"Objects/call.c|vectorcall", true, true},
	} {
		s := framesOf(c.frame)
		if s.IsNoise(1) != c.noise || s.IsFramework(1) != c.framework {
			t.Errorf("%s: noise %v, framework %v", c.frame, s.IsNoise(1), s.IsFramework(1))
		}
	}
}

// TestSites: the frame that names a stack.
func TestSites(t *testing.T) {
	const (
		unwind = "??|torch::unwind::unwind()"
		malloc = "CUDACachingAllocator.cpp|c10::cuda::CUDACachingAllocator::Native::DeviceCachingAllocator::malloc(i" +
			"nt)"
		inner   = "??|at::_ops::empty::call(int)"
		outer   = "??|at::_ops::mm::call(at::Tensor)"
		apply   = "??|torch::autograd::generated::MmBackward0::apply(std::vector)"
		torch   = "/v/lib/python3.12/site-packages/torch/nn/modules/linear.py|forward"
		stdlib  = "/v/lib/python3.12/threading.py|run"
		user    = "/srv/train/model.py|forward"
		outside = "/srv/train/main.py|main"
	)
	for _, c := range []struct {
		stack []string
		want  int // position of the site, -1 for none
	}{
		{nil, -1}, {[]string{unwind}, -1}, {[]string{unwind, malloc}, 1}, {[]string{unwind, malloc, inner, outer}, 3},
		{[]string{unwind, malloc, inner, outer, apply}, 4}, {[]string{malloc, apply, torch}, 2},
		{[]string{malloc, torch, stdlib}, 1}, {[]string{malloc, stdlib}, 0},
		{[]string{unwind, malloc, inner, torch, user, torch, outside}, 4}, {[]string{outside}, 0},
	} {
		s := framesOf(c.stack...)
		if got := int(s.Stacks.Site[1]) - 1; got != c.want {
			t.Errorf("%q: %d, want %d", c.stack, got, c.want)
		}
	}
}

// TestStackText: all of it, and without the framework.
func TestStackText(t *testing.T) {
	s := framesOf("??|torch::unwind::unwind()", "/v/site-packages/torch/x.py|f", "a.py|g",
		"|  File \"b.py\", line 1, in h\n    x = 1")
	s.Frames.FX[3] = FX{Op: s.Frames.Name[2], OriginalTrace: s.Frames.Name[4]}
	all := []string{"?? torch::unwind::unwind()", "/v/site-packages/torch/x.py:10 f", "a.py:20 g", "    >> FX: op=f",
		"    >> Original model code:", "       File \"b.py\", line 1, in h", "       x = 1",
		`:30   File "b.py", line 1, in h`, "    x = 1"}
	s.Frames.Line[4] = 0
	all[7] = `  File "b.py", line 1, in h`
	if got := s.StackText(1, false); !slices.Equal(got, all) {
		t.Errorf("%q", got)
	}
	if got := s.StackText(1, true); !slices.Equal(got, all[2:]) {
		t.Errorf("%q", got)
	}
	if got := s.StackText(0, true); len(got) != 0 {
		t.Errorf("%q", got)
	}
	s = framesOf("??|torch::unwind::unwind()", "/v/site-packages/torch/x.py|f")
	if got := s.StackText(1, true); !slices.Equal(got, []string{"/v/site-packages/torch/x.py:10 f"}) {
		t.Errorf("%q", got)
	}
}
