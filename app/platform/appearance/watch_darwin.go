package appearance

import "strata/app/platform/cocoa"

// current is the choice for the whole system.
func current() Appearance {
	if cocoa.Dark() {
		return Dark
	}
	return Light
}
