package export

import (
	"bufio"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/google/pprof/profile"

	"strata/layout/breakdown"
	"strata/snapshot"
)

// A Profile is what stacks held at a moment, or by how much they differ between two, for programs that show profiles.
type Profile struct {
	Stacks  *breakdown.Grouping // by stack
	At      breakdown.Moment
	Against *breakdown.Moment // nil for none; else At minus it is written
	// FromSite begins stacks at the call site, without what it called.
	FromSite bool
}

// A stackWeight is what one stack holds.
type stackWeight struct {
	group, blocks int64
	bytes         int64
}

// weights returns what differs from zero.
func (p *Profile) weights() (w []stackWeight) {
	if p.Against == nil {
		for _, r := range p.Stacks.At(p.At.State) {
			w = append(w, stackWeight{int64(r.Group), int64(r.Blocks), r.Bytes})
		}
		return w
	}
	for _, c := range p.Stacks.Between(p.Against.State, p.At.State) {
		if d := (stackWeight{int64(c.Group), int64(c.New - c.Gone), c.Difference()}); d.blocks != 0 || d.bytes != 0 {
			w = append(w, d)
		}
	}
	return w
}

// frames is the frames of a group without noise, innermost first; nil where the stack is not known.
func (p *Profile) frames(group int64) []snapshot.FrameID {
	s, stack := p.Stacks.Timeline.Snapshot, p.Stacks.Stack(int32(group))
	frames := s.Stacks.Of(stack)
	if p.FromSite {
		frames = frames[max(0, slices.Index(frames, s.Stacks.Site[stack])):]
	}
	return slices.DeleteFunc(slices.Clone(frames), s.IsNoise)
}

// unknown is the name of a group without frames.
func (p *Profile) unknown(group int64) string {
	if p.Stacks.Stack(int32(group)) != 0 {
		return breakdown.NoStack // all of its frames are noise
	}
	return p.Stacks.Name(int32(group))
}

// WritePprof writes the profile in the gzipped form of github.com/google/pprof, with the sample types inuse_objects and
// inuse_space that heap profiles have. Memory whose stack is not known is a function of that name.
func (p *Profile) WritePprof(out io.Writer) error {
	s := p.Stacks.Timeline.Snapshot
	pr := &profile.Profile{
		SampleType: []*profile.ValueType{{Type: "inuse_objects", Unit: "count"},
			{Type: "inuse_space", Unit: "bytes"}},
		DefaultSampleType: "inuse_space",
		PeriodType:        &profile.ValueType{Type: "space", Unit: "bytes"}, Period: 1,
	}
	functions, locations := map[[2]string]*profile.Function{}, map[string]*profile.Location{}
	location := func(key, name, file string, line int64) *profile.Location {
		l := locations[key]
		if l != nil {
			return l
		}
		f := functions[[2]string{name, file}]
		if f == nil {
			f = &profile.Function{ID: uint64(len(functions) + 1), Name: name, SystemName: name, Filename: file}
			functions[[2]string{name, file}] = f
			pr.Function = append(pr.Function, f)
		}
		l = &profile.Location{ID: uint64(len(locations) + 1), Line: []profile.Line{{Function: f, Line: line}}}
		locations[key] = l
		pr.Location = append(pr.Location, l)
		return l
	}
	for _, w := range p.weights() {
		sample := &profile.Sample{Value: []int64{w.blocks, w.bytes}}
		for _, f := range p.frames(w.group) {
			sample.Location = append(sample.Location, location(s.FrameText(f), s.Strings[s.Frames.Name[f]],
				s.Strings[s.Frames.File[f]], int64(s.Frames.Line[f])))
		}
		if sample.Location == nil {
			name := p.unknown(w.group)
			sample.Location = []*profile.Location{location(name, name, "", 0)}
		}
		pr.Sample = append(pr.Sample, sample)
	}
	if err := pr.CheckValid(); err != nil {
		return err
	}
	return pr.Write(out)
}

// WriteCollapsed writes a line for each stack, as flamegraph.pl and speedscope read them: frames from the outermost to
// the innermost with semicolons between them, and bytes. Stacks that shrank between two moments are left out: the
// format has no negative numbers.
func (p *Profile) WriteCollapsed(out io.Writer) error {
	s, w := p.Stacks.Timeline.Snapshot, bufio.NewWriter(out)
	clean := strings.NewReplacer(";", ",", "\n", " ", "\r", " ")
	sums := map[string]int64{}
	var order []string
	for _, weight := range p.weights() {
		if weight.bytes <= 0 {
			continue
		}
		var texts []string
		for _, f := range p.frames(weight.group) {
			texts = append(texts, clean.Replace(s.FrameText(f)))
		}
		if texts == nil {
			texts = []string{p.unknown(weight.group)}
		}
		slices.Reverse(texts)
		line := strings.Join(texts, ";")
		if sums[line] == 0 {
			order = append(order, line)
		}
		sums[line] += weight.bytes
	}
	for _, line := range order {
		w.WriteString(line)
		w.WriteByte(' ')
		w.Write(strconv.AppendInt(w.AvailableBuffer(), sums[line], 10))
		w.WriteByte('\n')
	}
	return w.Flush()
}
