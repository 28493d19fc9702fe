package report

import (
	"strata/layout/explain"
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
