package n5

import "github.com/omnizarr/zarr/codec"

// MaxEdges is how many chains are kept for blocks that were cut.
const MaxEdges = maxEdges

// Edges is how many of them a bound codec keeps.
func Edges(s codec.Serializer) int { return len(s.(*serializer).edges) }

// PixelValue is the element that a pixel stands for.
func PixelValue(f codec.BytesFilter, pixel byte) []byte {
	j := f.(*jpegFilter)
	return j.values[int(pixel)*j.size:][:j.size]
}
