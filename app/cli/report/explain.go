package report

import (
	"fmt"

	"strata/app/cli/terminal"
	"strata/layout/explain"
	"strata/layout/units"
	"strata/snapshot"
)

// An Explanation says why a request failed, as scripts read it: keys may be added, none is renamed. Sizes are in bytes.
type Explanation struct {
	Device    int              `json:"device"`
	Event     int              `json:"event"`
	Number    int              `json:"number"`
	Count     int              `json:"count"`
	Cause     string           `json:"cause"`
	Sentences []sentenceReport `json:"sentences"`
	Pinned    []pinnedReport   `json:"pinned"`
	OOM       *OOM             `json:"oom"`
}

type sentenceReport struct {
	Fact   string `json:"fact"`
	Text   string `json:"text"`
	Advice string `json:"advice,omitempty"`
	Bytes  figure `json:"bytes"`
}

type pinnedReport struct {
	Address any         `json:"address"`
	Size    figure      `json:"size"`
	Free    figure      `json:"free"`
	Blocks  []pinReport `json:"blocks"`
}

type pinReport struct {
	Address  any    `json:"address"`
	Size     figure `json:"size"`
	Line     string `json:"line"`
	Recorded bool   `json:"recorded"` // false: it is from before the recording
}

// NewExplanation reports why a request of a device failed.
func NewExplanation(x *explain.Explanation, d *snapshot.Device) *Explanation {
	r := &Explanation{Device: d.Index, Event: x.OOM.State.K, Number: x.Number, Count: x.Count, Cause: string(x.Cause),
		Pinned: []pinnedReport{}, OOM: NewOOM(x.OOM)}
	for _, s := range x.Sentences {
		r.Sentences = append(r.Sentences, sentenceReport{string(s.Fact), s.Text, s.Advice, figure(s.Bytes)})
	}
	for i := range x.OOM.Pinned[:min(MostPinned, len(x.OOM.Pinned))] {
		g := &x.OOM.Pinned[i]
		p := pinnedReport{Address: address(g.Addr), Size: figure(g.Size), Free: figure(g.Free), Blocks: []pinReport{}}
		for _, pin := range explain.Pins(x.OOM.State, g) {
			p.Blocks = append(p.Blocks, pinReport{address(pin.Block.Addr), figure(pin.Block.Occupied), pin.Line,
				!pin.Old})
		}
		r.Pinned = append(r.Pinned, p)
	}
	return r
}

// mostPins is how many blocks of a segment are told.
const mostPins = 8

// A Kept is a segment that few blocks keep, in words that can be printed.
type Kept struct {
	Title string
	Pins  []PinText
	More  string // how many other blocks, "" for none
}

// PinText is a block that keeps a segment: its size and where it is from.
type PinText struct{ Size, Name string }

// Explained is an explanation in words that can be printed: what it is about, the line whose request failed, the
// sentences and their advice, and the first segments that few blocks keep.
func Explained(x *explain.Explanation) (title string, paragraphs []string, kept []Kept) {
	h := x.OOM.State.History
	title = fmt.Sprintf("%s, event %s: out of memory, %d of %d", h.Device.Title(),
		units.Count(x.OOM.State.K), x.Number, x.Count)
	say := func(text string) {
		if text != "" {
			paragraphs = append(paragraphs, terminal.Printable(text))
		}
	}
	if frame := h.Snapshot.Stacks.Site[h.Device.Events.Stack[x.OOM.Event]]; frame != 0 {
		say(h.Snapshot.FrameText(frame))
	}
	for _, s := range x.Sentences {
		say(s.Text)
		say(s.Advice)
	}
	for i := range x.OOM.Pinned[:min(MostPinned, len(x.OOM.Pinned))] {
		g := &x.OOM.Pinned[i]
		k := Kept{Title: fmt.Sprintf("segment %x: %s of %s free, kept by", g.Addr, units.Bytes(g.Free),
			units.Bytes(g.Size))}
		pins := explain.Pins(x.OOM.State, g)
		for _, p := range pins[:min(mostPins, len(pins))] {
			k.Pins = append(k.Pins, PinText{units.Bytes(p.Block.Occupied), pinText(p)})
		}
		if more := len(pins) - mostPins; more > 0 {
			k.More = units.Plural(more, "other")
		}
		kept = append(kept, k)
	}
	return title, paragraphs, kept
}

// pinText says where a block that keeps a segment is from.
func pinText(p explain.Pin) string {
	text := terminal.Clip(p.Line, 200)
	if text == "" {
		text = "no stack"
	}
	if p.Old {
		text += ", from before the recording"
	}
	return text
}
