//go:build !race

package blosc

const (
	raceEnabled = false
	rounds      = 6
)
