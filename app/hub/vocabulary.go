package hub

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strconv"
)

// vocabFile is what Strata keeps of a tokenizer: how many tokens it has.
const vocabFile = "strata-vocab.json"

type keptVocab struct {
	VocabSize int64  `json:"vocab_size"`
	From      string `json:"from"`
}

// maxVocab bounds vocabularies: the largest known have some hundred thousands.
const maxVocab = 1 << 27

// vocabulary counts the tokens of a model's tokenizer. A size of 0 says that
// there is none to count, or none that can be read.
func (c *Client) vocabulary(ctx context.Context, id ID, p place) (size int64, from string, err error) {
	own := ""
	if id.Path == "" {
		own = c.ownFolder(id)
	}
	if own != "" {
		var kept keptVocab
		data, err := readSmall(own+"/"+vocabFile, 4096)
		if err == nil && json.Unmarshal(data, &kept) == nil && kept.VocabSize > 0 && kept.VocabSize <= maxVocab {
			return kept.VocabSize, clip(kept.From), nil
		}
	}
	places := []place{p}
	if p.source() == OwnCache || p.source() == HubCache { // they may lack the tokenizer
		if !c.settings.Offline {
			places = append(places, &remote{client: c, id: id, own: own})
		}
	}
	for _, p := range places {
		for _, name := range []string{"tokenizer.json", "vocab.json", "tokenizer_config.json"} {
			data, err := p.read(ctx, name, maxTokenizer)
			if ctx.Err() != nil {
				return 0, "", ctx.Err()
			}
			if err != nil {
				if errors.Is(err, errAbsent) {
					continue
				}
				break // this place is of no further use
			}
			if size := countTokens(name, data); size > 0 {
				if kept, err := json.Marshal(keptVocab{size, name}); err == nil && p.source() == Network {
					_ = keepFile(own, vocabFile, kept)
				}
				return size, name, nil
			}
		}
	}
	return 0, "", nil
}

// countTokens is one more than the largest token of a tokenizer's file, 0 where
// the file makes no sense. Tokens may be sparse, and a model's table has room
// for all up to the largest.
func countTokens(file string, data []byte) int64 {
	c := counter{d: json.NewDecoder(bytes.NewReader(data)), largest: -1}
	c.d.UseNumber()
	switch file {
	case "vocab.json": // token -> number
		c.object(func(string) { c.number() })
	case "tokenizer_config.json": // added_tokens_decoder: number -> token
		c.object(func(key string) {
			if key != "added_tokens_decoder" {
				c.skip()
				return
			}
			c.object(func(number string) {
				if n, err := strconv.ParseInt(number, 10, 64); err == nil {
					c.take(n)
				}
				c.skip()
			})
		})
	default:
		c.object(func(key string) {
			switch key {
			case "added_tokens":
				c.list(func() { c.fields("id", c.number) })
			case "model":
				c.fields("vocab", c.vocab)
			default:
				c.skip()
			}
		})
	}
	if c.bad || c.largest < 0 {
		return 0
	}
	return c.largest + 1
}

// A counter walks JSON by tokens, so that a tokenizer of 35 MB makes no tree.
type counter struct {
	d       *json.Decoder
	largest int64
	bad     bool
}

func (c *counter) take(n int64) {
	if n < 0 || n >= maxVocab {
		c.bad = true
	}
	c.largest = max(c.largest, n)
}

func (c *counter) next() json.Token {
	if c.bad {
		return nil
	}
	t, err := c.d.Token()
	c.bad = c.bad || err != nil
	return t
}

// more reports whether the object or list goes on.
func (c *counter) more() bool { return !c.bad && c.d.More() }

// object calls do after each key of an object. Another value is passed over.
func (c *counter) object(do func(key string)) {
	if t := c.next(); t != json.Delim('{') {
		c.rest(t)
		return
	}
	for c.more() {
		key, _ := c.next().(string)
		do(key)
	}
	c.next()
}

// list calls do before each element of a list.
func (c *counter) list(do func()) {
	if t := c.next(); t != json.Delim('[') {
		c.rest(t)
		return
	}
	for c.more() {
		do()
	}
	c.next()
}

// fields does one field of an object and passes over the others.
func (c *counter) fields(name string, do func()) {
	c.object(func(key string) {
		if key == name {
			do()
		} else {
			c.skip()
		}
	})
}

// number takes a number; another value is passed over.
func (c *counter) number() {
	t := c.next()
	n, ok := t.(json.Number)
	if !ok {
		c.rest(t)
		return
	}
	v, err := n.Int64()
	if err != nil {
		c.bad = true
		return
	}
	c.take(v)
}

// vocab counts a model's vocabulary: an object of token -> number, or a list
// of tokens with their scores.
func (c *counter) vocab() {
	switch t := c.next(); t {
	case json.Delim('{'):
		for c.more() {
			c.next()
			c.number()
		}
		c.next()
	case json.Delim('['):
		n := int64(0)
		for c.more() {
			c.skip()
			n++
		}
		c.next()
		if n > 0 {
			c.take(n - 1)
		}
	default:
		c.rest(t)
	}
}

// skip passes over a value.
func (c *counter) skip() { c.rest(c.next()) }

// rest passes over what follows a value's first token.
func (c *counter) rest(t json.Token) {
	depth := 0
	for {
		switch t {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth <= 0 || c.bad {
			return
		}
		t = c.next()
	}
}
