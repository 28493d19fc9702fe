package snapshot

import (
	"cmp"
	"slices"

	"strata/snapshot/memtimeline"
	"strata/snapshot/unpack"
)

// ReaderTimeline is Source.Reader of a file of export_memory_timeline.
const ReaderTimeline = "timeline"

// Bands is what a device held by category where the file tells nothing else, and no allocation. All of All are as long
// as Time, which ascends; from Time[i] on (microseconds since the Unix epoch, or since the beginning in files of before
// March 2023) All[k].Bytes[i] are held.
type Bands struct {
	Time []int64
	All  []Band
}

// A Band is a category of Bands. Its bytes are never negative.
type Band struct {
	Name  string
	Bytes []int64
}

// timelineCost is how many times its size a memory timeline takes while it is read.
const timelineCost = 12

// A timelineError says what is wrong with a memory timeline, or with a table.
type timelineError struct{ error }

// timeline reads a file of export_memory_timeline.
func (d *decoding) timeline(c *unpack.Content) error {
	d.src.Reader = ReaderTimeline
	data, err := d.whole(c, d.lim.Memory/timelineCost)
	if err != nil {
		return err
	}
	t, err := memtimeline.Read(data)
	if err != nil {
		return &timelineError{err}
	}
	d.categories = t
	return nil
}

// fromTimeline makes a snapshot of the timeline that was read: a device with bands alone.
func (d *decoding) fromTimeline() *Snapshot {
	t := d.categories
	// What was there before comes one by one in raw files: it is one state.
	first := 0
	for first+1 < len(t.Times) && t.Times[first+1] == t.Times[0] && t.Total(first+1) >= t.Total(first) {
		first++
	}
	bands := &Bands{Time: make([]int64, len(t.Times)-first)}
	for i := range bands.Time {
		bands.Time[i] = t.Times[first+i] / 1000
	}
	for c, name := range memtimeline.Categories {
		bytes := t.Bytes[c][first:]
		for i, n := range bytes {
			if n < 0 {
				bytes[i], t.Odd = 0, t.Odd+1
			}
		}
		if slices.Max(bytes) > 0 {
			bands.All = append(bands.All, Band{name, bytes})
		}
	}
	if len(bands.Time) == 1 { // there has to be a step to draw
		bands.Time = append(bands.Time, bands.Time[0]+1)
		for i := range bands.All {
			bands.All[i].Bytes = append(bands.All[i].Bytes, bands.All[i].Bytes[0])
		}
	}
	d.reset()
	b := d.b
	s := &Snapshot{Devices: []Device{{Name: "Device", Bands: bands}}, Strings: b.strs.items, Frames: b.frames,
		Streams: b.streams.items, Pools: b.pools.items, Metas: b.metas.items,
		Stacks: Stacks{Start: b.stacks.start, Frame: b.stacks.frame}}
	s.Stacks.Site = s.sites()
	return s
}

// timelineFindings are what is to be said about a memory timeline.
func (d *decoding) timelineFindings(s *Snapshot) []Finding {
	f, t := &finder{s: s}, d.categories
	if t.Odd > 0 {
		f.add("rows-odd", Warning, "odd rows",
			"Some rows have a category or an action that there is none of, go back in time, or make less than "+
				"nothing: figures may be wrong.", "", int64(t.Odd), -1)
	}
	if t.Times[0] < 1e15 { // files of before March 2023 count from their beginning, as do made ones
		f.add("relative-times", Notice, "relative times", "The file does not say when its times begin, so that they "+
			"cannot be compared with those of other files.", "", 0, -1)
	}
	text := "The file tells how much memory each category had over time, and neither single allocations, nor code, " +
		"nor which device it is. Of what was there before, only the tensors that operators saw are counted, so that " +
		"the device held more than this."
	if !t.Raw {
		text += " States within a microsecond are one: a short peak can be missing."
	}
	f.add("memory-timeline", Info, "a memory timeline of torch.profiler", text,
		"For more, open the trace of the same run (export_chrome_trace), or a snapshot: "+
			"torch.cuda.memory._dump_snapshot", 0, -1)
	slices.SortStableFunc(f.out, func(x, y Finding) int { return cmp.Compare(y.Severity, x.Severity) })
	return f.out
}

// A pictureError is the error of the HTML form of a memory timeline, which holds a picture alone.
type pictureError struct{ png []byte }

// Error says what the file is.
func (e *pictureError) Error() string {
	return "this is a memory timeline of torch.profiler as a web page: it holds a picture and no numbers"
}

// advicePicture says where the numbers of a picture are.
const advicePicture = "The numbers are in the trace of the same run (export_chrome_trace) or in a timeline exported " +
	"as .json.gz: profiler.export_memory_timeline(\"timeline.json.gz\")"

// pageOf is the error of a page that is the HTML form of a memory timeline, nil for any other file.
func pageOf(data []byte) error {
	if !memtimeline.IsHTML(data[:min(len(data), unpack.SniffBytes)]) {
		return nil
	}
	png, err := memtimeline.Picture(data)
	if err != nil {
		return &timelineError{err}
	}
	return &pictureError{png}
}
