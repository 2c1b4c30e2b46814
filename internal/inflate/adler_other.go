//go:build !amd64 && !arm64

package inflate

func adlerFast(sum, sums uint64, _ []byte) (uint64, uint64, int) { return sum, sums, 0 }
