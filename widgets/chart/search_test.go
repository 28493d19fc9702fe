package chart

import (
	"context"
	"testing"

	"strata/layout"
	"strata/layout/search"
)

func found(t *testing.T, tl *layout.Timeline, text string) *search.Result {
	t.Helper()
	q, err := search.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	r, err := search.Run(context.Background(), tl, q, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
