//go:build race

package zarr_test

// The race detector makes pools forget what they hold, so that allocations
// cannot be counted.
const raceDetector = true
