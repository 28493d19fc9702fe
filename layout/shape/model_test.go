package shape

import (
	"reflect"
	"strings"
	"testing"
)

// configs are the parts of published config.json files that count here, as their repositories have them (names of
// the keys, nesting, what is left out).
var configs = map[string]string{
	"Llama-2-7b": `{"architectures":["LlamaForCausalLM"],"model_type":"llama","hidden_size":4096,` +
		`"intermediate_size":11008,"num_attention_heads":32,"num_hidden_layers":32,"num_key_value_heads":32,` +
		`"vocab_size":32000,"tie_word_embeddings":false,"torch_dtype":"float16"}`,
	"Llama-2-70b": `{"model_type":"llama","hidden_size":8192,"intermediate_size":28672,"num_attention_heads":64,` +
		`"num_hidden_layers":80,"num_key_value_heads":8,"vocab_size":32000}`,
	"Llama-3.1-8B": `{"model_type":"llama","hidden_size":4096,"intermediate_size":14336,"num_attention_heads":32,` +
		`"num_hidden_layers":32,"num_key_value_heads":8,"vocab_size":128256,"rope_scaling":{"factor":8.0,` +
		`"rope_type":"llama3"},"eos_token_id":[128001,128008]}`,
	"Mistral-7B": `{"model_type":"mistral","hidden_size":4096,"intermediate_size":14336,"num_attention_heads":32,` +
		`"num_hidden_layers":32,"num_key_value_heads":8,"sliding_window":4096,"vocab_size":32000}`,
	"Nemo-12B": `{"model_type":"mistral","head_dim":128,"hidden_size":5120,"intermediate_size":14336,` +
		`"num_attention_heads":32,"num_hidden_layers":40,"num_key_value_heads":8,"vocab_size":131072}`,
	"Mixtral-8x7B": `{"model_type":"mixtral","hidden_size":4096,"intermediate_size":14336,"num_attention_heads":32,` +
		`"num_experts_per_tok":2,"num_hidden_layers":32,"num_key_value_heads":8,"num_local_experts":8,` +
		`"vocab_size":32000}`,
	"Qwen2.5-7B": `{"model_type":"qwen2","hidden_size":3584,"intermediate_size":18944,"num_attention_heads":28,` +
		`"num_hidden_layers":28,"num_key_value_heads":4,"vocab_size":152064}`,
	"Qwen2-57B-A14": `{"model_type":"qwen2_moe","hidden_size":3584,"intermediate_size":18944,` +
		`"moe_intermediate_size":2560,"num_attention_heads":28,"num_experts":64,"num_hidden_layers":28,` +
		`"num_key_value_heads":4,"shared_expert_intermediate_size":20480,"vocab_size":151936}`,
	"Qwen3-30B-A3B": `{"model_type":"qwen3_moe","head_dim":128,"hidden_size":2048,"intermediate_size":6144,` +
		`"moe_intermediate_size":768,"num_attention_heads":32,"num_experts":128,"num_hidden_layers":48,` +
		`"num_key_value_heads":4,"vocab_size":151936}`,
	"gemma-2-9b": `{"model_type":"gemma2","head_dim":256,"hidden_size":3584,"intermediate_size":14336,` +
		`"num_attention_heads":16,"num_hidden_layers":42,"num_key_value_heads":8,"vocab_size":256000}`,
	"gemma-3-4b": `{"model_type":"gemma3","text_config":{"hidden_size":2560,"intermediate_size":10240,` +
		`"model_type":"gemma3_text","num_hidden_layers":34,"rope_scaling":{"factor":8.0}},` +
		`"vision_config":{"hidden_size":1152,"intermediate_size":4304,"num_attention_heads":16,` +
		`"num_hidden_layers":27}}`,
	"gemma-3-27b": `{"model_type":"gemma3","text_config":{"head_dim":128,"hidden_size":5376,` +
		`"intermediate_size":21504,"num_attention_heads":32,"num_hidden_layers":62,"num_key_value_heads":16},` +
		`"vision_config":{"hidden_size":1152}}`,
	"gemma-3n": `{"text_config":{"hidden_size":2048,"intermediate_size":[16384,16384,16384],` +
		`"num_attention_heads":8,"num_key_value_heads":2,"head_dim":256,"num_hidden_layers":35,"vocab_size":262400}}`,
	"gpt2": `{"model_type":"gpt2","n_ctx":1024,"n_embd":768,"n_head":12,"n_layer":12,"n_positions":1024,` +
		`"vocab_size":50257}`,
	"gpt2-xl": `{"model_type":"gpt2","n_embd":1600,"n_head":25,"n_inner":null,"n_layer":48,"vocab_size":50257}`,
	"starcoder": `{"model_type":"gpt_bigcode","multi_query":true,"n_embd":6144,"n_head":48,"n_inner":24576,` +
		`"n_layer":40,"vocab_size":49152}`,
	"t5-11b": `{"model_type":"t5","d_ff":65536,"d_kv":128,"d_model":1024,"num_heads":128,"num_layers":24,` +
		`"vocab_size":32128}`,
	"falcon-7b": `{"model_type":"falcon","hidden_size":4544,"multi_query":true,"new_decoder_architecture":false,` +
		`"num_attention_heads":71,"num_hidden_layers":32,"vocab_size":65024}`,
	"falcon-40b": `{"model_type":"falcon","hidden_size":8192,"multi_query":true,"new_decoder_architecture":true,` +
		`"num_attention_heads":128,"num_kv_heads":8,"num_hidden_layers":60,"vocab_size":65024}`,
	"dbrx": `{"model_type":"dbrx","d_model":6144,"n_heads":48,"n_layers":40,"vocab_size":100352,` +
		`"attn_config":{"kv_n_heads":8},"ffn_config":{"ffn_hidden_size":10752,"moe_num_experts":16,"moe_top_k":4}}`,
	"mpt-7b": `{"model_type":"mpt","d_model":4096,"expansion_ratio":4,"n_heads":32,"n_layers":32,` +
		`"vocab_size":50432}`,
	"chatglm3": `{"model_type":"chatglm","ffn_hidden_size":13696,"hidden_size":4096,"kv_channels":128,` +
		`"multi_query_group_num":2,"num_attention_heads":32,"num_layers":28,"padded_vocab_size":65024}`,
	"DeepSeek-V3": `{"model_type":"deepseek_v3","hidden_size":7168,"intermediate_size":18432,"kv_lora_rank":512,` +
		`"moe_intermediate_size":2048,"n_routed_experts":256,"n_shared_experts":1,"num_attention_heads":128,` +
		`"num_hidden_layers":61,"num_key_value_heads":128,"q_lora_rank":1536,"qk_nope_head_dim":128,` +
		`"qk_rope_head_dim":64,"v_head_dim":128,"vocab_size":129280}`,
	"DeepSeek-V2-L": `{"model_type":"deepseek_v2","hidden_size":2048,"intermediate_size":10944,"kv_lora_rank":512,` +
		`"moe_intermediate_size":1408,"n_routed_experts":64,"n_shared_experts":2,"num_attention_heads":16,` +
		`"num_hidden_layers":27,"num_key_value_heads":16,"q_lora_rank":null,"qk_nope_head_dim":128,` +
		`"qk_rope_head_dim":64,"v_head_dim":128,"vocab_size":102400}`,
	"Qwen2.5-Omni": `{"thinker_config":{"text_config":{"hidden_size":3584,"intermediate_size":18944,` +
		`"num_attention_heads":28,"num_key_value_heads":4,"vocab_size":152064,"num_hidden_layers":28}},"vocab_size":7}`,
}

