//go:build !linux

package bigmem

func advise([]byte) {}

func adviseRange(base, n uintptr) {}

// Total is the machine's memory in bytes, or a guess.
func Total() uint64 { return fallback }
