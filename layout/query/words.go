package query

import (
	"slices"
	"sync"

	"strata/layout/category"
)

// laneCategories is the categories of a device with the codes of their names, which all devices share.
type laneCategories struct {
	*category.Categories
	codes []int64
}

// words numbers texts that come up while queries run.
type words struct {
	mu  sync.Mutex
	all []string
}

// codes are the numbers of texts.
func (w *words) codes(texts []string) []int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	codes := make([]int64, len(texts))
	for i, text := range texts {
		n := slices.Index(w.all, text)
		if n < 0 {
			n = len(w.all)
			w.all = append(w.all, text)
		}
		codes[i] = int64(n)
	}
	return codes
}

// text is the text of a number.
func (w *words) text(code int64) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.all[code]
}
