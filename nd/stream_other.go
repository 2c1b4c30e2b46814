//go:build !amd64

package nd

// copyLines is for processors that can copy past the cache and fetch ahead.
func copyLines(_, _ []byte, _, _, _ int, _ loop) bool { return false }

func settle(_ []byte) {}
