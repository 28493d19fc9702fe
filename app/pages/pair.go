// Package pages is what a tab shows that is not of one file: the comparison of two, and the wall of many. It knows
// nothing of Gio. All methods belong to the goroutine that owns the sessions.
package pages

import (
	"context"
	"sync"

	"strata/app/session"
	"strata/app/wall"
	"strata/layout"
	"strata/layout/breakdown"
	"strata/layout/category"
	"strata/layout/compare"
	"strata/layout/shape"
	"strata/render"
	"strata/snapshot"
	"strata/widgets/describe"
)

// Align is how two axes are tied.
type Align uint8

// The ways. Annotations ties the n-th occurrence of a name in A to the n-th in B, on the axis of steps.
const (
	BySteps Align = iota
	ByTime
	ByAnnotations
)

// String is what menus call it.
func (a Align) String() string { return [...]string{"steps", "time", "annotations"}[a] }

// A Pair is two files side by side. Neither is read again; what is worked out is worked out on goroutines.
type Pair struct {
	Of   [2]*session.Session // A and B
	View render.View         // of A's axis; B lies below it as Alignment says
	// Begun counts what was shown anew.
	Begun int

	sessions *session.Sessions
	align    Align
	device   int // of A, as PyTorch numbers it; of no device for the one that differs most

	wanted key
	made   *Made
	ties   *compare.Alignment
	tied   alignKey

	moments [2]breakdown.Moment
	chosen  bool

	rows    rows
	courses courses
	stacks  stacks
}

// anyDevice is the one whose peaks differ most.
const anyDevice = -2

// key is what Made depends on.
type key struct {
	snapshots [2]*snapshot.Snapshot
	device    int
	by        breakdown.By
	rules     *category.Rules
	namer     *shape.Namer
}

// Made is two devices with their groups matched. It is immutable.
type Made struct {
	Timelines [2]*layout.Timeline
	Phases    [2]*layout.Phases
	Groups    *compare.Groups
	Code      *compare.Code
	Devices   [][2]*snapshot.Device // all pairs there are

	of key
}

// NewPair compares two sessions' files.
func NewPair(all *session.Sessions, a, b *session.Session) *Pair {
	return &Pair{sessions: all, Of: [2]*session.Session{a, b}, device: anyDevice}
}

// Title is what the tab is called.
func (p *Pair) Title() string {
	names := p.Names()
	return names[0] + " ↔ " + names[1]
}

// Names are the files' names, with as much of their folders as tells them apart.
func (p *Pair) Names() [2]string { return [2]string(wall.Names([]string{p.Of[0].Path, p.Of[1].Path})) }

// Close gives up what is being worked out.
func (p *Pair) Close() { p.wanted, p.made, p.stacks = key{}, nil, stacks{} }

// Refresh brings what is shown up to the files and the options. It is called before each frame that shows the
// pair, and
// does little if nothing has changed.
func (p *Pair) Refresh() {
	want := key{device: p.device, by: p.sessions.Options.GroupBy, rules: p.sessions.Options.Categories}
	if want.by == breakdown.ByShape {
		want.namer = p.sessions.Naming.Version()
	}
	for i, s := range p.Of {
		switch {
		case s.Doc != nil:
			want.snapshots[i] = s.Doc.Snapshot
		case p.made != nil: // unloaded or closed since; it is held here
			want.snapshots[i] = p.made.of.snapshots[i]
		case s.State() == describe.Waiting:
			s.Load()
		}
	}
	if want.snapshots[0] == nil || want.snapshots[1] == nil || want == p.wanted {
		return
	}
	p.wanted = want
	var ready []*layout.Timeline
	for _, s := range p.Of {
		if s.Doc != nil {
			ready = append(ready, s.Doc.Stage.Timeline)
		}
	}
	old := p.made
	if old != nil {
		ready = append(ready, old.Timelines[:]...)
	}
	p.sessions.Background.Go(func(ctx context.Context) func() {
		made := makePair(ctx, want, old, ready)
		return func() {
			if p.wanted == want && made != nil {
				p.show(made)
			}
		}
	})
}

