// Package appearance follows whether the desktop wants windows to be dark or light.
package appearance

import "context"

// An Appearance is how the desktop wants windows to look.
type Appearance uint8

// The appearances. Unsaid is where the desktop has none, or does not tell.
const (
	Unsaid Appearance = iota
	Dark
	Light
)

// String is the appearance's name, for tests and logs.
func (a Appearance) String() string { return [...]string{"unsaid", "dark", "light"}[a] }

// Watch tells how the desktop wants windows to look, at first and then with each change, until ctx ends. It waits,
// so call it in a goroutine of its own. It returns early where the desktop tells of no changes.
func Watch(ctx context.Context, tell func(Appearance)) { watch(ctx, changes(tell)) }

// changes passes on what differs from the one before.
func changes(tell func(Appearance)) func(Appearance) {
	last := Unsaid
	return func(a Appearance) {
		if a != last {
			last = a
			tell(a)
		}
	}
}
