package snapshot

import (
	"errors"
	"fmt"
	"strings"

	"strata/snapshot/jsontext"
	"strata/snapshot/pickle"
	"strata/snapshot/unpack"
)

// version guesses which PyTorch wrote the file by what is in it (FORMAT.md, section 1.3).
func (b *builder) version() string {
	r, e := &b.root, &b.seen
	hasTime := e.time
	switch {
	case e.internalMetadata:
		return "> 2.14"
	case e.annotate:
		return "≥ 2.14"
	case r.hasHost:
		return "≥ 2.13"
	case e.poolID:
		return "2.12"
	case e.userMetadata:
		return "2.10–2.11"
	case e.compileContext && e.graphReuse:
		return "2.9"
	case e.compileContext:
		return "2.8–2.9"
	case r.hasAnns && b.events.n == 0: // what came later is written on events
		return "≥ 2.5"
	case r.hasAnns:
		return "2.5–2.7"
	case r.hasSettings && b.events.n == 0:
		return "≥ 2.3"
	case r.hasSettings:
		return "2.3–2.4"
	case r.isList:
		return "≤ 1.13"
	case hasTime:
		return "2.2"
	case e.history && !e.blockAddr:
		return "2.0"
	case e.blockFrames && b.events.n == 0:
		return "≥ 2.1"
	case e.blockFrames:
		return "2.1"
	}
	return ""
}

// explain turns what went wrong into one sentence for the person.
func (d *decoding) explain(err error) error {
	if d.ctx.Err() != nil {
		return d.ctx.Err()
	}
	e := &Error{Kind: KindFormat, Name: d.src.Name, Offset: -1, Err: err}
	var pe *pickle.Error
	if errors.As(err, &pe) {
		e.Offset = pe.Offset
	}
	var c *unpack.Error
	switch {
	case errors.Is(err, unpack.ErrFault):
		e.Kind, e.What, e.Advice = KindIO, unpack.ErrFault.Error(), "Copy the file to a local disk and open the copy"
	case errors.Is(err, pickle.ErrMemory):
		e.Kind, e.What = KindLimit, fmt.Sprintf("reading this file takes more than the %d MiB of memory allowed", d.lim.Memory>>20)
		e.Advice = "If the file is an honest one, raise the limit: strata --memory-limit 16GiB FILE"
	case errors.Is(err, errRaw):
		e.Kind, e.What = KindLimit, fmt.Sprintf("the file unpacks to more than the %d MiB allowed", d.lim.Raw>>20)
		e.Advice = "If the file is an honest one, raise the limit: strata --memory-limit 16GiB FILE"
	case errors.Is(err, pickle.ErrDepth):
		e.Kind, e.What = KindLimit, fmt.Sprintf("the file nests its containers more than %d deep, which no snapshot does", d.lim.Depth)
	case errors.Is(err, errNotSnapshot):
		e.Kind, e.What = KindNotSnapshot, "this is no memory snapshot: "+d.describeRoot()
		e.Advice = "Strata opens what torch.cuda.memory._dump_snapshot writes"
	case errors.Is(err, errSizes):
		e.What = "the file is damaged: " + err.Error()
		e.Advice = "Dump the snapshot again"
	case errors.Is(err, jsontext.ErrToken):
		e.What, e.Advice = err.Error(), "If the file is an honest one, leave that out"
	case errors.As(err, &c):
		kinds := [...]Kind{unpack.Damaged: KindFormat, unpack.CutOff: KindTruncated, unpack.Empty: KindEmpty, unpack.Foreign: KindNotSnapshot}
		e.Kind, e.What, e.Advice = kinds[c.Reason], c.What, c.Advice
	case pe != nil && (d.src.Reader == "stream" && !d.likeSnapshot || pe.Offset < 16 && !errors.Is(err, pickle.ErrTruncated)):
		e.What, e.Offset = "this is no pickle and nothing else that Strata opens", -1
		if !errors.Is(err, pickle.ErrTruncated) {
			e.What, e.Offset = e.What+": "+pe.What, pe.Offset
		}
		e.Advice = "Strata opens what torch.cuda.memory._dump_snapshot writes"
	case pe != nil && errors.Is(err, pickle.ErrTruncated):
		e.Kind, e.What = KindTruncated, "nothing useful comes before the file is cut off"
		e.Advice = "Dump the snapshot again, or copy it again in full"
	case pe != nil:
		e.What = "the file is damaged, and nothing useful remains: " + pe.What
		e.Advice = "Dump the snapshot again, or copy it again"
	default:
		e.What = err.Error()
	}
	return e
}

// describeRoot says what a pickle is that is no snapshot.
func (d *decoding) describeRoot() string {
	v := d.root
	switch {
	case v.IsDict():
		var keys []string
		for _, kv := range dictEntries(d.b.h, v) {
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
