//go:build !linux

package bigmem

func advise([]byte) {}

// Total is the machine's memory in bytes, or a guess.
func Total() uint64 { return fallback }
