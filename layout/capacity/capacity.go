// Package capacity knows how much memory GPUs have: what their makers call it, and what of it a program can use.
package capacity

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A Capacity is a limit to draw: the memory of a kind of GPU, or a plain amount. The zero value is none.
type Capacity struct {
	// Name is what people call the GPU, with the size where there are several, or the amount as it was given.
	Name string
	// Bytes are those that a program can hope for: of a GPU what torch reports as total_memory
	// (cudaDeviceProp.totalGlobalMem) and prints as "total capacity" when it runs out. It is less than what
	// nvidia-smi shows, which counts what the driver and error correction take.
	Bytes int64
	// NominalGB is what the maker calls the memory, 0 for a plain amount. Makers mean neither 10^9 nor 2^30 bytes by
	// it with any rigour, so nothing is computed from it.
	NominalGB int
	Note      string // a sentence about a name that several GPUs have, "" else
	keys      string // further ways to write Name, normalized, between blanks
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
func Known() []Capacity { return slices.Clone(table) }

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
		for _, k := range []string{key, sized.ReplaceAllString(key, "$1")} {
			if i := slices.IndexFunc(table, func(g Capacity) bool { return g.is(k) }); i >= 0 {
				return table[i], nil
			}
		}
		var several []string
		var largest Capacity
		for _, g := range table {
			if base, _, sized := strings.Cut(g.Name, " "); sized && normalize(base) == key {
				several = append(several, g.Name)
				if g.Bytes > largest.Bytes {
					largest = g
				}
			}
		}
		if len(several) > 0 {
			largest.Note = fmt.Sprintf("%s is one of %s; the larger is taken, %s",
				text, strings.Join(several, " and "), largest.Name)
			return largest, nil
		}
	}
	var names []string
	for _, g := range table {
		names = append(names, g.Name)
	}
	return Capacity{}, fmt.Errorf("no such GPU is known; known are %s; an amount such as 79.1GiB works too",
		strings.Join(names, ", "))
}

// is reports whether a normalized key names the GPU.
func (c Capacity) is(key string) bool {
	for _, name := range append(strings.Fields(c.keys), strings.TrimSuffix(normalize(c.Name), "gb")) {
		if key == name || key == name+strconv.Itoa(c.NominalGB) {
			return true
		}
	}
	return false
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

// sized is a key that ends in a size and its unit.
var sized = regexp.MustCompile(`^(.*[0-9])(?:gib|gb|g)$`)

// units are those of plain amounts by their names in lower case.
var units = map[string]struct {
	name  string
	bytes float64
}{
	"b": {"B", 1}, "kib": {"KiB", 1 << 10}, "mib": {"MiB", 1 << 20}, "gib": {"GiB", 1 << 30}, "tib": {"TiB", 1 << 40},
	"kb": {"KB", 1e3}, "mb": {"MB", 1e6}, "gb": {"GB", 1e9}, "tb": {"TB", 1e12},
}

// amount reads a plain amount of memory. It reports whether s is one at all: digits and a unit, nothing else.
func amount(s string) (c Capacity, is bool, err error) {
	rest := strings.TrimLeft(s, "0123456789.")
	number, unit := strings.TrimSuffix(s, rest), strings.ToLower(strings.TrimSpace(rest))
	in, known := units[unit]
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
	if v *= in.bytes; v < 1 || v > maxAmount {
		return c, true, fmt.Errorf("%s is out of range; it must be from 1 B to 1024 TiB", s)
	}
	return Capacity{Name: number + " " + in.name, Bytes: int64(math.Round(v))}, true, nil
}
