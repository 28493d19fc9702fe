// Package pickle reads Python pickles of plain data without building Python's
// objects: a stack machine over 8-byte values that hands every complete dict
// to a [Handler], which usually keeps a number in its place.
package pickle
