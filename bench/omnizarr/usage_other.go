//go:build !unix

package main

// processUsage knows nothing here; the driver runs on Unix.
func processUsage() consumption { return consumption{} }
