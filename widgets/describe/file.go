package describe

import "image"

// A State is how far a file is.
type State uint8

// The states of a file.
const (
	Ready   State = iota // it is shown, or there is nothing to load
	Waiting              // it is to be loaded when it is looked at, or before
	Reading
	Failed // it could not be loaded
)

// String is the state in a word.
func (s State) String() string { return [...]string{"ready", "waiting", "loading", "failed"}[s] }

// A Problem is something that failed, in sentences for the user.
type Problem struct {
	Title  string      // "run.pickle could not be opened"
	What   string      // what is wrong, and where
	Advice string      // what to try; may be ""
	Path   string      // the file, to try again; may be ""
	Image  image.Image // all that the file holds, nil for none
}

// Progress is how far the loading of a file is.
type Progress struct {
	Name        string  // of the file
	Phase       string  // "Reading" or "Laying out"
	Done, Total int64   // bytes; Total is 0 if unknown
	Rate        float64 // bytes per second, 0 if unknown
}
