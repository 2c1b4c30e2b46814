//go:build amd64 || arm64

package lz4

import "unsafe"

// atOnce is how many bytes a kernel makes or packs in one call: the runtime
// cannot interrupt it.
const atOnce = 1 << 18

// decodeFast unpacks sequences from src[ip:] to dst[op:] as long as they are
// right and far enough from the ends of both, and returns where it stopped.
func decodeFast(dst, src []byte, ip, op int) (int, int) {
	if !hasKernels {
		return decodePlain(dst, src, ip, op)
	}
	end := min(len(dst), op+atOnce)
	if len(src)-ip < srcMargin || end-op < dstMargin {
		return ip, op
	}
	return decodeKernel(unsafe.SliceData(dst), end, unsafe.SliceData(src), len(src), ip, op, &patterns)
}

// patterns say how to repeat the bytes in front of a position, by their number
// and at most 32, as the kernel needs it.
var patterns = makePatterns()

// decodeKernel is decodeFast where both buffers have their margins.
//
//go:noescape
func decodeKernel(dst *byte, dstLen int, src *byte, srcLen, ip, op int, p *patternTable) (newIP, newOP int)
