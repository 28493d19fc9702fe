package snapshot

import (
	"errors"
	"fmt"
	"strings"

	"strata/snapshot/jsontext"
	"strata/snapshot/kineto"
	"strata/snapshot/pickle"
	"strata/snapshot/unpack"
)

// Advice that several errors have in common.
const (
	adviceLimit   = "If the file is an honest one, raise the limit: strata --memory-limit 16GiB FILE"
	adviceOpens   = "Strata opens what torch.cuda.memory._dump_snapshot and torch.profiler write"
	adviceRedump  = "Dump the snapshot again, or copy it again"
	adviceProfile = "Record with torch.profiler.profile(profile_memory=True, with_stack=True, record_shapes=True)"
)

// errNoMemoryEvents is the error of a trace of torch.profiler with nothing to show.
var errNoMemoryEvents = errors.New("no events about memory")

// explain makes an *Error of what ended reading; ctx.Err() stays as it is.
func (d *decoding) explain(err error) error {
	if d.ctx.Err() != nil {
		return d.ctx.Err()
	}
	e := &Error{Kind: KindFormat, Name: d.src.Name, Offset: -1, Err: err}
	var inPickle *pickle.Error
	if errors.As(err, &inPickle) {
		e.Offset = inPickle.Offset
	}
	say := func(kind Kind, what, advice string) { e.Kind, e.What, e.Advice = kind, what, advice }
	var packed *unpack.Error
	var page *pictureError
	var timeline *timelineError
	truncated := errors.Is(err, pickle.ErrTruncated)
	switch {
	case errors.Is(err, unpack.ErrFault):
		say(KindIO, unpack.ErrFault.Error(), "Copy the file to a local disk and open the copy")
	case errors.Is(err, pickle.ErrMemory), errors.Is(err, kineto.ErrMemory):
		what := fmt.Sprintf("reading this file takes more than the %d MiB of memory allowed", d.lim.Memory>>20)
		say(KindLimit, what, adviceLimit)
	case errors.Is(err, errRaw):
		say(KindLimit, fmt.Sprintf("the file unpacks to more than the %d MiB allowed", d.lim.Raw>>20), adviceLimit)
	case errors.Is(err, pickle.ErrDepth):
		what := fmt.Sprintf("the file nests its containers more than %d deep, which no snapshot does", d.lim.Depth)
		say(KindLimit, what, "")
	case errors.Is(err, errNotSnapshot):
		say(KindNotSnapshot, "this is no memory snapshot: "+d.describeRoot(), adviceOpens)
	case errors.As(err, &page):
		say(KindNotSnapshot, page.Error(), advicePicture)
		e.Image = page.png
	case errors.As(err, &timeline):
		say(KindFormat, timeline.Error(), "Export it again")
	case errors.Is(err, errNoMemoryEvents):
		what := "this trace of torch.profiler has no events about memory"
		if d.profile.NoKineto {
			what += ", as it was written by a PyTorch without Kineto"
		}
		say(KindNotSnapshot, what, adviceProfile)
	case errors.Is(err, kineto.ErrNotTrace):
		say(KindNotSnapshot, "this JSON is neither a memory snapshot nor a trace of torch.profiler", adviceOpens)
	case errors.Is(err, errSizes):
		say(KindFormat, "the file is damaged: "+err.Error(), "Dump the snapshot again")
	case errors.Is(err, jsontext.ErrToken):
		say(KindFormat, err.Error(), "If the file is an honest one, leave that out")
	case errors.As(err, &packed):
		say(kindOf[packed.Reason], packed.What, packed.Advice)
	case inPickle != nil && (d.src.Reader == "stream" && !d.likeSnapshot || inPickle.Offset < 16 && !truncated):
		what := "this is no pickle and nothing else that Strata opens"
		if truncated {
			e.Offset = -1
		} else {
			what += ": " + inPickle.What
		}
		say(KindFormat, what, adviceOpens)
	case inPickle != nil && truncated:
		say(KindTruncated, "nothing useful comes before the file is cut off", adviceRedump+" in full")
	case inPickle != nil:
		say(KindFormat, "the file is damaged, and nothing useful remains: "+inPickle.What, adviceRedump)
	default:
		e.What = err.Error()
	}
	return e
}

// kindOf is the Kind of what could not be unpacked, by its reason.
var kindOf = [...]Kind{
	unpack.Damaged: KindFormat, unpack.CutOff: KindTruncated, unpack.Empty: KindEmpty, unpack.Foreign: KindNotSnapshot,
}

// describeRoot says what a pickle is that is no snapshot.
func (d *decoding) describeRoot() string {
	v := d.root
	switch {
	case v.IsDict():
		var keys []string
		for _, kv := range dictEntries(d.b.h.Pairs(v)) {
			if id, ok := kv[0].IsString(); ok && len(keys) < 4 {
				k := clean(d.b.h.Text(id))
				keys = append(keys, fmt.Sprintf("%.40q", k))
			}
		}
		if len(keys) == 0 {
			return "it holds a dict without device_traces and segments"
		}
		return "it holds a dict with " + strings.Join(keys, ", ") + "… but neither device_traces nor segments"
	case v.IsList() && d.b.h.Len(v) == 0:
		return "it holds an empty list"
	case v.IsList() && d.b.h.Len(v) == 1:
		return "it holds a list of one item that is no segment"
	case v.IsList():
		return fmt.Sprintf("it holds a list of %d items that are no segments", d.b.h.Len(v))
	}
	return "it holds something else than a dict or a list"
}