func model(t testing.TB, name string) Model {
	t.Helper()
	m, err := ParseConfig([]byte(configs[name]))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return m
}

func TestParseConfig(t *testing.T) {
	want := map[string]Model{
		"Llama-2-7b": {Hidden: 4096, Intermediate: 11008, Vocab: 32000, Layers: 32, Heads: 32, KVHeads: 32,
			HeadDim: 128},
		"Llama-2-70b": {Hidden: 8192, Intermediate: 28672, Vocab: 32000, Layers: 80, Heads: 64, KVHeads: 8,
			HeadDim: 128},
		"Llama-3.1-8B": {Hidden: 4096, Intermediate: 14336, Vocab: 128256, Layers: 32, Heads: 32, KVHeads: 8,
			HeadDim: 128},
		"Mistral-7B": {Hidden: 4096, Intermediate: 14336, Vocab: 32000, Layers: 32, Heads: 32, KVHeads: 8,
			HeadDim: 128},
		"Nemo-12B": {Hidden: 5120, Intermediate: 14336, Vocab: 131072, Layers: 40, Heads: 32, KVHeads: 8,
			HeadDim: 128},
		"Mixtral-8x7B": {Hidden: 4096, Intermediate: 14336, Vocab: 32000, Layers: 32, Heads: 32, KVHeads: 8,
			HeadDim: 128, Experts: 8},
		"Qwen2.5-7B": {Hidden: 3584, Intermediate: 18944, Vocab: 152064, Layers: 28, Heads: 28, KVHeads: 4,
			HeadDim: 128},
		"Qwen2-57B-A14": {Hidden: 3584, Intermediate: 18944, Vocab: 151936, Layers: 28, Heads: 28, KVHeads: 4,
			HeadDim: 128, Experts: 64, ExpertIntermediate: 2560, SharedIntermediate: 20480},
		"Qwen3-30B-A3B": {Hidden: 2048, Intermediate: 6144, Vocab: 151936, Layers: 48, Heads: 32, KVHeads: 4,
			HeadDim: 128, Experts: 128, ExpertIntermediate: 768},
		"gemma-2-9b": {Hidden: 3584, Intermediate: 14336, Vocab: 256000, Layers: 42, Heads: 16, KVHeads: 8,
			HeadDim: 256},
		"gemma-3-4b":  {Hidden: 2560, Intermediate: 10240, Layers: 34},
		"gemma-3-27b": {Hidden: 5376, Intermediate: 21504, Layers: 62, Heads: 32, KVHeads: 16, HeadDim: 128},
		"gemma-3n": {Hidden: 2048, Intermediate: 16384, Vocab: 262400, Layers: 35, Heads: 8, KVHeads: 2,
			HeadDim: 256},
		"gpt2": {Hidden: 768, Intermediate: 3072, Vocab: 50257, Layers: 12, Heads: 12, KVHeads: 12,
			HeadDim: 64},
		"gpt2-xl": {Hidden: 1600, Intermediate: 6400, Vocab: 50257, Layers: 48, Heads: 25, KVHeads: 25,
			HeadDim: 64},
		"starcoder": {Hidden: 6144, Intermediate: 24576, Vocab: 49152, Layers: 40, Heads: 48, KVHeads: 1,
			HeadDim: 128},
		"t5-11b": {Hidden: 1024, Intermediate: 65536, Vocab: 32128, Layers: 24, Heads: 128, KVHeads: 128,
			HeadDim: 128},
		"falcon-7b": {Hidden: 4544, Intermediate: 18176, Vocab: 65024, Layers: 32, Heads: 71, KVHeads: 1,
			HeadDim: 64},
		"falcon-40b": {Hidden: 8192, Intermediate: 32768, Vocab: 65024, Layers: 60, Heads: 128, KVHeads: 8,
			HeadDim: 64},
		"dbrx": {Hidden: 6144, Intermediate: 10752, Vocab: 100352, Layers: 40, Heads: 48, KVHeads: 8,
			HeadDim: 128, Experts: 16},
		"mpt-7b": {Hidden: 4096, Intermediate: 16384, Vocab: 50432, Layers: 32, Heads: 32, KVHeads: 32,
			HeadDim: 128},
		"chatglm3": {Hidden: 4096, Intermediate: 13696, Vocab: 65024, Layers: 28, Heads: 32, KVHeads: 2,
			HeadDim: 128},
		"DeepSeek-V3": {Hidden: 7168, Intermediate: 18432, Vocab: 129280, Layers: 61, Heads: 128, KVHeads: 128,
			Experts: 256, ExpertIntermediate: 2048,
			SharedIntermediate: 2048, QRank: 1536, KVRank: 512, NopeDim: 128, RopeDim: 64, ValueDim: 128},
		"DeepSeek-V2-L": {Hidden: 2048, Intermediate: 10944, Vocab: 102400, Layers: 27, Heads: 16, KVHeads: 16,
			Experts: 64, ExpertIntermediate: 1408,
			SharedIntermediate: 2816, KVRank: 512, NopeDim: 128, RopeDim: 64, ValueDim: 128},
		"Qwen2.5-Omni": {Hidden: 3584, Intermediate: 18944, Vocab: 152064, Layers: 28, Heads: 28, KVHeads: 4,
			HeadDim: 128},
	}
	for name := range configs {
		got := model(t, name)
		if !reflect.DeepEqual(got, want[name]) {
			t.Errorf("%s:\ngot  %+v\nwant %+v", name, got, want[name])
		}
	}
}

