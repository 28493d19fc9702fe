// Package capacity knows how much memory GPUs have: what their makers call it, and what of it a program can use.
package capacity

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A Capacity is a limit to draw. The zero value is none.
type Capacity struct {
	Name  string // of the GPU, or the amount as it was given
	Bytes int64
	// NominalGB is what the maker calls the memory, 0 for a plain amount.
	NominalGB int
	Note      string // a sentence about a name that several GPUs have, "" else
}

// Label is what to write beside the line: the name, with its nominal size.
func (c Capacity) Label() string {
	size := fmt.Sprintf("%.1f GiB", math.Floor(float64(c.Bytes)/(1<<30)*10)/10)
	switch {
	case c.NominalGB == 0:
		return c.Name
	case strings.HasSuffix(c.Name, "GB"):
		return fmt.Sprintf("%s (%s usable)", c.Name, size)
	}
	return fmt.Sprintf("%s %d GB (%s usable)", c.Name, c.NominalGB, size)
}

// Known returns the GPUs of the table, to choose from.
func Known() []GPU { return slices.Clone(table) }

// Capacity is the limit that a GPU sets.
func (g GPU) Capacity() Capacity {
	return Capacity{Name: g.Name, Bytes: g.Usable, NominalGB: g.NominalGB}
}

// Names returns the names of the table.
func Names() []string {
	names := make([]string, len(table))
	for i, g := range table {
		names[i] = g.Name
	}
	return names
}

// maxAmount bounds plain amounts: 1 PiB.
const maxAmount = 1 << 50

// Amount reads a plain amount of memory, such as "79.1GiB", in bytes. Its error is a sentence that says what can be
// written.
func Amount(s string) (int64, error) {
	c, is, err := amount(strings.TrimSpace(s))
	if err == nil && !is {
		err = fmt.Errorf("an amount is a number with its unit, such as 16GiB")
	}
	return c.Bytes, err
}

// Find reads a GPU's name, in the ways people and torch write it ("a100-80", "A100 80GB", "NVIDIA A100-SXM4-80GB"),
// or a plain amount ("79.1GiB"). Its error is a sentence that says what can be written.
func Find(s string) (Capacity, error) {
	text := strings.TrimSpace(s)
	if text == "" {
		return Capacity{}, fmt.Errorf("a GPU is a name such as H100, or an amount such as 79.1GiB")
	}
	if c, is, err := amount(text); is {
		return c, err
	}
	key := normalize(text)
	if key != "" {
		// Suffixes are taken off only where the whole is no name: A10G is one.
		for _, k := range []string{key, trimUnit(key)} {
			if i := slices.IndexFunc(table, func(g GPU) bool { return g.is(k) }); i >= 0 {
				return table[i].Capacity(), nil
			}
		}
		var several []string
		var largest GPU
		for _, g := range table {
			if base, _, sized := strings.Cut(g.Name, " "); sized && normalize(base) == key {
				several = append(several, g.Name)
				if g.Usable > largest.Usable {
					largest = g
				}
			}
		}
		if len(several) > 0 {
			c := largest.Capacity()
			c.Note = fmt.Sprintf("%s is one of %s; the larger is taken, %s", text, strings.Join(several, " and "),
				largest.Name)
			return c, nil
		}
	}
	return Capacity{}, fmt.Errorf("no such GPU is known; known are %s; an amount such as 79.1GiB works too",
		strings.Join(Names(), ", "))
}

// is reports whether a normalized key names the GPU.
func (g GPU) is(key string) bool {
	name := strings.TrimSuffix(normalize(g.Name), "gb")
	return key == name || key == name+strconv.Itoa(g.NominalGB) || slices.Contains(g.keys, key) ||
		slices.ContainsFunc(g.keys, func(k string) bool { return key == k+strconv.Itoa(g.NominalGB) })
}

// noise are the words in torch's and the makers' names that tell no kinds apart: makers, families, how a board is
// plugged in, the kind of memory.
var noise = strings.Fields(`nvidia amd geforce tesla quadro instinct rtx gpu generation edition server workstation
	sxm sxm2 sxm3 sxm4 sxm5 sxm6 pcie oam ac hbm2 hbm2e hbm3 hbm3e gddr6 max q`)

// normalize makes the ways to write a name equal.
func normalize(s string) string {
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	words = slices.DeleteFunc(words, func(w string) bool { return slices.Contains(noise, w) })
	key := strings.Join(words, "")
	for _, prefix := range []string{"nvidia", "amd", "geforce", "rtx"} { // written together: rtx4090
		key = strings.TrimPrefix(key, prefix)
	}
	return key
}

// trimUnit takes gb, gib or g off a key that ends in a size.
func trimUnit(key string) string {
	for _, unit := range []string{"gib", "gb", "g"} {
		if rest, ok := strings.CutSuffix(key, unit); ok && rest != "" && rest[len(rest)-1] >= '0' &&
			rest[len(rest)-1] <= '9' {
			return rest
		}
	}
	return key
}

// units are those of plain amounts, in bytes.
var units = map[string]float64{
	"b": 1, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40,
	"kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12,
}

// amount reads a plain amount of memory. It reports whether s is one at all: digits and a unit, nothing else.
func amount(s string) (c Capacity, is bool, err error) {
	end := 0
	for end < len(s) && (s[end] >= '0' && s[end] <= '9' || s[end] == '.') {
		end++
	}
	number, unit := s[:end], strings.ToLower(strings.TrimSpace(s[end:]))
	factor, known := units[unit]
	switch {
	case number == "":
		return c, false, nil
	case unit == "g" || unit == "m" || unit == "t":
		return c, true, fmt.Errorf("%s leaves open which unit is meant; write %s%siB or %s%sB", s, number,
			strings.ToUpper(unit), number, strings.ToUpper(unit))
	case unit == "" && len(number) != 4: // 4090 and the like are names
		return c, true, fmt.Errorf("an amount needs a unit, such as %sGiB", number)
	case !known:
		return c, false, nil
	}
	v, err := strconv.ParseFloat(number, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return c, true, fmt.Errorf("%s is no number", number)
	}
	if v *= factor; v < 1 || v > maxAmount {
		return c, true, fmt.Errorf("%s is out of range; it must be from 1 B to 1024 TiB", s)
	}
	return Capacity{Name: number + " " + canonicalUnit(unit), Bytes: int64(math.Round(v))}, true, nil
}

// canonicalUnit is a unit as it is printed.
func canonicalUnit(unit string) string {
	if unit == "b" {
		return "B"
	}
	if strings.HasSuffix(unit, "ib") {
		return strings.ToUpper(unit[:1]) + "iB"
	}
	return strings.ToUpper(unit)
}
