package session

import (
	"context"
	"sync"
)

// A Background runs work on goroutines and hands its results to the goroutine that owns the sessions. It is the only
// way from another goroutine to their state.
type Background struct {
	ctx    context.Context
	cancel context.CancelFunc
	work   sync.WaitGroup

	mu    sync.Mutex
	posts []func()
	wake  func() // asks the owner to call Deliver; nil until SetWake
}

// NewBackground returns a Background that is ready for work.
func NewBackground() *Background {
	ctx, cancel := context.WithCancel(context.Background())
	return &Background{ctx: ctx, cancel: cancel}
}

// Go runs work on a goroutine. The function that work returns, if any, then runs on the owner's goroutine. Cancel ends
// the context of the work, which then still returns.
func (b *Background) Go(work func(ctx context.Context) (deliver func())) (cancel context.CancelFunc) {
	ctx, cancel := context.WithCancel(b.ctx)
	b.work.Go(func() {
		defer cancel()
		if deliver := work(ctx); deliver != nil {
			b.Post(deliver)
		}
	})
	return cancel
}

// Post has f run by Deliver. It may be called on any goroutine.
func (b *Background) Post(f func()) {
	b.mu.Lock()
	b.posts = append(b.posts, f)
	wake := b.wake
	b.mu.Unlock()
	if wake != nil {
		wake()
	}
}

// SetWake sets what is called, on any goroutine, when there is something to deliver.
func (b *Background) SetWake(wake func()) {
	b.mu.Lock()
	b.wake = wake
	b.mu.Unlock()
}

// Deliver runs what was posted, in that order, on the calling goroutine.
func (b *Background) Deliver() {
	b.mu.Lock()
	posts := b.posts
	b.posts = nil
	b.mu.Unlock()
	for _, f := range posts {
		f()
	}
}

// Context ends with Close.
func (b *Background) Context() context.Context { return b.ctx }

// Wait waits until all work has returned.
func (b *Background) Wait() { b.work.Wait() }

// Close cancels all work and waits for it.
func (b *Background) Close() {
	b.cancel()
	b.work.Wait()
}
