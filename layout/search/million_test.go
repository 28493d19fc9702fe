package search

import (
	"context"
	"fmt"
	"testing"

	"strata/layout"
	"strata/snapshot"
)

// BenchmarkMillionStacks looks for a text in a million different stacks that
// nothing is remembered of.
func BenchmarkMillionStacks(b *testing.B) {
	s := &snapshot.Snapshot{Strings: []string{""}, Streams: []int64{0}, Pools: make([]snapshot.Pool, 1), Metas: make([]snapshot.Meta, 1)}
	s.Frames.Name, s.Frames.File, s.Frames.Line = []snapshot.StringID{0}, []snapshot.StringID{0}, []int32{0}
	const frames, stacks, deep = 20_000, 1_000_000, 20
	for i := range frames {
		s.Strings = append(s.Strings, fmt.Sprintf("function_%d", i), fmt.Sprintf("/srv/train/module_%d.py", i/10))
		s.Frames.Name = append(s.Frames.Name, snapshot.StringID(2*i+1))
		s.Frames.File = append(s.Frames.File, snapshot.StringID(2*i+2))
		s.Frames.Line = append(s.Frames.Line, int32(i))
	}
	s.Stacks.Start, s.Stacks.Site = []uint32{0, 0}, []snapshot.FrameID{0}
	e := &snapshot.Events{}
	for i := range stacks {
		for d := range deep {
			s.Stacks.Frame = append(s.Stacks.Frame, snapshot.FrameID(1+(i*7919+d*104729)%frames))
		}
		s.Stacks.Start = append(s.Stacks.Start, uint32(len(s.Stacks.Frame)))
		s.Stacks.Site = append(s.Stacks.Site, s.Stacks.Frame[len(s.Stacks.Frame)-deep])
		e.Action, e.Addr = append(e.Action, snapshot.ActionAlloc), append(e.Addr, uint64(i+1)<<9)
		e.Size, e.Stream, e.Stack = append(e.Size, 512), append(e.Stream, 0), append(e.Stack, snapshot.StackID(i+1))
	}
	s.Devices = []snapshot.Device{{Events: *e}}
	t := layout.New(s, &s.Devices[0], layout.Options{})
	for _, text := range []string{"function_1234", "/module_77.*function_77[0-9]$/"} {
		q, err := Parse(text)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(map[bool]string{true: "regexp", false: "text"}[text[0] == 47], func(b *testing.B) {
			for b.Loop() {
				if _, err := New(t).Run(context.Background(), q); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
