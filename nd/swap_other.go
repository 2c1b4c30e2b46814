//go:build !amd64 && !arm64

package nd

func swapFast(_, _ []byte, _ int) int { return 0 }

// swapRows is for processors with kernels.
func (c *copier) swapRows(_, _ int, _ loop) bool { return false }
