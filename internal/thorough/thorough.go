// Package thorough says how hard tests try. By default they are quick, for whoever
// changes something; .ci/run sets OMNIZARR_THOROUGH, and they try everything. With the
// race detector, under which all takes many times as long, they try least: it looks at
// who touches what, for which few values do.
package thorough

import (
	"os"

	"github.com/omnizarr/zarr/internal/race"
)

// Enabled is whether time does not matter.
var Enabled = os.Getenv("OMNIZARR_THOROUGH") != ""

// Rounds is n, or an eighth of it where time matters, and a sixth of that with the
// race detector.
func Rounds(n int) int {
	switch {
	case Enabled:
		return n
	case race.Enabled:
		return (n + 47) / 48
	}
	return (n + 7) / 8
}

// Of is all where everything is tried, and else quick: how large something is, or which cases.
func Of[T any](quick, all T) T {
	if Enabled {
		return all
	}
	return quick
}

// Least is Of, and least with the race detector: for tests in which nothing runs at once,
// so that it sees nothing in them, and for sizes that only make them take longer.
func Least[T any](least, quick, all T) T {
	if race.Enabled && !Enabled {
		return least
	}
	return Of(quick, all)
}

// Step is how far to go on in a loop over everything: 1, or else quick, and three
// times that with the race detector.
func Step(quick int) int {
	switch {
	case Enabled:
		return 1
	case race.Enabled:
		return 3 * quick
	}
	return quick
}
