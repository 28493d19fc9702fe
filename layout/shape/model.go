// Package shape names the tensors that may lie in allocations of a size: as products of a model's dimensions, or of
// common sizes where no model is known. It is arithmetic on sizes; a name is a likely reading, not a fact.
package shape

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"strata/layout/units"
)

// A Model is the dimensions of a transformer, in elements; 0 is unknown. The names are those of the config.json
// files of Hugging Face's transformers.
type Model struct {
	Hidden       int64 // h: hidden_size
	Intermediate int64 // i: intermediate_size of the MLP
	Vocab        int64 // v: vocab_size
	Layers       int64 // num_hidden_layers
	Heads        int64 // num_attention_heads
	KVHeads      int64 // num_key_value_heads
	HeadDim      int64 // head_dim
	// Mixtures of experts.
	Experts            int64 // num_local_experts, n_routed_experts
	ExpertIntermediate int64 // moe_intermediate_size: an expert's i where it has its own
	SharedIntermediate int64 // of all shared experts together
	// DeepSeek's latent attention.
	QRank, KVRank              int64 // q_lora_rank, kv_lora_rank
	NopeDim, RopeDim, ValueDim int64 // of one head: qk_nope_head_dim, qk_rope_head_dim, v_head_dim
}

// maxDim bounds every dimension: no model comes near, and products of two fit.
const maxDim = 1 << 31

// The places that configs of multimodal models keep their language model in.
var nested = [][]string{{"text_config"}, {"llm_config"}, {"language_config"}, {"thinker_config", "text_config"},
	{"decoder"}}

// fourfold are the model types whose MLP is four times as wide as h where the config says nothing of it.
var fourfold = strings.Fields("gpt2 gptj gpt_neo gpt_bigcode codegen bloom falcon mpt")

// ParseConfig reads the dimensions from a model's config.json. Where a multimodal model nests its language model,
// that one counts. The error is a sentence that says what of the file is wrong.
func ParseConfig(data []byte) (Model, error) {
	c, err := newConfig(data)
	if err != nil {
		return Model{}, err
	}
	var m Model
	var sharedExperts, expansion int64
	for _, dim := range []struct {
		to    *int64
		names string // that families of models have for it, most usual first
	}{
		{&m.Hidden, "hidden_size n_embd d_model n_embed dim model_dim"},
		{&m.Intermediate, "intermediate_size n_inner d_ff ffn_dim decoder_ffn_dim ffn_hidden_size " +
			"ffn_config.ffn_hidden_size hidden_dim"},
		{&m.Vocab, "padded_vocab_size vocab_size"},
		{&m.Layers, "num_hidden_layers n_layer num_layers n_layers decoder_layers"},
		{&m.Heads, "num_attention_heads n_head num_heads n_heads decoder_attention_heads"},
		{&m.KVHeads, "num_key_value_heads num_kv_heads n_head_kv multi_query_group_num attn_config.kv_n_heads"},
		{&m.HeadDim, "head_dim d_kv kv_channels attention_head_dim"},
		{&m.Experts, "num_local_experts num_experts n_routed_experts moe_num_experts ffn_config.moe_num_experts"},
		{&m.ExpertIntermediate, "moe_intermediate_size expert_ffn_hidden_size"},
		{&m.SharedIntermediate, "shared_expert_intermediate_size"},
		{&m.QRank, "q_lora_rank"}, {&m.KVRank, "kv_lora_rank"},
		{&m.NopeDim, "qk_nope_head_dim"}, {&m.RopeDim, "qk_rope_head_dim"}, {&m.ValueDim, "v_head_dim"},
		{&sharedExperts, "n_shared_experts"}, {&expansion, "expansion_ratio"},
	} {
		if *dim.to, err = c.dim(strings.Fields(dim.names)); err != nil {
			return Model{}, err
		}
	}
	if m.Hidden == 0 && m.Intermediate == 0 && m.Vocab == 0 {
		return Model{}, errors.New("it has no hidden_size, intermediate_size or vocab_size, nor what other families " +
			"call them; is it the config.json of a language model?")
	}
	if m.Intermediate == 0 && m.Hidden > 0 {
		switch {
		case expansion > 0 && expansion <= 64:
			m.Intermediate = m.Hidden * expansion
		case slices.Contains(fourfold, setting[string](c, "model_type")):
			m.Intermediate = 4 * m.Hidden
		}
	}
	if m.KVHeads == 0 && m.Heads > 0 {
		m.KVHeads = m.Heads
		if setting[bool](c, "multi_query") && !setting[bool](c, "new_decoder_architecture") {
			m.KVHeads = 1
		}
	}
	if m.HeadDim == 0 && m.KVRank == 0 && m.Heads > 0 && m.Hidden%m.Heads == 0 {
		m.HeadDim = m.Hidden / m.Heads
	}
	if m.SharedIntermediate == 0 && sharedExperts > 0 && sharedExperts <= 1024 {
		m.SharedIntermediate = sharedExperts * m.ExpertIntermediate
	}
	return m, nil
}

// A config is the objects of a config.json to look into, innermost first.
type config []map[string]json.RawMessage

func newConfig(data []byte) (config, error) {
	var top map[string]json.RawMessage
	d := json.NewDecoder(bytes.NewReader(data))
	var syntax *json.SyntaxError
	switch err := d.Decode(&top); {
	case errors.As(err, &syntax):
		return nil, fmt.Errorf("it is not JSON: %w (byte %d)", err, syntax.Offset)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, errors.New("it is not complete JSON; it ends too early")
	case err != nil, top == nil:
		return nil, errors.New("it is JSON, but no object of settings")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("something follows the JSON in it, at byte %d", d.InputOffset())
	}
	for _, path := range nested {
		if inner := descend(top, path); inner != nil {
			return config{inner, top}, nil
		}
	}
	return config{top}, nil
}

// descend follows a path of objects; nil where there is none.
func descend(m map[string]json.RawMessage, path []string) map[string]json.RawMessage {
	for _, key := range path {
		var inner map[string]json.RawMessage
		if json.Unmarshal(m[key], &inner) != nil || inner == nil {
			return nil
		}
		m = inner
	}
	return m
}

// dim finds a dimension under any of its names: in the language model's own object first. Absent, null and 0 are 0.
func (c config) dim(names []string) (int64, error) {
	for _, object := range c {
		for _, name := range names {
			path := strings.Split(name, ".")
			in := descend(object, path[:len(path)-1])
			raw, ok := in[path[len(path)-1]]
			if !ok {
				continue
			}
			v, err := dimension(raw)
			if err != nil {
				return 0, fmt.Errorf("its %s is %s; a dimension is a whole number from 0 to 2147483648", name,
					units.Clip(string(raw), 40))
			}
			if v > 0 {
				return v, nil
			}
		}
	}
	return 0, nil
}

// dimension reads a number. Some configs give one for each layer: the first counts.
func dimension(raw json.RawMessage) (int64, error) {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil && len(list) > 0 {
		raw = list[0]
	}
	var f *float64
	if err := json.Unmarshal(raw, &f); err != nil {
		return 0, err
	}
	switch {
	case f == nil:
		return 0, nil
	case *f < 0 || *f > maxDim || *f != math.Trunc(*f):
		return 0, errors.New("out of range")
	}
	return int64(*f), nil
}

// setting reads what is no dimension; of another type it is as if absent.
func setting[T comparable](c config, name string) (value T) {
	for _, object := range c {
		var v T
		if json.Unmarshal(object[name], &v) == nil && v != value {
			return v
		}
	}
	return value
}
