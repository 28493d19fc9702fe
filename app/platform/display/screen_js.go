package display

import "image"

// Screen is nothing: a page is as large as the browser makes it.
func Screen() image.Point { return image.Point{} }
