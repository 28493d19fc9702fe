package cache

import (
	"context"
	"errors"
	"testing"

	"strata/snapshot"
)

// spoilt names what can be wrong with a snapshot, and makes it so.
var spoilt = map[string]func(s *snapshot.Snapshot, d *snapshot.Device){
	"an action that is none": func(_ *snapshot.Snapshot, d *snapshot.Device) {
		d.Events.Action[1] = snapshot.ActionUserDefined + 1
	},
	"no action": func(_ *snapshot.Snapshot, d *snapshot.Device) { d.Events.Action[1] = 0 },
	"columns of different lengths": func(_ *snapshot.Snapshot, d *snapshot.Device) {
		d.Events.Addr = d.Events.Addr[1:]
	},
	"times of another length": func(_ *snapshot.Snapshot, d *snapshot.Device) {
		d.Events.Time = d.Events.Time[1:]
	},
	"a negative size": func(_ *snapshot.Snapshot, d *snapshot.Device) { d.Events.Size[2] = -1 },
	"a stream": func(s *snapshot.Snapshot, d *snapshot.Device) {
		d.Events.Stream[2] = snapshot.StreamID(len(s.Streams))
	},
	"a stack": func(s *snapshot.Snapshot, d *snapshot.Device) {
		d.Events.Stack[2] = snapshot.StackID(s.Stacks.Len())
	},
	"metadata": func(s *snapshot.Snapshot, d *snapshot.Device) {
		d.Events.Meta[2] = snapshot.MetaID(len(s.Metas))
	},
	"a block's size":           func(_ *snapshot.Snapshot, d *snapshot.Device) { d.Blocks.Size[0] = -5 },
	"a block's requested size": func(_ *snapshot.Snapshot, d *snapshot.Device) { d.Blocks.Requested[0] = -5 },
	"a block's state": func(_ *snapshot.Snapshot, d *snapshot.Device) {
		d.Blocks.State[0] = snapshot.BlockUnknown + 1
	},
	"a block's stack": func(_ *snapshot.Snapshot, d *snapshot.Device) { d.Blocks.Stack[0] = 1 << 31 },
	"blocks of different lengths": func(_ *snapshot.Snapshot, d *snapshot.Device) {
		d.Blocks.State = d.Blocks.State[1:]
	},
	"forward stacks of blocks": func(_ *snapshot.Snapshot, d *snapshot.Device) {
		d.Blocks.Forward = make([]snapshot.StackID, 1)
	},
	"a segment without a beginning": func(_ *snapshot.Snapshot, d *snapshot.Device) { d.Segments[1].First-- },
	"a segment without an end": func(_ *snapshot.Snapshot, d *snapshot.Device) {
		d.Segments[len(d.Segments)-1].End++
	},
	"a segment's size": func(_ *snapshot.Snapshot, d *snapshot.Device) { d.Segments[0].Active = -1 },
	"a segment's pool": func(s *snapshot.Snapshot, d *snapshot.Device) {
		d.Segments[0].Pool = snapshot.PoolID(len(s.Pools))
	},
	"a segment's stack": func(s *snapshot.Snapshot, d *snapshot.Device) {
		d.Segments[0].Forward = snapshot.StackID(s.Stacks.Len())
	},
	"the same device twice": func(s *snapshot.Snapshot, _ *snapshot.Device) {
		s.Devices = append(s.Devices, s.Devices[0])
	},
	"host memory as a GPU": func(s *snapshot.Snapshot, _ *snapshot.Device) { s.Host = &snapshot.Device{Index: 3} },
	"a frame's name": func(s *snapshot.Snapshot, _ *snapshot.Device) {
		s.Frames.Name[1] = snapshot.StringID(len(s.Strings))
	},
	"a frame's line":       func(s *snapshot.Snapshot, _ *snapshot.Device) { s.Frames.Line[1] = -1 },
	"no placeholder frame": func(s *snapshot.Snapshot, _ *snapshot.Device) { s.Frames = snapshot.Frames{} },
	"a frame's fx node": func(s *snapshot.Snapshot, _ *snapshot.Device) {
		s.Frames.FX[1] = snapshot.FX{Op: 1 << 30}
	},
	"a frame with fx nodes": func(s *snapshot.Snapshot, _ *snapshot.Device) { s.Frames.FX[1<<30] = snapshot.FX{} },
	"a stack's frame": func(s *snapshot.Snapshot, _ *snapshot.Device) {
		s.Stacks.Frame[0] = snapshot.FrameID(len(s.Frames.Name))
	},
	"a stack's site": func(s *snapshot.Snapshot, _ *snapshot.Device) {
		s.Stacks.Site[1] = snapshot.FrameID(len(s.Frames.Name))
	},
	"stacks back to front": func(s *snapshot.Snapshot, _ *snapshot.Device) { s.Stacks.Start[2] = 1 << 30 },
	"stacks beyond the end": func(s *snapshot.Snapshot, _ *snapshot.Device) {
		s.Stacks.Start[s.Stacks.Len()]++
	},
	"no stacks":                 func(s *snapshot.Snapshot, _ *snapshot.Device) { s.Stacks = snapshot.Stacks{} },
	"no strings":                func(s *snapshot.Snapshot, _ *snapshot.Device) { s.Strings = nil },
	"a first string":            func(s *snapshot.Snapshot, _ *snapshot.Device) { s.Strings[0] = "x" },
	"control characters":        func(s *snapshot.Snapshot, _ *snapshot.Device) { s.Strings[1] = "a\x1b[2J" },
	"control characters beyond": func(s *snapshot.Snapshot, _ *snapshot.Device) { s.Strings[1] = "a\u009b" },
	"no UTF-8":                  func(s *snapshot.Snapshot, _ *snapshot.Device) { s.Strings[1] = "a\xff" },
	"no streams":                func(s *snapshot.Snapshot, _ *snapshot.Device) { s.Streams = nil },
	"metadata's text":           func(s *snapshot.Snapshot, _ *snapshot.Device) { s.Metas[1].User = 1 << 31 },
	"metadata's pool":           func(s *snapshot.Snapshot, _ *snapshot.Device) { s.Metas[1].Pool = 1 << 31 },
	"an annotation's name":      func(s *snapshot.Snapshot, _ *snapshot.Device) { s.Annotations[0].Name = 1 << 31 },
	"a finding's severity":      func(s *snapshot.Snapshot, _ *snapshot.Device) { s.Findings[0].Severity = 3 },
}

// TestCheck breaks one promise of package snapshot after another.
func TestCheck(t *testing.T) {
	for what, spoil := range spoilt {
		s, err := snapshot.Open(context.Background(), example, snapshot.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := check(s); err != nil {
			t.Fatal("as it is: ", err)
		}
		spoil(s, &s.Devices[0])
		if err := check(s); !errors.Is(err, errInvalid) {
			t.Errorf("%s: %v", what, err)
		}
		// In an entry whose sums are right, it is found as well.
		if _, err := decodeEntry(encode(t, s), key{}, 1<<30); err == nil {
			t.Errorf("%s: taken from an entry", what)
		}
	}
}
