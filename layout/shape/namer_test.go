package shape

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// rounded is what the allocator makes of a size.
func rounded(n int64) int64 { return (n + rounding - 1) / rounding * rounding }

func texts(rs []Reading) []string {
	var s []string
	for _, r := range rs {
		s = append(s, r.String())
	}
	return s
}

// TestName looks for the readings of tensors that these models are known to have, given as products of numbers
// here. first means that it is the likeliest.
func TestName(t *testing.T) {
	const bf16, fp32 = 2, 4
	for _, c := range []struct {
		model string
		size  int64
		want  string
		first bool
	}{
		{"Llama-3.1-8B", 4096 * 14336 * bf16, "bf16: h x i", true},
		{"Llama-3.1-8B", 2 * 4096 * 14336 * bf16, "bf16: 2 x h x i", false}, // gate and up in one
		{"Llama-3.1-8B", 2 * 4096 * 14336 * bf16, "fp32: h x i", true},
		{"Llama-3.1-8B", 128256 * 4096 * bf16, "bf16: v x h", true},
		{"Llama-3.1-8B", 128256 * 4096 * fp32, "fp32: v x h", true},
		{"Llama-3.1-8B", 1024 * 4096 * bf16, "bf16: kv_heads x head_dim x h", true},
		{"Llama-3.1-8B", 6144 * 4096 * bf16, "bf16: (heads + 2 kv_heads) x head_dim x h", true},
		{"Llama-3.1-8B", 4096 * 4096 * fp32, "fp32: h x h", true},
		{"Llama-3.1-8B", 8192 * 4096 * bf16, "bf16: 8192 x h", false}, // tokens
		{"Llama-3.1-8B", 16 * 512 * 4096 * fp32, "fp32: 8192 x h", false},
		{"Llama-3.1-8B", 3571 * 4096 * bf16, "bf16: 3571 x h", true},
		{"Llama-3.1-8B", 3571 * 14336 * bf16, "bf16: 3571 x i", true},
		{"Llama-3.1-8B", 3571 * 1024 * bf16, "bf16: 3571 x kv_heads x head_dim", true},
		{"Llama-3.1-8B", 3571 * 128256 * fp32, "fp32: 3571 x v", false},
		{"Llama-3.1-8B", 4096 * 14336 * fp32 / 8, "fp32: h x i / 8", false}, // one of eight shards
		{"Llama-3.1-8B", 4 * 32 * 1024 * 1024 * bf16, "bf16: heads x 2048 x 2048", false},
		{"Llama-2-7b", 4096 * 11008 * bf16, "bf16: h x i", true},
		{"Llama-2-7b", 3 * 4096 * 11008 * bf16, "bf16: 3 x h x i", true},
		{"Llama-2-7b", 32001 * 4096 * bf16, "bf16: (v+1) x h", true}, // a pad token added
		{"Llama-2-7b", rounded(32001 * 4096 * fp32), "fp32: (v+1) x h", true},
		{"Llama-2-7b", 64001 * 4096 * bf16, "bf16: (2v+1) x h", true},
		{"Llama-2-70b", 8192 * 28672 * bf16, "bf16: h x i", true},
		{"Mistral-7B", 32000 * 4096 * bf16, "bf16: v x h", true},
		{"Nemo-12B", 4096 * 5120 * bf16, "bf16: heads x head_dim x h", true}, // not h x h
		{"Mixtral-8x7B", 8 * 4096 * 14336 * bf16, "bf16: experts x h x i", true},
		{"Mixtral-8x7B", 2 * 8 * 4096 * 14336 * bf16, "bf16: 2 x experts x h x i", false},
		{"Qwen2.5-7B", 152064 * 3584 * bf16, "bf16: v x h", true},
		{"Qwen2.5-7B", 3584 * 18944 * fp32, "fp32: h x i", true},
		{"Qwen2-57B-A14", 3584 * 20480 * bf16, "bf16: i_shared x h", true},
		{"Qwen3-30B-A3B", 2048 * 768 * bf16, "bf16: i_moe x h", true},
		{"Qwen3-30B-A3B", 128 * 2048 * 768 * 2 * bf16, "bf16: 2 x experts x h x i_moe", false},
		{"Qwen3-30B-A3B", 4096 * 2048 * bf16, "bf16: heads x head_dim x h", false},
		{"gemma-2-9b", 256000 * 3584 * bf16, "bf16: v x h", true},
		{"gemma-2-9b", 4096 * 3584 * bf16, "bf16: heads x head_dim x h", true},
		{"gemma-3-4b", 2560 * 10240 * bf16, "bf16: h x i", true},
		{"gpt2", 50257 * 768 * fp32, "fp32: v x h", true},
		{"gpt2", 50304 * 768 * fp32, "fp32: pad64(v) x h", true}, // as nanoGPT pads it
		{"gpt2-xl", 1600 * 6400 * fp32, "fp32: h x i", true},
		{"gpt2-xl", rounded(8 * 50257 * bf16), "bf16: ≈ 8 x v", false},
		{"starcoder", 128 * 6144 * bf16, "bf16: kv_heads x head_dim x h", false},
		{"t5-11b", 16384 * 1024 * fp32, "fp32: heads x head_dim x h", false},
		{"t5-11b", 65536 * 1024 * fp32, "fp32: h x i", true},
		{"DeepSeek-V3", 7168 * 2048 * bf16, "bf16: i_moe x h", true},
		{"DeepSeek-V3", 256 * 7168 * 2048 * bf16, "bf16: experts x h x i_moe", true},
		{"DeepSeek-V3", 1536 * 7168 * bf16, "bf16: r_q x h", true},
		{"DeepSeek-V3", 576 * 7168 * bf16, "bf16: (r_kv + d_rope) x h", true},
		{"DeepSeek-V3", 128 * 192 * 1536 * bf16, "bf16: heads x (d_nope + d_rope) x r_q", false},
		{"DeepSeek-V3", 128 * 256 * 512 * bf16, "bf16: heads x (d_nope + d_v) x r_kv", false},
		{"DeepSeek-V3", 129280 * 7168 * bf16, "bf16: v x h", true},
	} {
		got := NewNamer(model(t, c.model), false).Name(c.size)
		at := slices.Index(texts(got), c.want)
		if at < 0 || c.first && at > 0 {
			t.Errorf("%s, %d bytes: %q, want %q (first: %t)", c.model, c.size, texts(got), c.want, c.first)
		}
	}
}

