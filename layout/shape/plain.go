package shape

import (
	"math"
	"math/bits"
	"strconv"
	"strings"
)

// common are sizes that many models have, with how surprising each is: lengths and widths of hidden states, MLPs
// and vocabularies.
var common = buildCommon()

type commonSize struct {
	n    int64
	cost float64
}

func buildCommon() []commonSize {
	groups := []struct {
		cost  float64
		sizes []int64
	}{
		{.4, []int64{4096}},
		{.7, []int64{2048, 8192, 1024}},
		{1, []int64{512, 768, 5120, 16384}},
		{1.5, []int64{256, 1280, 1536, 1600, 2560, 3072, 3584, 6144, 7168, 12288, 32768}},
		{2, []int64{128, 320, 640, 960, 896, 1152, 1792, 2304, 2816, 3840, 4608, 5376, 6656, 9216, 10240, 11008, 13824,
			14336, 18432, 20480, 21504, 28672, 29568, 65536, 131072}},
		// Vocabularies: BERT, Llama, GPT-2 (padded), Mistral, GPT-4, Qwen, Gemma, T5.
		{2, []int64{30522, 32000, 32064, 32128, 32768, 50257, 50304, 100352, 102400, 128256, 129280, 151936, 152064,
			256000, 256128, 262144, 262208}},
	}
	var all []commonSize
	for _, g := range groups {
		for _, n := range g.sizes {
			all = append(all, commonSize{n, g.cost})
		}
	}
	return all
}

// plain reads a size as numbers alone, one reading of each type it can be.
func (n *Namer) plain(size int64) []Reading {
	var rs []Reading
	types := n.types()
	if size%2 != 0 && !n.quantized { // only bytes can be it
		types = quantized[:1]
	}
	for _, d := range types {
		if size*8%d.bits == 0 {
			rs = append(rs, Reading{Type: d.name, Shape: factored(size * 8 / d.bits), Bytes: size, Exact: true,
				Plain: true})
		}
	}
	return rs
}

// factored writes a number of elements as the likeliest product.
func factored(n int64) string {
	best, cost := []int64{n}, costOf(n)+1
	if n <= 1<<10 {
		cost = 0
	}
	try := func(c float64, factors ...int64) {
		if c < cost {
			best, cost = append([]int64(nil), factors...), c
		}
	}
	for _, a := range common {
		if n%a.n != 0 {
			continue
		}
		rest := n / a.n
		if rest > 1 {
			try(a.cost+costOf(rest)+.5*lopsided(rest), rest, a.n)
		}
		for _, b := range common {
			if rest%b.n != 0 {
				continue
			}
			if r := rest / b.n; r == 1 {
				try(a.cost+b.cost, max(a.n, b.n), min(a.n, b.n))
			} else {
				try(a.cost+b.cost+costOf(r)+.5+.5*lopsided(r), r, max(a.n, b.n), min(a.n, b.n))
			}
		}
	}
	if len(best) == 1 && n > 1<<16 {
		if x, y := split(n); y >= 16 {
			best = []int64{x, y}
		}
	}
	texts := make([]string, len(best))
	for i, f := range best {
		texts[i] = strconv.FormatInt(f, 10)
	}
	return strings.Join(texts, " x ")
}

// lopsided is how far beyond a batch or a length a left-over number is, in powers of two.
func lopsided(n int64) float64 { return max(0, math.Log2(float64(n))-10) }

// split halves the powers of two of a number between two factors, the odd part going to the first: x·y = n, x ≥ y.
func split(n int64) (x, y int64) {
	two := bits.TrailingZeros64(uint64(n))
	odd := n >> two
	k := two / 2
	for k < two && odd<<(two-k) > 4<<k { // the odd part is large: more to y
		k++
	}
	if k == 0 {
		return n, 1
	}
	x, y = n>>k, int64(1)<<k
	return max(x, y), min(x, y)
}
