package dialog

import (
	"context"
	"path"
	"strings"
	"syscall/js"
)

// show opens files by the page's own dialog, which browsers allow shortly after something that the person did. A file
// that is written below /downloads becomes a download.
func show(ctx context.Context, r Request, _ uintptr) ([]string, error) {
	if r.save {
		return []string{path.Join("/downloads", path.Base(r.Name))}, nil
	}
	got := make(chan []string, 1)
	done := js.FuncOf(func(_ js.Value, args []js.Value) any {
		paths := make([]string, args[0].Length())
		for i := range paths {
			paths[i] = args[0].Index(i).String()
		}
		got <- paths
		return nil
	})
	defer done.Release()
	var accept []string
	for _, f := range r.Filters[:min(1, len(r.Filters))] {
		for _, s := range f.Patterns {
			accept = append(accept, strings.TrimPrefix(s, "*"))
		}
	}
	js.Global().Get("strata").Call("pick", r.Multiple, strings.Join(accept, ","), done)
	select {
	case paths := <-got:
		return paths, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
