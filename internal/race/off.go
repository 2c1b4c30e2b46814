//go:build !race

// Package race says whether the race detector is on. It makes pools forget what
// they hold, so that allocations cannot be counted, and everything take longer.
package race

// Enabled reports whether the race detector is on.
const Enabled = false
