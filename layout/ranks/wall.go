package ranks

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// A Wall is the ranks of a run beside one another. It is immutable.
type Wall struct {
	Ranks    []Rank // in the order of the files
	Clusters []Cluster
	Groups   []Row // the largest spread first

	names []Group
}

// A Rank is a device of a file, or a file that could not be read.
type Rank struct {
	File    *File
	Digest  *Digest // nil if it could not be read
	Cluster int     // of Wall.Clusters, -1 if it could not be read
	// Reason says why it is not as the others of its cluster, "" if it is.
	Reason string
	// Apart is by how much its peak differs from its cluster's median, bytes.
	Apart int64

	groups []amount
}

// A Cluster is ranks that hold about the same: replicas of one another. Pipeline stages are several.
type Cluster struct {
	Ranks []int // of Wall.Ranks
	Peak  int64 // median, bytes

	usual map[int32]usual // what groups hold
}

// A Row is a group and what it holds at each rank's own peak, bytes.
type Row struct {
	Name, Label              string
	Bytes                    []int64 // of each of Wall.Ranks
	Min, Median, Max, Spread int64
}

// amount is what a rank holds of a group.
type amount struct {
	group int32
	bytes int64
}

// NewWall compares the devices of files. Those of a file stand together, in the order of the files.
func NewWall(files []*File) *Wall {
	w := &Wall{}
	names := namer{byName: map[string]int32{}, byPlace: map[Group][]int32{}}
	for _, f := range files {
		if len(f.Devices) == 0 {
			w.Ranks = append(w.Ranks, Rank{File: f, Cluster: -1})
		}
		for i := range f.Devices {
			d := &f.Devices[i]
			w.Ranks = append(w.Ranks, Rank{File: f, Digest: d, groups: names.amounts(d)})
		}
	}
	w.names = names.all
	w.table()
	w.cluster()
	for i := range w.Clusters {
		w.outliers(&w.Clusters[i])
	}
	return w
}

// A namer gives groups of all ranks one number each.
type namer struct {
	all     []Group
	byName  map[string]int32
	byPlace map[Group][]int32 // by the name of the file, line and function
}

// amounts numbers the groups of a device, in order of number. A line below another root is the same as one that the
// device does not have under its own name.
func (n *namer) amounts(d *Digest) []amount {
	sums := map[int32]int64{}
	var unknown []*Group
	for i := range d.Groups {
		g := &d.Groups[i]
		if id, is := n.byName[g.Name]; is {
			sums[id] += g.Bytes
		} else {
			unknown = append(unknown, g)
		}
	}
	for _, g := range unknown {
		id, is := n.byName[g.Name] // two may have one name
		if !is {
			id = n.number(g, sums)
			n.byName[g.Name] = id
		}
		sums[id] += g.Bytes
	}
	out := make([]amount, 0, len(sums))
	for _, id := range slices.Sorted(maps.Keys(sums)) {
		out = append(out, amount{id, sums[id]})
	}
	return out
}

// number finds a group of another name that is the same line and is not taken, or makes a new one.
func (n *namer) number(g *Group, taken map[int32]int64) int32 {
	place := Group{File: base(g.File), Function: g.Function, Line: g.Line}
	id, best := int32(-1), 0
	for _, other := range n.byPlace[place] {
		_, is := taken[other]
		if same := commonEnd(g.File, n.all[other].File); g.File != "" && !is && same > best {
			id, best = other, same
		}
	}
	if id < 0 {
		id = int32(len(n.all))
		n.all = append(n.all, *g)
		n.byPlace[place] = append(n.byPlace[place], id)
	}
	return id
}

// commonEnd is how many folders and names at the end of two paths are the same.
func commonEnd(a, b string) (n int) {
	x := strings.Split(strings.ReplaceAll(a, `\`, "/"), "/")
	y := strings.Split(strings.ReplaceAll(b, `\`, "/"), "/")
	for n < min(len(x), len(y)) && x[len(x)-1-n] == y[len(y)-1-n] {
		n++
	}
	return n
}

// table makes the rows of the groups.
func (w *Wall) table() {
	rows := make([]Row, len(w.names))
	for i, g := range w.names {
		rows[i] = Row{Name: g.Name, Label: g.Label, Bytes: make([]int64, len(w.Ranks))}
	}
	for i := range w.Ranks {
		for _, a := range w.Ranks[i].groups {
			rows[a.group].Bytes[i] += a.bytes
		}
	}
	for i := range rows {
		r := &rows[i]
		var read []int64
		for j, bytes := range r.Bytes {
			if w.Ranks[j].Digest != nil {
				read = append(read, bytes)
			}
		}
		slices.Sort(read)
		r.Min, r.Median, r.Max = read[0], median(read), read[len(read)-1]
		r.Spread = r.Max - r.Min
	}
	slices.SortStableFunc(rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(b.Spread, a.Spread), cmp.Compare(b.Max, a.Max), strings.Compare(a.Name, b.Name))
	})
	w.Groups = rows
}

// median of sorted values; of two middle ones the lower.
func median(sorted []int64) int64 { return sorted[(len(sorted)-1)/2] }
