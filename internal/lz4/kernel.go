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

// compared is how many bytes the kernel looks at behind the place of a match.
const compared = minMatch + 64

// seek looks for the next match. Where that is found at once and can be written
// with few bytes, as in a plane of slowly changing bytes, the kernel writes it
// and goes on, without a branch that depends on its length.
func (t *table) seek(dst, src []byte, s *progress) bool {
	end := uint(len(src) - lastLiterals)
	if !hasKernels || end < compared || len(dst) < sequenceRoom {
		return t.seekPlain(src, s)
	}
	return seekKernel(t, unsafe.SliceData(dst), unsafe.SliceData(src), s, min(end-compared, s.ip+atOnce))
}

// seekKernel is seek; it writes no match that begins behind near.
//
//go:noescape
func seekKernel(t *table, dst, src *byte, s *progress, near uint) bool
