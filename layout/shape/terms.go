package shape

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// A term is a product of dimensions that tensors have.
type term struct {
	text    string
	value   int64  // elements
	symbols uint32 // the dimensions in it, one bit each
	cost    float64
	kind    termKind
}

// termKind says how a term may be used.
type termKind uint8

const (
	large  termKind = iota // as a factor
	matrix                 // also as a whole that is sharded
	scores                 // heads: only in attention scores, heads x s x s
	small                  // says little by itself
)

// A factor is a dimension, or a small expression of one, that terms are made of.
type factor struct {
	text  string
	value int64
	cost  float64
}

// maxElements bounds terms and sizes, so that no product overflows.
const maxElements = 1 << 50

// terms returns the products that allocations of a model are compared with. Where two have the same value the
// plainer one stays.
func (m Model) terms() []term {
	b := termBuilder{byText: map[string]uint32{}}
	h := factor{"h", m.Hidden, 1}
	vocab := vocabularies(m.Vocab)
	q := factor{"heads x head_dim", product(m.Heads, m.HeadDim), 2}
	kv := factor{"kv_heads x head_dim", product(m.KVHeads, m.HeadDim), 2}
	qkv := factor{"(heads + 2 kv_heads) x head_dim", product(m.Heads+2*m.KVHeads, m.HeadDim), 3}
	if m.KVHeads == 0 {
		qkv.value = 0
	}
	inter := factor{"i", m.Intermediate, 1}
	moe := factor{"i_moe", m.ExpertIntermediate, 1}
	shared := factor{"i_shared", m.SharedIntermediate, 2}
	experts := factor{"experts", m.Experts, 2}
	wide := []factor{h, inter, moe, shared, q, kv, qkv}
	wide = append(wide, vocab...)
	wide = append(wide, m.latent()...)

	for _, f := range wide {
		b.add(large, f)
		if f == inter {
			b.add(matrix, h, f)
		} else {
			b.add(matrix, f, h) // weights between it and the hidden state
		}
	}
	for _, f := range m.latent()[3:] { // weights from the latents to the heads
		b.add(matrix, f, factor{"r_q", m.QRank, 2})
		b.add(matrix, f, factor{"r_kv", m.KVRank, 2})
	}
	b.add(large, experts, h)
	b.add(large, experts, inter)
	b.add(large, experts, moe)
	b.add(matrix, experts, h, inter)
	b.add(matrix, experts, h, moe)
	layers := factor{"layers", m.Layers, 4}
	b.add(large, layers, kv) // caches of keys and values
	b.add(large, layers, factor{"(r_kv + d_rope)", sum(m.KVRank, m.RopeDim), 2.5})
	b.add(scores, factor{"heads", m.Heads, 3})
	b.add(small, experts)
	b.add(small, factor{"head_dim", m.HeadDim, 2.5})

	slices.SortStableFunc(b.terms, func(x, y term) int { return cmp.Compare(x.cost, y.cost) })
	seen := map[int64]bool{}
	return slices.DeleteFunc(b.terms, func(t term) bool {
		again := seen[t.value] && t.kind != scores
		seen[t.value] = seen[t.value] || t.kind != scores
		return again
	})
}

// vocabularies are the sizes that tensors over the vocabulary have: also with a token more, twice that where input
// and output are tied in one tensor, and padded to what matrix units like.
func vocabularies(v int64) []factor {
	if v <= 0 {
		return nil
	}
	f := []factor{{"v", v, 1}, {"(v+1)", v + 1, 2.5}, {"(2v+1)", 2*v + 1, 3}}
	for i, to := range []int64{64, 128} {
		f = append(f, factor{"pad" + strconv.FormatInt(to, 10) + "(v)", (v + to - 1) / to * to, 2 + .25*float64(i)})
	}
	return f
}

// latent are the widths of DeepSeek's attention: three of latents, then those of all heads.
func (m Model) latent() []factor {
	return []factor{
		{"r_q", m.QRank, 2}, {"r_kv", m.KVRank, 2}, {"(r_kv + d_rope)", sum(m.KVRank, m.RopeDim), 2.5},
		{"heads x (d_nope + d_rope)", product(m.Heads, sum(m.NopeDim, m.RopeDim)), 2.5},
		{"heads x (d_nope + d_v)", product(m.Heads, sum(m.NopeDim, m.ValueDim)), 2.5},
		{"heads x d_v", product(m.Heads, m.ValueDim), 2},
	}
}

type termBuilder struct {
	terms  []term
	byText map[string]uint32 // bit of each factor
}

// add makes a term of factors, if all are known.
func (b *termBuilder) add(kind termKind, factors ...factor) {
	t := term{value: 1, kind: kind}
	var texts []string
	for _, f := range factors {
		if t.value = product(t.value, f.value); t.value == 0 {
			return
		}
		bit, known := b.byText[f.text]
		if !known {
			bit = 1 << min(len(b.byText), 31)
			b.byText[f.text] = bit
		}
		t.symbols |= bit
		t.cost += f.cost
		texts = append(texts, f.text)
	}
	t.text = strings.Join(texts, " x ")
	b.terms = append(b.terms, t)
}

// product is x·y, or 0 where either is unknown or the product too large.
func product(x, y int64) int64 {
	if x <= 0 || y <= 0 || x > maxElements/y {
		return 0
	}
	return x * y
}

// sum is x+y, or 0 where either is unknown.
func sum(x, y int64) int64 {
	if x <= 0 || y <= 0 {
		return 0
	}
	return x + y
}