func TestParseConfigRefuses(t *testing.T) {
	for in, says := range map[string]string{
		"":                             "ends too early",
		`{"hidden_size": 4096`:         "ends too early",
		"<!DOCTYPE html><html></html>": "not JSON",
		`[1,2]`:                        "no object",
		`null`:                         "no object",
		`"hidden_size"`:                "no object",
		`{}`:                           "no hidden_size",
		`{"_class_name":"UNet2DConditionModel","sample_size":64}`: "language model",
		`{"hidden_size":"4096"}`: `hidden_size is "4096"; a dimension is a whole ` +
			`number`,
		`{"hidden_size":-1}`:                                  "whole number",
		`{"hidden_size":4096.5}`:                              "whole number",
		`{"hidden_size":1e300}`:                               "whole number",
		`{"hidden_size":1e999}`:                               "whole number",
		`{"hidden_size":{"a":1}}`:                             "whole number",
		`{"hidden_size":4096,"vocab_size":99999999999}`:       "vocab_size is 99999999999",
		`{"hidden_size":4096} {"hidden_size":1}`:              "something follows",
		`{"hidden_size":"` + strings.Repeat("x", 5000) + `"}`: "…",
		strings.Repeat(`{"a":`, 20000):                        "not JSON",
	} {
		m, err := ParseConfig([]byte(in))
		if err == nil || !strings.Contains(err.Error(), says) || len(err.Error()) > 300 || m != (Model{}) {
			t.Errorf("%.40q: %+v, %v; want an error with %q", in, m, err, says)
		}
	}
	// What is odd but clear enough is taken.
	for in, want := range map[string]Model{
		`{"hidden_size":4096.0}`:                        {Hidden: 4096},
		`{"hidden_size":4.096e3,"vocab_size":null}`:     {Hidden: 4096},
		`{"vocab_size":7,"text_config":null}`:           {Vocab: 7},
		`{"vocab_size":7,"text_config":[]}`:             {Vocab: 7},
		`{"hidden_size":4096,"num_attention_heads":0}`:  {Hidden: 4096},
		`{"hidden_size":4096,"num_attention_heads":48}`: {Hidden: 4096, Heads: 48, KVHeads: 48},
		`{"vocab_size":7,"text_config":{"n_embd":8}}`:   {Vocab: 7, Hidden: 8},
	} {
		if m, err := ParseConfig([]byte(in)); err != nil || m != want {
			t.Errorf("%s: %+v, %v", in, m, err)
		}
	}
}