func TestNameQuantized(t *testing.T) {
	m := model(t, "Llama-3.1-8B")
	for _, c := range []struct {
		size int64
		want string
	}{
		{4096 * 14336, "int8/fp8: h x i"},
		{4096 * 14336 / 2, "4-bit: h x i"},
		{128256 * 4096 / 2, "4-bit: v x h"},
		{4096 * 1024, "int8/fp8: kv_heads x head_dim x h"},
	} {
		if got := texts(NewNamer(m, true).Name(c.size)); !slices.Contains(got, c.want) {
			t.Errorf("%d bytes: %q, want %q among them", c.size, got, c.want)
		}
		for _, r := range NewNamer(m, false).Name(c.size) {
			if r.Type != "bf16" && r.Type != "fp32" {
				t.Errorf("%d bytes: %s without being asked", c.size, r)
			}
		}
	}
}

func TestPlain(t *testing.T) {
	var n Namer
	for size, want := range map[int64]string{
		8 << 20:           "bf16: 4096 x 1024 · fp32: 4096 x 512",
		64 << 20:          "bf16: 8192 x 4096 · fp32: 4096 x 4096",
		4096 * 11008 * 2:  "bf16: 11008 x 4096 · fp32: 11008 x 2048",
		3571 * 4096 * 2:   "bf16: 3571 x 4096 · fp32: 3571 x 2048",
		50257 * 768 * 4:   "bf16: 50257 x 1536 · fp32: 50257 x 768",
		512:               "bf16: 256 · fp32: 128",
		4:                 "bf16: 2 · fp32: 1",
		2:                 "bf16: 1",
		1:                 "int8/fp8: 1",
		4000012:           "bf16: 2000006 · fp32: 1000003",
		12345:             "int8/fp8: 12345",
		2 * 2147483647:    "bf16: 2147483647",
		80 << 30:          "bf16: 81920 x 8192 x 64 · fp32: 81920 x 4096 x 64",
		128256 * 4096 * 4: "bf16: 128256 x 8192 · fp32: 128256 x 4096",
	} {
		got := n.Name(size)
		if size == 80<<30 { // many ways are as good; it must be factored at all
			if len(got) != 2 || !strings.Contains(got[0].Shape, " x ") {
				t.Errorf("%d bytes: %q", size, texts(got))
			}
			continue
		}
		if s := Join(got, 9); s != want {
			t.Errorf("%d bytes: %q, want %q", size, s, want)
		}
	}
	for _, size := range []int64{0, -1, -1 << 63, 1<<63 - 1, maxElements + 1} {
		if got := n.Name(size); got != nil {
			t.Errorf("%d bytes: %q", size, texts(got))
		}
	}
}

