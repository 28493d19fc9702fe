//go:build !windows

package platform

// ShowError does nothing here: the terminal, or the log of the session, gets to see the error.
func ShowError(error) {}
