// Package reading opens snapshots for the window: in a page by a worker that has a memory and a thread of its own. The
// worker runs the same program and leaves an entry of the cache in its file system, which the page takes over into its
// own and then opens the file from as ever.
package reading

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"syscall/js"
	"time"

	"strata/app/diag"
	"strata/layout/units"
	"strata/snapshot"
	"strata/snapshot/cache"
)

// WorkerCommand is the first argument of the program in a worker, before what Work takes.
const WorkerCommand = "read"

const (
	// fromBytes is the size of the smallest file that a worker reads; others are read faster than one starts.
	fromBytes = 64 << 10
	// mostBytes is the size of the largest file that is tried: a worker has 4 GiB for it, its columns and garbage.
	mostBytes = 2 << 30
	// mostMemory is what the columns of a file may take.
	mostMemory = 3 << 29
)

// entries is how the cache is used in a page: all that a worker read is taken over by it.
var entries = cache.Options{MinBytes: 1, MaxBytes: 1 << 30}

// A task is what a worker is asked to read.
type task struct {
	Path   string
	Limits snapshot.Limits
}

// Open is [diag.Log.Open], by a worker where the file is not small.
func Open(ctx context.Context, log *diag.Log, path string, opt snapshot.Options, _ cache.Options) (
	*cache.Opened, error,
) {
	begun := time.Now()
	opened, err := open(ctx, log, path, opt)
	if err != nil && ctx.Err() == nil {
		log.Phase("failed", time.Since(begun), err.Error())
	}
	return opened, err
}

func open(ctx context.Context, log *diag.Log, path string, opt snapshot.Options) (*cache.Opened, error) {
	limits := &opt.Limits
	if limits.Memory <= 0 || limits.Memory > mostMemory {
		*limits = snapshot.MemoryLimit(mostMemory)
	}
	info, err := os.Stat(path)
	switch {
	case err != nil || info.Size() < fromBytes:
	case info.Size() > mostBytes:
		return nil, &snapshot.Error{Kind: snapshot.KindLimit, Name: path, Offset: -1,
			What: "the file has " + units.Bytes(info.Size()) + ", and a page cannot hold more than " +
				units.Bytes(mostBytes),
			Advice: nativeAdvice}
	default:
		if err := work(ctx, task{path, *limits}, opt.Progress); err != nil {
			return nil, err
		}
	}
	opt.Progress = yielding(opt.Progress)
	return log.Open(ctx, path, opt, entries)
}

const nativeAdvice = "Open it with the native program, which has all of the machine's memory"

// work has a worker read a file and waits for it.
func work(ctx context.Context, t task, progress func(done, total int64)) error {
	argument, err := json.Marshal(t)
	if err != nil {
		return err
	}
	ended := make(chan string, 1)
	told := js.FuncOf(func(_ js.Value, args []js.Value) any {
		if args[0].Type() == js.TypeString {
			ended <- args[0].String()
		} else {
			progress(int64(args[0].Float()), int64(args[1].Float()))
		}
		return nil
	})
	defer told.Release()
	stop := js.Global().Get("strata").Call("read", t.Path, string(argument), told)
	select {
	case <-ctx.Done():
		stop.Invoke()
		return ctx.Err()
	case answer := <-ended:
		return errorOf(t.Path, answer)
	}
}

// errorOf is the error that a worker ended with: "" for none, a snapshot.Error as JSON, or what the browser says of a
// worker that died.
func errorOf(path, answer string) error {
	if answer == "" {
		return nil
	}
	e := &snapshot.Error{}
	if json.Unmarshal([]byte(answer), e) != nil {
		return &snapshot.Error{Kind: snapshot.KindLimit, Name: path, Offset: -1,
			What: "the page ran out of memory, or its worker failed: " + answer, Advice: nativeAdvice}
	}
	if e.Name = path; e.Kind == snapshot.KindLimit {
		e.Advice = nativeAdvice
	}
	return e
}

// Work reads a file in a worker, as the argument says, and leaves it in the cache. The worker is told of an error.
func Work(argument string) {
	var t task
	err := json.Unmarshal([]byte(argument), &t)
	if err == nil {
		err = read(t)
	}
	if err == nil {
		return
	}
	failed, ok := errors.AsType[*snapshot.Error](err)
	if !ok {
		failed = &snapshot.Error{Offset: -1, What: err.Error()}
	}
	text, _ := json.Marshal(snapshot.Error{Kind: failed.Kind, Offset: failed.Offset, What: failed.What,
		Advice: failed.Advice})
	js.Global().Call("failed", string(text))
}

func read(t task) error {
	ctx := context.Background()
	progress := js.Global().Get("progress")
	opened, err := cache.Open(ctx, t.Path, snapshot.Options{Limits: t.Limits, Progress: func(done, total int64) {
		progress.Invoke(done, total)
	}}, entries)
	if err != nil {
		return err
	}
	return opened.Store(ctx)
}
