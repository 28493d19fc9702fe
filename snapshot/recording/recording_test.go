package recording

import (
	"strings"
	"testing"
)

// TestPage: the page tells of each thing, and its code is of the parts it should be of.
func TestPage(t *testing.T) {
	for _, word := range []string{"max_entries", "stacks=", "global_record_annotations", "record_function",
		"_cuda_attach_out_of_memory_observer", "expandable_segments", "empty_cache", "_dump_snapshot"} {
		if !strings.Contains(text, word) {
			t.Errorf("nothing about %s", word)
		}
	}
}

// TestSnippets: each maker's code has that maker's names and no other's.
func TestSnippets(t *testing.T) {
	for maker, module := range map[string]string{
		"cuda": "torch.cuda.", "rocm": "torch.cuda.", "xpu": "torch.xpu.", "npu": "torch_npu.npu."} {
		code := Snippet(maker)
		for _, name := range []string{"_record_memory_history(", "_dump_snapshot("} {
			if !strings.Contains(code, module+"memory."+name) {
				t.Errorf("%s: no %s in\n%s", maker, name, code)
			}
		}
		if n := strings.Count(code, ".memory."); n != strings.Count(code, module+"memory.") || n != 3 {
			t.Errorf("%s: other modules in\n%s", maker, code)
		}
	}
	if Snippet("tpu") != "" {
		t.Error("code for a maker that is not known")
	}
}