// evaluate computes what a shape says, with the model's dimensions.
func evaluate(t *testing.T, m Model, shape string) int64 {
	t.Helper()
	values := map[string]int64{"(v+1)": m.Vocab + 1, "(2v+1)": 2*m.Vocab + 1,
		"pad64(v)": (m.Vocab + 63) / 64 * 64, "pad128(v)": (m.Vocab + 127) / 128 * 128,
		"(heads + 2 kv_heads)": m.Heads + 2*m.KVHeads, "(r_kv + d_rope)": m.KVRank + m.RopeDim,
		"(d_nope + d_rope)": m.NopeDim + m.RopeDim, "(d_nope + d_v)": m.NopeDim + m.ValueDim,
		"h": m.Hidden, "i": m.Intermediate, "v": m.Vocab, "i_moe": m.ExpertIntermediate,
		"i_shared": m.SharedIntermediate, "experts": m.Experts, "heads": m.Heads, "kv_heads": m.KVHeads,
		"head_dim": m.HeadDim, "r_q": m.QRank, "r_kv": m.KVRank, "d_nope": m.NopeDim, "d_rope": m.RopeDim,
		"d_v": m.ValueDim, "layers": m.Layers}
	product, shards := int64(1), int64(1)
	if before, after, ok := strings.Cut(shape, " / "); ok {
		shape = before
		fmt.Sscan(after, &shards)
	}
	for _, f := range strings.Split(shape, " x ") {
		v, ok := values[f]
		if !ok {
			if _, err := fmt.Sscan(f, &v); err != nil {
				t.Fatalf("%q has %q, which is no dimension", shape, f)
			}
		}
		product *= v
	}
	if product%shards != 0 {
		t.Fatalf("%q is no whole number", shape)
	}
	return product / shards
}

// TestReadingsAreTrue: whatever the size, a reading says a product that takes the bytes it claims; exact ones come
// first; there is always one of a size that can be any whole number of elements.
func TestReadingsAreTrue(t *testing.T) {
	bits := map[string]int64{"bf16": 16, "fp32": 32, "int8/fp8": 8, "4-bit": 4}
	for _, name := range []string{"Llama-3.1-8B", "Qwen3-30B-A3B", "DeepSeek-V3", "gpt2", ""} {
		var m Model
		if name != "" {
			m = model(t, name)
		}
		for _, quant := range []bool{false, true} {
			n := NewNamer(m, quant)
			x := uint64(88172645463325252)
			for k := range 3000 {
				x ^= x << 13
				x ^= x >> 7
				x ^= x << 17
				size := int64(x>>20) >> (x % 40)
				switch {
				case k%3 == 0:
					size = rounded(size)
				case k%3 == 1 && len(n.terms) > 0: // near one of its terms
					size = rounded(n.terms[int(x%uint64(len(n.terms)))].value * int64(1+x>>60) * 2)
				}
				if size <= 0 || size > maxElements {
					continue
				}
				check(t, m, n, size, bits)
			}
		}
	}
}

func check(t *testing.T, m Model, n *Namer, size int64, bits map[string]int64) {
	t.Helper()
	rs := n.Name(size)
	if len(rs) == 0 || len(rs) > maxAll {
		t.Errorf("%d bytes: %d readings", size, len(rs))
	}
	for i, r := range rs {
		if got := (evaluate(t, m, r.Shape)*bits[r.Type] + 7) / 8; got != r.Bytes {
			t.Errorf("%d bytes: %s takes %d, not %d", size, r, got, r.Bytes)
		}
		if r.Exact != (r.Bytes == size) || r.Bytes > size || size-r.Bytes >= rounding {
			t.Errorf("%d bytes: %s of %d bytes, exact %t", size, r, r.Bytes, r.Exact)
		}
		if i > 0 && r.Exact && !r.Plain && !rs[i-1].Exact {
			t.Errorf("%d bytes: an exact one after a near one: %q", size, texts(rs))
		}
		if slices.ContainsFunc(rs[:i], func(o Reading) bool { return o.String() == r.String() }) {
			t.Errorf("%d bytes: twice the same: %q", size, texts(rs))
		}
	}
}

// TestNearIsRare: of sizes that have nothing to do with the model few are near anything.
func TestNearIsRare(t *testing.T) {
	n := NewNamer(model(t, "Llama-3.1-8B"), false)
	near, x := 0, uint64(2463534242)
	for range 2000 {
		x = x*6364136223846793005 + 1442695040888963407
		rs := n.Name(int64(x>>36) / rounding * rounding)
		if len(rs) > 0 && !rs[0].Exact {
			near++
		}
	}
	if near > 40 {
		t.Errorf("%d of 2000 random sizes are near a shape", near)
	}
}

func BenchmarkName(b *testing.B) {
	for _, name := range []string{"DeepSeek-V3", "Llama-3.1-8B", "none"} {
		b.Run(name, func(b *testing.B) {
			var m Model
			if name != "none" {
				m = model(b, name)
			}
			n := NewNamer(m, true)
			for i := int64(0); b.Loop(); i++ {
				n.Name((i%1000 + 1) * 512 * 7 * 128)
			}
		})
	}
}
