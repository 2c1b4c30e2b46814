//go:build amd64 || arm64

package inflate

// adlerAtOnce is how many bytes a kernel takes in one call, in which the runtime
// cannot interrupt it: 32 bits hold all of its sums of so many.
const adlerAtOnce = 1 << 18 / adlerBlock * adlerBlock

// adlerFast adds as much of the start of b to the sums as it can, and returns how
// much that was.
func adlerFast(sum, sums uint64, b []byte) (uint64, uint64, int) {
	if !hasAdler {
		return sum, sums, 0
	}
	n := len(b) - len(b)%adlerBlock
	for at := 0; at < n; {
		k := min(n-at, adlerAtOnce)
		// The sum of the bytes, the sum of what that was before each step, and the
		// sum of all, each as often as it is from the end of its step.
		all, before, weighted := adlerBlocks(b[at : at+k])
		sums = (sums + uint64(k)*sum + adlerStep*before + weighted) % adlerPrime
		sum = (sum + all) % adlerPrime
		at += k
	}
	return sum, sums, n
}
