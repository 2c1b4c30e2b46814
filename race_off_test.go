//go:build !race

package zarr_test

const raceDetector = false
