//go:build !page

package web

// archive is empty: this program is built without the page.
var archive []byte
