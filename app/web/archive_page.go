//go:build page

package web

import _ "embed"

// archive is what app/web/make -zip wrote.
//
//go:embed page.zip
var archive []byte
