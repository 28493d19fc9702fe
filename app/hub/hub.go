// Package hub finds the dimensions of a model: from a folder or a config.json here, from the cache of Hugging
// Face's libraries, from Strata's own, or over the network from a hub. It is the only package that uses the
// network, and only when a person has named a model.
package hub

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"strata/layout/shape"
)

// A Client fetches models. It is safe for concurrent use.
type Client struct {
	settings Settings
	http     *http.Client
	config   time.Duration // how long a config may take to arrive
	large    time.Duration // and a tokenizer
}

// New makes a client of settings.
func New(s Settings) *Client {
	return &Client{settings: s, http: newHTTP(s), config: 20 * time.Second, large: 90 * time.Second}
}

// A Model is the dimensions of a model and where they are from.
type Model struct {
	shape.Model
	ID   string // as a person writes it
	From Source
	// VocabFrom is the file the vocabulary size is from, "" for the config.
	VocabFrom string
	// Warning is a sentence where something is lacking, such as the vocabulary; the model is useful nevertheless.
	Warning string
}

// Source is where a config is from.
type Source uint8

// The sources, in the order they are tried.
const (
	Local    Source = iota // the folder or file that was named
	HubCache               // the cache of the hub's libraries
	OwnCache               // what Strata fetched earlier
	Network
)

// String names the source for a person.
func (s Source) String() string {
	return [...]string{"local", "hub cache", "fetched earlier", "fetched now"}[s]
}

// A place is somewhere that a model's files can be had from.
type place struct {
	from Source
	// read returns a file of the model. The error is errAbsent if there is no such file, or a sentence, or that of ctx.
	read func(ctx context.Context, name string, limit int64) ([]byte, error)
}

// errAbsent is a place's answer that it has no such file.
var errAbsent = errors.New("no such file")

// The most bytes of the files that are read. Configs have a few thousand; tokenizers of large vocabularies 35
// million.
const (
	maxConfig    = 4 << 20
	maxTokenizer = 128 << 20
)

// Load finds a model. vocab overrides its vocabulary size, 0 leaves it. Its error is a sentence for people, or that
// of ctx.
func (c *Client) Load(ctx context.Context, id string, vocab int64) (Model, error) {
	parsed, err := ParseID(id)
	if err != nil {
		return Model{}, err
	}
	var lastErr error
	for _, p := range c.places(parsed) {
		data, err := p.read(ctx, "config.json", maxConfig)
		if errors.Is(err, errAbsent) {
			continue
		}
		if err == nil {
			var m Model
			if m, err = c.model(ctx, parsed, p, data, vocab); err == nil {
				return m, nil
			}
		}
		if ctx.Err() != nil {
			return Model{}, ctx.Err()
		}
		lastErr = err
	}
	if lastErr == nil {
		lastErr = c.nowhere(parsed)
	}
	return Model{}, lastErr
}

// model makes a model of a config that a place gave.
func (c *Client) model(ctx context.Context, id ID, p place, config []byte, vocab int64) (Model, error) {
	dims, err := shape.ParseConfig(config)
	if err != nil {
		return Model{}, fmt.Errorf("the config.json of %s cannot be used: %v", clip(id.String()), err)
	}
	m := Model{Model: dims, ID: id.String(), From: p.from}
	if p.from == Network {
		keepFile(ctx, c.ownFolder(id), "config.json", config)
	}
	switch {
	case vocab > 0:
		m.Vocab = vocab
	case m.Vocab == 0:
		if m.Vocab, m.VocabFrom, err = c.vocabulary(ctx, id); err != nil {
			return Model{}, err
		}
		if m.Vocab == 0 {
			m.Warning = "the vocabulary size of " + clip(m.ID) +
				" is neither in its config nor in a tokenizer; give it with --vocab-size"
		}
	}
	return m, nil
}

// places are where a model may be, best first.
func (c *Client) places(id ID) []place {
	if id.Path != "" {
		return []place{local(id.Path)}
	}
	var ps []place
	if dir := cachedSnapshot(c.settings.HubCache, id); dir != "" {
		ps = append(ps, folder(HubCache, dir))
	}
	if own := c.ownFolder(id); own != "" {
		ps = append(ps, folder(OwnCache, own))
	}
	if !c.settings.Offline {
		ps = append(ps, place{Network, (&remote{c, id}).read})
	}
	return ps
}

// nowhere is the error where no place has the model.
func (c *Client) nowhere(id ID) error {
	name := clip(id.String())
	switch {
	case id.Path != "":
		return fmt.Errorf("%s: there is no such folder with a config.json, and no such file; for a model of a hub "+
			"write org/name", name)
	case c.settings.Offline:
		return fmt.Errorf("the model %s was never downloaded here and HF_HUB_OFFLINE forbids to fetch it; unset that "+
			"or give a folder or config.json", name)
	}
	return fmt.Errorf("the model %s has no config.json; give a folder or a config.json of it", name)
}
