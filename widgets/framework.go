package widgets

import (
	"strings"

	"strata/snapshot"
)

// frameworkFolders mark Python files of PyTorch, its compiler and Python
// itself. Other libraries (transformers, vllm, …) are not hidden: their lines
// often are what one looks for.
var frameworkFolders = []string{
	"/site-packages/torch/", "/dist-packages/torch/", "/site-packages/triton/", "/dist-packages/triton/",
	"/site-packages/functorch/", "/torch/nn/modules/", "/torch/autograd/", "/torch/_",
	"/lib/python2", "/lib/python3",
}

// isFramework reports whether a frame is of PyTorch, Python or the C++
// runtime rather than of the person's program. Frames that are no Python are
// counted to the framework: C++ symbolizers name neither path nor owner.
func isFramework(s *snapshot.Snapshot, f snapshot.FrameID) bool {
	file := strings.ReplaceAll(s.Strings[s.Frames.File[f]], `\`, "/")
	switch {
	case strings.HasPrefix(file, "<frozen ") || strings.HasPrefix(file, "torch/"):
		return true
	case strings.HasPrefix(file, "<"):
		return false // a notebook's cell, exec'd code
	case !strings.HasSuffix(file, ".py"):
		return !isNotebook(file)
	}
	for _, p := range frameworkFolders {
		if i := strings.Index(file, p); i >= 0 && (!strings.HasPrefix(p, "/lib/python") || !strings.Contains(file[i:], "-packages/")) {
			return true
		}
	}
	return false
}

// isNotebook: IPython's cells have names without .py in some versions.
func isNotebook(file string) bool {
	return strings.Contains(file, "ipykernel_") || strings.Contains(file, "ipython-input")
}
