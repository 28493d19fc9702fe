package app

import (
	"time"

	"strata/render"
)

// A history is the views one can go back and forward through.
type history struct {
	views []render.View
	at    int // index of the view on screen
	last  time.Time
}

// Views that follow each other faster are one step, at most so many are kept.
const (
	oneGesture   = 700 * time.Millisecond
	historyLimit = 200
)

// reset starts anew with a view.
func (h *history) reset(v render.View) { *h = history{views: []render.View{v}} }

// add remembers a view; what was ahead is forgotten.
func (h *history) add(v render.View, now time.Time) {
	if len(h.views) > 0 && h.views[h.at] == v {
		return
	}
	h.views = h.views[:min(len(h.views), h.at+1)]
	if len(h.views) > 1 && now.Sub(h.last) < oneGesture {
		h.views[h.at] = v
	} else {
		h.views = append(h.views, v)
		if len(h.views) > historyLimit {
			h.views = append(h.views[:0], h.views[1:]...)
		}
		h.at = len(h.views) - 1
	}
	h.last = now
}

func (h *history) canBack() bool    { return h.at > 0 }
func (h *history) canForward() bool { return h.at+1 < len(h.views) }

// move goes by steps through the views; it must be possible.
func (h *history) move(by int) render.View {
	h.at += by
	h.last = time.Time{}
	return h.views[h.at]
}
