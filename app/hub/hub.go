// Package hub finds the dimensions of a model: from a folder or a config.json here, from the cache of Hugging
// Face's libraries, from Strata's own, or over the network from a hub. It is the only package that uses the
// network, and only when a person has named a model.
package hub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"time"

	"strata/layout/shape"
)

// A Client fetches models. It is safe for concurrent use.
type Client struct {
	settings Settings
	http     network
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
		if m.Vocab, err = c.vocabulary(ctx, id); err != nil {
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

// vocabFile is what Strata keeps of a tokenizer: how many tokens it has.
const vocabFile = "strata-vocab.json"

type keptVocab struct {
	VocabSize int64 `json:"vocab_size"`
}

// maxVocab bounds vocabularies: the largest known have some hundred thousands.
const maxVocab = 1 << 27

// vocabulary counts the tokens of a model's tokenizer. A size of 0 says that there is none to count, or none that can
// be read.
func (c *Client) vocabulary(ctx context.Context, id ID) (size int64, err error) {
	own := c.ownFolder(id)
	if own != "" {
		var kept keptVocab
		data, err := readSmall(filepath.Join(own, vocabFile), 4096)
		if err == nil && json.Unmarshal(data, &kept) == nil && kept.VocabSize > 0 && kept.VocabSize <= maxVocab {
			return kept.VocabSize, nil
		}
	}
	for _, p := range c.places(id) {
		for _, name := range []string{"tokenizer.json", "vocab.json", "tokenizer_config.json"} {
			data, err := p.read(ctx, name, maxTokenizer)
			switch {
			case ctx.Err() != nil:
				return 0, ctx.Err()
			case errors.Is(err, errAbsent):
				continue
			}
			if err != nil {
				break // this place is of no further use
			}
			if size := countTokens(name, data); size > 0 {
				if kept, err := json.Marshal(keptVocab{size}); err == nil && p.from == Network {
					keepFile(ctx, own, vocabFile, kept)
				}
				return size, nil
			}
		}
	}
	return 0, nil
}

// countTokens is one more than the largest token of a tokenizer's file, 0 where the file makes no sense. Tokens may
// be sparse, and a model's table has room for all up to the largest.
func countTokens(file string, data []byte) int64 {
	var numbers map[string]int64 // token -> number
	var f struct {
		Added   []struct{ ID int64 }       `json:"added_tokens"`         // of tokenizer.json
		Decoder map[string]json.RawMessage `json:"added_tokens_decoder"` // of tokenizer_config.json: number -> token
		Model   struct{ Vocab json.RawMessage }
	}
	var err error
	if file == "vocab.json" {
		err = json.Unmarshal(data, &numbers)
	} else {
		err = json.Unmarshal(data, &f)
	}
	largest := int64(-1)
	if v := f.Model.Vocab; len(v) > 0 && v[0] == '[' { // tokens with their scores
		var list []json.RawMessage
		err = errors.Join(err, json.Unmarshal(v, &list))
		largest = int64(len(list)) - 1
	} else if len(v) > 0 {
		err = errors.Join(err, json.Unmarshal(v, &numbers))
	}
	least := int64(0)
	take := func(n int64) { least, largest = min(least, n), max(largest, n) }
	for _, n := range numbers {
		take(n)
	}
	for _, a := range f.Added {
		take(a.ID)
	}
	for number := range f.Decoder {
		if n, err := strconv.ParseInt(number, 10, 64); err == nil {
			take(n)
		}
	}
	if err != nil || least < 0 || largest >= maxVocab {
		return 0
	}
	return largest + 1
}
