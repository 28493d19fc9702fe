package cli

import (
	"strconv"
	"strings"

	"strata/app/hub"
	"strata/app/options"
	"strata/layout"
	"strata/layout/capacity"
	"strata/render/colour"
)

// The flags for what a snapshot does not say: the GPU it is from, the memory
// outside of PyTorch, the model.
var (
	gpuOption    = option{long: "gpu", arg: "NAME", help: "draw a line at the memory of this GPU: a name\nsuch as H100 or A100-80, or an amount: 79.1GiB", set: setGPU}
	offsetOption = option{long: "offset", arg: "MIB", help: "add this much to every total, for memory that the\nsnapshot does not know of (default: 0)", set: setOffset}
	colourOption = option{long: "colour", arg: "MEANING", help: "what the colours mean: " + colourWords(), set: setColour}
	modelOptions = []option{
		{long: "model", arg: "ID", help: "name tensor shapes by the dimensions of this model:\na hub ID such as org/name, a folder, a config.json", set: setModel},
		{long: "vocab-size", arg: "N", help: "its vocabulary size, over what its config says", set: setVocab},
		{long: "quantized", help: "consider int8, fp8 and 4-bit tensors too", set: func(c *Command, _ string) string { c.Quantized = true; return "" }},
	}
)

// The flags for which annotations the lane above the timeline shows.
var annotationOptions = []option{
	{long: "all-annotations", help: "show the framework's own annotations too: those of\ndynamo, inductor, autotuning and the profiler", set: func(c *Command, _ string) string { c.AllAnnotations = true; return "" }},
	{long: "annotation-filter", arg: "TEXT", help: "show only annotations with this in their name, or\nthat match /regex/", set: setAnnotationFilter},
}

// colourWord is a meaning of the colours as --colour takes it.
func colourWord(m colour.Mode) string { return strings.ReplaceAll(m.String(), " ", "-") }

// colourWords lists them, in lines.
func colourWords() string {
	var all []string
	for _, m := range colour.Modes() {
		all = append(all, colourWord(m))
	}
	half := len(all) / 2
	return strings.Join(all[:half], ", ") + ",\n" + strings.Join(all[half:len(all)-1], ", ") + " or " + all[len(all)-1]
}

func setColour(c *Command, v string) string {
	for _, m := range colour.Modes() {
		if v == colourWord(m) || v == m.String() {
			c.Colour, c.ColourGiven = m, true
			return ""
		}
	}
	return "the colours mean " + strings.ReplaceAll(colourWords(), "\n", " ")
}

func setAnnotationFilter(c *Command, v string) string {
	if _, err := layout.MatchNames(v); err != nil {
		return err.Error()
	}
	c.AnnotationFilter = v
	return ""
}

func setGPU(c *Command, v string) string {
	found, err := capacity.Find(v)
	if err != nil {
		return err.Error()
	}
	c.GPU = found
	return ""
}

func setOffset(c *Command, v string) string {
	var err error
	if c.Offset, err = options.ParseOffset(v); err != nil {
		return err.Error()
	}
	return ""
}

func setModel(c *Command, v string) string {
	if _, err := hub.ParseID(v); err != nil {
		return "it is neither a folder or file here nor a hub ID such as org/name"
	}
	c.Model = v
	return ""
}

func setVocab(c *Command, v string) string {
	n, err := strconv.ParseInt(v, 10, 32)
	if err != nil || n < 1 {
		return "it is a number of tokens, such as 128256"
	}
	c.VocabSize = n
	return ""
}
