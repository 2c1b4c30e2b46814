//go:build race

package blosc

const (
	raceEnabled = true
	rounds      = 2
)
