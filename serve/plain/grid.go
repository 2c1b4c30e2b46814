package plain

import (
	"github.com/omnizarr/zarr/nd"
)

const (
	tiny  = 64 << 10  // chunks below it are joined
	goal  = 512 << 10 // until they have about as much
	huge  = 16 << 20  // chunks above it are cut
	piece = 2 << 20   // until they have no more
	// raw chunks that clients know are cut only above a larger size: those who wrote
	// them so may have meant it.
	hugeRaw = 64 << 20
	// joined is how many chunks one is made of at most.
	joined = 256
	// side is how long chunks become along the last two axes before others grow:
	// viewers ask for planes.
	side = 512
)

// friendly gives the shape of chunks for an array whose own chunks have the shape unit:
// the same, unless they are so large that a client waits long for the first element, or
// so small that it asks too often.
func friendly(shape, unit []int, size int) []int {
	out := make([]int, len(unit))
	for i, n := range unit {
		out[i] = max(n, 1)
	}
	// Chunks that are larger than the array are no larger for that.
	inside := make([]int, len(out))
	for i := range out {
		inside[i] = max(min(out[i], shape[i]), 1)
	}
	switch n, ok := nd.Bytes(inside, size); {
	case !ok || n > huge:
		return cut(inside, size)
	case n < tiny:
		return join(shape, out, size)
	}
	return out
}

// cut halves the longest axis until a chunk is small enough.
func cut(shape []int, size int) []int {
	for {
		n, ok := nd.Bytes(shape, size)
		longest := 0
		for i, length := range shape {
			if length > shape[longest] {
				longest = i
			}
		}
		if ok && n <= piece || len(shape) == 0 || shape[longest] == 1 {
			return shape
		}
		shape[longest] = (shape[longest] + 1) / 2
	}
}

// join doubles an axis, the shortest of the last two first, until a chunk is large enough.
func join(shape, chunk []int, size int) []int {
	for count := 1; count < joined; count *= 2 {
		n, ok := nd.Bytes(chunk, size)
		axis := shortest(shape, chunk)
		if !ok || n >= goal || axis < 0 {
			break
		}
		chunk[axis] = min(2*chunk[axis], shape[axis])
	}
	return chunk
}

// shortest is the axis along which chunks grow next, -1 if there is none.
func shortest(shape, chunk []int) int {
	axis := -1
	for i := len(chunk) - 1; i >= 0; i-- {
		if chunk[i] >= shape[i] {
			continue
		}
		last := i >= len(chunk)-2 && chunk[i] < side
		was := axis >= len(chunk)-2 && axis >= 0 && chunk[axis] < side
		if axis < 0 || last && !was || last == was && chunk[i] < chunk[axis] {
			axis = i
		}
	}
	return axis
}
