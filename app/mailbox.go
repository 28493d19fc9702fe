package app

import "sync"

// A mailbox is the one door by which goroutines reach the window's state:
// what is posted runs on the window's goroutine at the start of a frame.
type mailbox struct {
	mu    sync.Mutex
	posts []func()
	wake  func() // asks for a frame; nil before the window is there
}

// post leaves f to be run; it may be called from any goroutine.
func (m *mailbox) post(f func()) {
	m.mu.Lock()
	m.posts = append(m.posts, f)
	wake := m.wake
	m.mu.Unlock()
	if wake != nil {
		wake()
	}
}

// setWake says how to ask for a frame, once there is a window.
func (m *mailbox) setWake(wake func()) {
	m.mu.Lock()
	m.wake = wake
	m.mu.Unlock()
}

// deliver runs what was posted, in that order.
func (m *mailbox) deliver() {
	m.mu.Lock()
	posts := m.posts
	m.posts = nil
	m.mu.Unlock()
	for _, f := range posts {
		f()
	}
}
