package compare

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"
)

// matchFiles finds the files of a in b: those of the same path, then those of the same path within what is installed,
// then those with the longest common end of their paths, then renamed ones by their functions.
func (c *Code) matchFiles() {
	c.file = slices.Repeat([]int32{none}, len(c.a.files))
	c.fileRule = make([]Rule, len(c.a.files))
	c.fileBack = slices.Repeat([]int32{none}, len(c.b.files))
	c.pairFiles(SameName, func(f *file) string { return "=" + f.name })
	c.pairFiles(OtherRoot, func(f *file) string { return f.inside })
	deepest := 0
	for i := range c.a.files {
		deepest = max(deepest, len(c.a.files[i].parts))
	}
	for n := min(deepest, deepestPath); n > 0; n-- {
		c.pairFiles(OtherRoot, func(f *file) string {
			if len(f.parts) < n || f.name == "" {
				return ""
			}
			return strings.Join(f.parts[len(f.parts)-n:], "/")
		})
	}
	c.pairRenamed()
}

// deepestPath bounds how many folders are compared.
const deepestPath = 32

// pairFiles pairs files without a partner that have the same key; of several those that share most functions.
func (c *Code) pairFiles(rule Rule, key func(*file) string) {
	inB := map[string][]int32{}
	for i := range c.b.files {
		if k := key(&c.b.files[i]); k != "" && c.fileBack[i] == none {
			inB[k] = append(inB[k], int32(i))
		}
	}
	inA := map[string][]int32{}
	var order []string
	for i := range c.a.files {
		if k := key(&c.a.files[i]); c.file[i] == none && inB[k] != nil {
			if inA[k] == nil {
				order = append(order, k)
			}
			inA[k] = append(inA[k], int32(i))
		}
	}
	for _, k := range order {
		c.pairBest(inA[k], inB[k], rule, func(a, b *file) int {
			n := c.shared(a, b)
			only := len(inA[k])+len(inB[k]) == 2 && !anyProject(k)
			if n == 0 && !only && rule == OtherRoot && !strings.Contains(k, "/") {
				return none // nothing but the name is the same
			}
			return n
		})
	}
}

// mostPairs bounds how many pairs of files are looked at for one name, and of functions for two files.
const mostPairs = 1 << 14

// pairBest pairs files by a score, none for no pair; very many, as of one name, in their order.
func (c *Code) pairBest(a, b []int32, rule Rule, score func(a, b *file) int) {
	type pair struct {
		a, b  int32
		score int
	}
	var pairs []pair
	for i, x := range a {
		rest := b
		if len(a)*len(b) > mostPairs {
			rest = b[min(i, len(b)):min(i+1, len(b))]
		}
		for _, y := range rest {
			if s := score(&c.a.files[x], &c.b.files[y]); s != none {
				pairs = append(pairs, pair{x, y, s})
			}
		}
	}
	slices.SortStableFunc(pairs, func(x, y pair) int { return cmp.Compare(y.score, x.score) })
	for _, p := range pairs {
		if c.file[p.a] == none && c.fileBack[p.b] == none {
			c.file[p.a], c.fileRule[p.a], c.fileBack[p.b] = p.b, rule, p.a
		}
	}
}

// shared is how many functions two files have in common; those of any file do not count.
func (c *Code) shared(a, b *file) (n int) {
	for f := range a.places {
		if b.places[f] != nil && !anyFile(c.names[f]) {
			n++
		}
	}
	return n
}

// anyProject reports whether files of unrelated programs are called so.
func anyProject(file string) bool {
	switch strings.TrimSuffix(file, path.Ext(file)) {
	case "__init__", "__main__", "util", "utils", "common", "helpers", "base", "types", "config", "setup":
		return true
	}
	return false
}

func anyFile(function string) bool {
	switch function {
	case "<module>", "<lambda>", "__init__", "__call__", "forward", "wrapper", "main", "":
		return true
	}
	return false
}

// mostTelling is how many functions of a file are looked for under other names of it.
const mostTelling = 64

// pairRenamed pairs files that have most of their functions in common, whatever their names.
func (c *Code) pairRenamed() {
	withFunction := map[int32][]int32{}
	for i := range c.b.files {
		if c.fileBack[i] == none && c.b.files[i].name != "" {
			for f := range c.b.files[i].places {
				withFunction[f] = append(withFunction[f], int32(i))
			}
		}
	}
	for i := range c.a.files {
		f := &c.a.files[i]
		if c.file[i] != none || f.name == "" {
			continue
		}
		best, most := int32(none), 0
		functions := slices.Sorted(maps.Keys(f.places))
		for _, function := range functions[:min(len(functions), mostTelling)] {
			candidates := withFunction[function]
			for _, b := range candidates[:min(len(candidates), mostKnown)] {
				n := c.shared(f, &c.b.files[b])
				if c.fileBack[b] == none && n > most && 2*n >= min(len(f.places), len(c.b.files[b].places)) {
					best, most = b, n
				}
			}
		}
		if best != none {
			c.file[i], c.fileRule[i], c.fileBack[best] = best, RenamedFile, int32(i)
		}
	}
}
