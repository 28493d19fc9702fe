// Package site is the files of the web page beside the program: scripts, the page and what keeps it offline.
package site

import "embed"

// Files are the files by name.
//
//go:embed *.js *.html
var Files embed.FS
