// Package alloctest measures work by what it allocates: unlike time, that is the
// same on every machine, however busy it is.
package alloctest

import "runtime"

// Bytes is how many bytes f allocates in all, given back or not. Others who
// allocate meanwhile count as well, so tests that use it do not run in parallel.
func Bytes(f func()) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}

// Warm is the least of what f allocates in several runs after a first, which fills
// pools. One run does not tell: what is in the pool of another processor is not found.
func Warm(f func()) int64 {
	f()
	least := Bytes(f)
	for range 4 {
		least = min(least, Bytes(f))
	}
	return least
}
