// Package wall reads many snapshots and keeps of each the little that comparing ranks needs, without a window.
package wall

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"

	"strata/app/diag"
	"strata/app/options"
	"strata/app/platform/memory"
	"strata/layout"
	"strata/layout/breakdown"
	"strata/layout/category"
	"strata/layout/ranks"
	"strata/snapshot"
	"strata/snapshot/cache"
)

// A Reader reads files for a wall.
type Reader struct {
	By    breakdown.By
	Own   snapshot.OwnCode
	Rules *category.Rules // a person's own for categories, nil for none
	Limit snapshot.Limits
	Log   *diag.Log
	Cache cache.Options
}

// NewReader is a reader with the options of a command line or a window.
func NewReader(o *options.Options, log *diag.Log, kept cache.Options) *Reader {
	return &Reader{By: o.GroupBy, Own: o.OwnCode, Rules: o.Categories, Limit: o.Limits, Log: log, Cache: kept}
}

// mostOpen is how many files are open at a time at most.
const mostOpen = 8

// What a file takes while it is read, for its size as it is stored; and the part of the machine's memory that all
// may take.
const (
	plainFactor  = 2
	packedFactor = 30
	memoryPart   = 2
	unknown      = 8 << 30 // bytes, if the system does not tell
)

// Read reads files, as many at a time as there are processors and memory, and calls done for each as it is read, one
// call at a time, on goroutines of its own. It returns when all are read, or soon after ctx ends.
func (r *Reader) Read(ctx context.Context, names []string, done func(i int, f *ranks.File)) error {
	numbers := r.numbers(names)
	budget := memory.Physical()
	if budget <= 0 {
		budget = unknown
	}
	shared := &room{left: budget / memoryPart, all: budget / memoryPart}
	shared.free = sync.NewCond(&shared.mu)
	stop := context.AfterFunc(ctx, func() { shared.give(0) })
	defer stop()
	var calls sync.Mutex
	var work sync.WaitGroup
	next := make(chan int)
	for range min(mostOpen, runtime.GOMAXPROCS(0), len(names)) {
		work.Go(func() {
			for i := range next {
				f := r.file(ctx, names[i], numbers[i], shared)
				if ctx.Err() != nil {
					continue
				}
				calls.Lock()
				done(i, f)
				calls.Unlock()
			}
		})
	}
	for i := range names {
		select {
		case next <- i:
			continue
		case <-ctx.Done():
		}
		break
	}
	close(next)
	work.Wait()
	debug.FreeOSMemory()
	return ctx.Err()
}

// numbers tells the ranks of files from what of their paths differs.
func (r *Reader) numbers(names []string) []int {
	paths := make([]string, len(names))
	for i, name := range names {
		paths[i] = filepath.ToSlash(name)
	}
	return ranks.Numbers(paths)
}

// room is the memory that readings share.
type room struct {
	mu        sync.Mutex
	free      *sync.Cond
	left, all int64
}

// take waits until there are so many bytes, or all if it is more; it returns what has to be given back.
func (m *room) take(ctx context.Context, bytes int64) int64 {
	bytes = min(bytes, m.all)
	m.mu.Lock()
	defer m.mu.Unlock()
	for m.left < bytes && ctx.Err() == nil {
		m.free.Wait()
	}
	m.left -= bytes
	return bytes
}

func (m *room) give(bytes int64) {
	m.mu.Lock()
	m.left += bytes
	m.mu.Unlock()
	m.free.Broadcast()
}

// digestVersion is part of what digests are kept under; it is raised when their form or meaning changes.
const digestVersion = 5

// file reads one file, or finds what was kept of it.
func (r *Reader) file(ctx context.Context, name string, number int, shared *room) *ranks.File {
	what := fmt.Sprintf("digest %d by %s of %s", digestVersion, r.By, r.Own)
	kept := r.Cache
	kept.Disabled = kept.Disabled || r.Rules != nil
	note, data := cache.Note(name, what, kept)
	f := &ranks.File{}
	if data != nil && json.Unmarshal(data, f) == nil && len(f.Devices) > 0 {
		f.Name = name
		if f.Rank < 0 {
			f.Rank = number
		}
		return f
	}
	size := int64(0)
	if info, err := os.Stat(name); err == nil {
		size = info.Size() * plainFactor
		if s, err := snapshot.Sniff(name); err == nil && s.Packed {
			size = info.Size() * packedFactor
		}
	}
	taken := shared.take(ctx, size)
	defer shared.give(taken)
	f = &ranks.File{Name: name, Rank: -1}
	if err := r.digest(ctx, f); err != nil {
		f.Error = strings.TrimPrefix(err.Error(), name+": ")
	} else if data, err := json.Marshal(f); err == nil {
		_ = note.Keep(data)
	}
	if f.Rank < 0 {
		f.Rank = number
	}
	return f
}

// digest reads a file and reduces it.
func (r *Reader) digest(ctx context.Context, f *ranks.File) error {
	opened, err := r.Log.Open(ctx, f.Name, snapshot.Options{Limits: r.Limit}, r.Cache)
	if err != nil {
		return err
	}
	s := opened.Snapshot.WithOwnCode(r.Own)
	if s.Source.World > 0 {
		f.Rank = s.Source.Rank
	}
	for _, d := range s.All() {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		t := layout.New(s, d, layout.Options{})
		f.Devices = append(f.Devices, ranks.NewDigest(breakdown.New(t, r.By, category.GroupOptions(t, r.By, r.Rules,
			nil))))
	}
	if len(f.Devices) == 0 {
		return fmt.Errorf("no device in it has events or segments")
	}
	return nil
}
