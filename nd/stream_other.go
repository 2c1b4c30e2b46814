//go:build !amd64

package nd

// stream is for processors that can copy past the cache.
func stream(_, _ []byte, _, _, _ int, _ loop) bool { return false }

func settle(_ []byte) {}
