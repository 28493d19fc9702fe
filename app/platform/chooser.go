package platform

import "context"

// A Chooser shows the system's file dialog for a program that has no Platform.
type Chooser struct{}

// NewChooser makes a Chooser.
func NewChooser() Chooser { return Chooser{} }

// Choose asks for one file; "" and no error say that the person cancelled.
func (Chooser) Choose(ctx context.Context, title string) (string, error) {
	var p Platform
	paths, err := p.OpenDialog(ctx, Dialog{Title: title, Filters: Snapshots()})
	if len(paths) == 0 {
		return "", err
	}
	return paths[0], err
}
