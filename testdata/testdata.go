// Package testdata holds the sample snapshot that Strata opens when asked to
// "open the sample". What else lies in this directory is for tests; see
// README.md here.
package testdata

import _ "embed"

// SampleName is the name the sample goes by in the window.
const SampleName = "sample.pickle"

//go:embed sample.pickle.gz
var sample []byte

// Sample returns the bytes of a gzip-compressed snapshot, as a file would hold
// them: an invented training run with a leak, dead of out-of-memory on a card
// of 24 GiB. The caller must not change them.
func Sample() []byte { return sample }
