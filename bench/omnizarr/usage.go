package main

// consumption is what the process has used so far.
type consumption struct {
	cpu float64 // seconds of all threads, user and system
	rss int64   // the most bytes that were resident
}
