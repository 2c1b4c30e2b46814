package inflate

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

var hasAVX2 = cpu.X86.HasAVX2

// adlerAtOnce is how many bytes adlerAVX2 takes in one call, in which the runtime
// cannot interrupt it: 32 bits hold its sums of more than ten times as many.
const adlerAtOnce = 1 << 18

// adlerFast adds as much of the start of b to the sums as it can, and returns how
// much that was.
func adlerFast(sum, sums uint64, b []byte) (uint64, uint64, int) {
	if !hasAVX2 {
		return sum, sums, 0
	}
	n := len(b) &^ 31
	for at := 0; at < n; {
		k := min(n-at, adlerAtOnce)
		var s [3]uint64
		adlerAVX2(unsafe.SliceData(b[at:at+k]), k/32, &s)
		sums = (sums + uint64(k)*sum + 32*s[1] + s[2]) % adlerPrime
		sum = (sum + s[0]) % adlerPrime
		at += k
	}
	return sum, sums, n
}

// adlerAVX2 adds up n times 32 bytes, n being at least 1: their sum, the sum of
// what that was before each step of 32, and the sum of all, each as often as it
// is from the end of its step.
//
//go:noescape
func adlerAVX2(p *byte, n int, sums *[3]uint64)
