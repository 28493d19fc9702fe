package state

import (
	"math"
	"math/bits"
	"strconv"
	"strings"

	"strata/snapshot"
)

// Settings are those of the allocator that decide over the sizes of blocks and segments. Values are PyTorch's own
// where a file says nothing.
type Settings struct {
	Recorded   bool          // the file has settings
	MaxSplit   int64         // bytes; blocks of that size are not split. math.MaxInt64: no limit
	NonSplit   int64         // bytes of rest that a block over MaxSplit may have
	Expandable bool          // expandable_segments, at the end of the trace
	Garbage    float64       // garbage_collection_threshold; 0 is off
	Fraction   float64       // of the device's memory that may be used; 0: not said
	Page       int64         // bytes of a large segment for requests below 10 MiB, and of an expandable one's pages
	roundup    map[int]int64 // roundup_power2_divisions by MiB
}

const (
	smallPage = 2 * mib
	largePage = 20 * mib
	bigFrom   = 10 * mib // requests from here on get segments of their own size
)

// ReadSettings reads a file's settings.
func ReadSettings(list []snapshot.Setting) Settings {
	s := Settings{Recorded: len(list) > 0, MaxSplit: math.MaxInt64, NonSplit: 20 * mib, Page: largePage,
		roundup: map[int]int64{}}
	for _, set := range list {
		if set.Key == "PYTORCH_CUDA_ALLOC_CONF" || set.Key == "PYTORCH_ALLOC_CONF" {
			s.readText(set.Value)
		}
	}
	for _, set := range list { // these are what the allocator goes by; the text may be stale
		n, err := strconv.ParseFloat(set.Value, 64)
		switch {
		case set.Key == "expandable_segments":
			s.Expandable = strings.EqualFold(set.Value, "true") || set.Value == "1"
		case err != nil:
		case set.Key == "max_split_size":
			s.MaxSplit = math.MaxInt64
			if n > 0 && n < 1<<62 {
				s.MaxSplit = int64(n)
			}
		case set.Key == "garbage_collection_threshold":
			s.Garbage = n
		case strings.HasPrefix(set.Key, "roundup_power2_divisions."):
			if mb, err := strconv.Atoi(set.Key[strings.IndexByte(set.Key, '.')+1:]); err == nil && n > 1 && n < 1<<30 {
				s.roundup[mb] = int64(n)
			}
		}
	}
	return s
}

// readText reads what stands in the text of PYTORCH_CUDA_ALLOC_CONF alone.
func (s *Settings) readText(text string) {
	for item := range strings.SplitSeq(text, ",") {
		key, value, _ := strings.Cut(strings.TrimSpace(item), ":")
		n, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
		if err != nil || !(n > 0 && n < 1<<30) {
			continue
		}
		switch key {
		case "large_segment_size_mb":
			s.Page = max(1, int64(n)) * mib
		case "max_non_split_rounding_mb":
			s.NonSplit = int64(n) * mib
		case "per_process_memory_fraction":
			s.Fraction = n
		}
	}
}

// Rounded is what a request of some bytes asks the pools for.
func (s *Settings) Rounded(n int64) int64 {
	const grain = 512
	if n <= grain {
		return grain
	}
	bucket := min(max(bits.Len64(uint64(n))-21, 0), 15)
	if div := s.roundup[1<<bucket]; div > 1 && n > grain*div {
		floor := int64(1) << (bits.Len64(uint64(n)) - 1)
		step := floor >> (bits.Len64(uint64(div)) - 1)
		switch {
		case n == floor:
			return n
		case step == 0:
			return 2 * floor
		}
		return (n + step - 1) / step * step
	}
	return (n + grain - 1) / grain * grain
}

// Segment is what the driver is asked for where no free range serves a request of some bytes, rounded.
func (s *Settings) Segment(rounded int64) int64 {
	switch {
	case rounded <= mib:
		return smallPage
	case rounded < min(bigFrom, s.Page):
		return s.Page
	case rounded > math.MaxInt64-smallPage:
		return rounded
	}
	return (rounded + smallPage - 1) / smallPage * smallPage
}

// Pages is what the driver is asked for at most where an expandable segment grows for a request of some bytes, rounded:
// it grows by whole pages.
func (s *Settings) Pages(rounded int64) int64 {
	page := s.Page
	if rounded <= mib {
		page = smallPage
	}
	if rounded > math.MaxInt64-page {
		return rounded
	}
	return (rounded + page - 1) / page * page
}

// splits reports whether a block of some bytes, rounded, leaves a rest of its room as a free range.
func (s *Settings) splits(rounded, room int64, expandable bool) bool {
	if expandable || rounded <= mib {
		return room-rounded >= 512
	}
	return rounded < s.MaxSplit && room-rounded > mib
}
