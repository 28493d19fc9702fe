package hub

import (
	"context"
	"fmt"
)

// network is nothing: a page asks no other server than its own.
type network struct{}

func newHTTP(Settings) network { return network{} }

// A remote is a model's files at the hub, which a page cannot have.
type remote struct {
	client *Client
	id     ID
}

func (r *remote) read(context.Context, string, int64) ([]byte, error) {
	return nil, fmt.Errorf("the model %s cannot be fetched: this page asks no other server; the native program can",
		r.id)
}
