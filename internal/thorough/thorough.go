// Package thorough says how hard tests try. By default they are quick, for whoever
// changes something; .ci/run sets OMNIZARR_THOROUGH, and they try everything.
package thorough

import "os"

// Enabled is whether time does not matter.
var Enabled = os.Getenv("OMNIZARR_THOROUGH") != ""

// Rounds is n, or a quarter of it where time matters.
func Rounds(n int) int {
	if Enabled {
		return n
	}
	return (n + 3) / 4
}

// Step is how far to go on in a loop over everything: 1, or else quick.
func Step(quick int) int {
	if Enabled {
		return 1
	}
	return quick
}
