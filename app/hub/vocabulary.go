package hub

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
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

// vocabulary counts the tokens of a model's tokenizer. A size of 0 says that there is none to count, or none that can
// be read.
func (c *Client) vocabulary(ctx context.Context, id ID) (size int64, from string, err error) {
	own := c.ownFolder(id)
	if own != "" {
		var kept keptVocab
		data, err := readSmall(filepath.Join(own, vocabFile), 4096)
		if err == nil && json.Unmarshal(data, &kept) == nil && kept.VocabSize > 0 && kept.VocabSize <= maxVocab {
			return kept.VocabSize, clip(kept.From), nil
		}
	}
	for _, p := range c.places(id) {
		for _, name := range []string{"tokenizer.json", "vocab.json", "tokenizer_config.json"} {
			data, err := p.read(ctx, name, maxTokenizer)
			switch {
			case ctx.Err() != nil:
				return 0, "", ctx.Err()
			case errors.Is(err, errAbsent):
				continue
			}
			if err != nil {
				break // this place is of no further use
			}
			if size := countTokens(name, data); size > 0 {
				if kept, err := json.Marshal(keptVocab{size, name}); err == nil && p.from == Network {
					keepFile(ctx, own, vocabFile, kept)
				}
				return size, name, nil
			}
		}
	}
	return 0, "", nil
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