// makePair lays out what is not there yet, and matches.
func makePair(ctx context.Context, want key, old *Made, ready []*layout.Timeline) *Made {
	m := &Made{of: want, Devices: compare.Devices(want.snapshots[0], want.snapshots[1])}
	lay := func(side int, d *snapshot.Device) *layout.Timeline {
		for _, t := range ready {
			if t.Snapshot == want.snapshots[side] && t.Device == d {
				return t
			}
		}
		return layout.New(want.snapshots[side], d, layout.Options{})
	}
	most, candidates := int64(-1), m.Devices
	if want.device == anyDevice {
		candidates = compare.GPUs(candidates)
	}
	for _, pair := range candidates {
		if ctx.Err() != nil {
			return nil
		}
		if want.device != anyDevice && pair[0].Index != want.device {
			continue
		}
		a, b := lay(0, pair[0]), lay(1, pair[1])
		if by := max(a.PeakBytes-b.PeakBytes, b.PeakBytes-a.PeakBytes); by > most {
			most, m.Timelines = by, [2]*layout.Timeline{a, b}
		}
	}
	if m.Timelines[0] == nil {
		return nil
	}
	var work sync.WaitGroup
	if old != nil && old.Timelines == m.Timelines {
		m.Code, m.Phases = old.Code, old.Phases
	} else {
		work.Go(func() { m.Code = compare.NewCode(m.Timelines[0], m.Timelines[1]) })
	}
	var g [2]*breakdown.Grouping
	for i, t := range m.Timelines {
		work.Go(func() {
			if m.Phases[i] == nil {
				m.Phases[i] = layout.AllPhases(t)
			}
			g[i] = breakdown.New(t, want.by, category.GroupOptions(t, want.by, want.rules, want.namer))
		})
	}
	work.Wait()
	m.Groups = compare.NewGroups(m.Code, g[0], g[1])
	return m
}

// show takes what was made.
func (p *Pair) show(made *Made) {
	fresh := p.made == nil || p.made.Timelines != made.Timelines
	p.made = made
	if !fresh {
		return
	}
	if p.align == BySteps && p.sessions.Options.Axis == layout.Time && p.CanAlign(ByTime) {
		p.align = ByTime
	}
	p.chosen = false
	p.Begun++
	p.Whole()
}

// Made is what is compared, nil while that is being worked out.
func (p *Pair) Made() *Made { return p.made }

// Waiting says what the pair waits for, or why there is nothing to compare; "" once there is.
func (p *Pair) Waiting() string {
	for i, s := range p.Of {
		switch {
		case p.made != nil:
			return ""
		case s.Problem != nil && s.Doc == nil:
			return [...]string{"A", "B"}[i] + " could not be opened: " + p.Names()[i]
		}
	}
	return "Reading and comparing…"
}

// SetDevice compares another device of A with that of B.
func (p *Pair) SetDevice(index int) { p.device = index }

// Swap makes A of B and B of A.
func (p *Pair) Swap() {
	p.Of[0], p.Of[1] = p.Of[1], p.Of[0]
	p.moments[0], p.moments[1] = p.moments[1], p.moments[0]
	m := p.made
	if m == nil {
		return
	}
	ties := p.Alignment()
	p.View.X0, p.View.X1 = ties.ToB(p.View.X0), ties.ToB(p.View.X1)
	swapped := *m
	swapped.of.snapshots = [2]*snapshot.Snapshot{m.of.snapshots[1], m.of.snapshots[0]}
	swapped.Timelines[0], swapped.Timelines[1] = m.Timelines[1], m.Timelines[0]
	swapped.Phases[0], swapped.Phases[1] = m.Phases[1], m.Phases[0]
	swapped.Devices = nil
	for _, d := range m.Devices {
		swapped.Devices = append(swapped.Devices, [2]*snapshot.Device{d[1], d[0]})
	}
	if p.device != anyDevice {
		p.device = swapped.Timelines[0].Device.Index
	}
	swapped.Code = compare.NewCode(swapped.Timelines[0], swapped.Timelines[1])
	swapped.Groups = compare.NewGroups(swapped.Code, m.Groups.B, m.Groups.A)
	swapped.of.device = p.device
	p.made, p.wanted = &swapped, swapped.of
}
