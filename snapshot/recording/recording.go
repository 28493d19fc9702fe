// Package recording tells how one records a snapshot: a page, and the code to begin with for each maker of GPUs.
package recording

import (
	_ "embed" // for the page's text
	"strings"
)

//go:embed recording.md
var text string

// A Block is a part of the page: what it is follows from its mark.
type Block struct {
	Mark Mark
	Text string // code ends with a newline
}

// Mark is the kind of a block.
type Mark uint8

// The kinds of blocks.
const (
	Paragraph Mark = iota
	Heading
	Point
	Code
)

// Page returns the page, taken apart.
func Page() []Block { return parse(text) }

// Makers returns what Snippet knows: PyTorch's names for the kinds of devices.
func Makers() []string { return []string{"cuda", "rocm", "xpu", "npu"} }

// Snippet returns the page's code that records on the devices of a maker, one of Makers, "" for another.
func Snippet(maker string) string {
	module := map[string]string{"cuda": "torch.cuda", "rocm": "torch.cuda", "xpu": "torch.xpu",
		"npu": "torch_npu.npu"}[maker]
	for _, b := range Page() {
		if b.Mark == Code && module != "" && strings.Contains(b.Text, module+".memory._record_memory_history") {
			return b.Text
		}
	}
	return ""
}

// parse takes a text apart. It knows the little of Markdown that is in ours.
func parse(text string) []Block {
	var page []Block
	blank := 0 // lines since the last block
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		last := Paragraph
		if len(page) > 0 {
			last = page[len(page)-1].Mark
		}
		code, isCode := strings.CutPrefix(line, "    ")
		heading, isHeading := strings.CutPrefix(line, "### ")
		point, isPoint := strings.CutPrefix(line, "- ")
		switch {
		case line == "":
			blank++
			continue
		case isCode && last == Code:
			page[len(page)-1].Text += strings.Repeat("\n", blank) + code + "\n"
		case isCode:
			page = append(page, Block{Code, code + "\n"})
		case isHeading:
			page = append(page, Block{Heading, heading})
		case isPoint:
			page = append(page, Block{Point, point})
		case blank == 0 && len(page) > 0 && (last == Paragraph || last == Point):
			page[len(page)-1].Text += " " + strings.TrimSpace(line)
		default:
			page = append(page, Block{Paragraph, line})
		}
		blank = 0
	}
	return page
}
