package zstdenc

import "unsafe"

const (
	detectSamples = 256
	detectMin     = 4 << 10 // smaller blocks are not worth the look
)

// detectLanes looks for noisy two-byte elements: one byte lane that hardly
// varies, the high bytes, one that does, the low bytes, and no smooth run of
// values, which the general search handles better. It returns the lane of the
// high bytes, which tells the byte order, as the parity of their positions.
func detectLanes(p unsafe.Pointer, start, end uint) (lane uint, ok bool) {
	if end-start < detectMin {
		return 0, false
	}
	step := (end - start - 16) / detectSamples &^ 3
	from := start + start&1
	// Four bytes apart, so that halves of four-byte elements do not pass.
	var hist [4][256]uint16
	var flat [2]int
	for k := range uint(detectSamples) {
		v := load64(p, from+k*step)
		hist[0][uint8(v)]++
		hist[1][uint8(v>>8)]++
		hist[2][uint8(v>>16)]++
		hist[3][uint8(v>>24)]++
		// The second difference of three neighbours, in either byte order.
		a, b, c := uint16(v), uint16(v>>16), uint16(v>>32)
		if d := a - 2*b + c + 1; d <= 2 {
			flat[1]++
		}
		a, b, c = a<<8|a>>8, b<<8|b>>8, c<<8|c>>8
		if d := a - 2*b + c + 1; d <= 2 {
			flat[0]++
		}
	}
	// The sum of squares is the chance that two samples are equal: cheaper than
	// an entropy, and as telling.
	var sum [4]int
	for l := range hist {
		for _, n := range hist[l] {
			sum[l] += int(n) * int(n)
		}
	}
	if sum[1] > sum[0] {
		lane = 1
	}
	const all = detectSamples * detectSamples
	ok = min(sum[lane], sum[lane+2]) > all/10 &&
		max(sum[1-lane], sum[3-lane]) < all/24 &&
		flat[lane] < detectSamples*6/10
	return lane, ok
}
