package n5

import (
	"encoding/binary"

	"github.com/omnizarr/zarr/codec"
)

// The modes of blocks.
const (
	defaultMode = iota
	varlengthMode
	objectMode
)

// headerSize is how many bytes stand before the elements: two of the mode, two
// of the number of dimensions, and four for the length along each.
func headerSize(rank int) int { return 4 + 4*rank }

// appendHeader appends the header of a default block.
func appendHeader(dst []byte, shape []int) []byte {
	dst = binary.BigEndian.AppendUint16(dst, defaultMode)
	dst = binary.BigEndian.AppendUint16(dst, uint16(len(shape)))
	for _, n := range shape {
		dst = binary.BigEndian.AppendUint32(dst, uint32(n))
	}
	return dst
}

// parseHeader gives the shape of the block that data begins with. It is not
// empty and fits the chunk, so that its elements can be counted if those of the
// chunk can.
func parseHeader(data []byte, chunk []int) ([]int, error) {
	size := headerSize(len(chunk))
	if len(data) < 4 {
		return nil, codec.Bad("%d bytes are too few for the header of a block, which has %d", len(data), size)
	}
	// The mode comes first: blocks of other modes have other headers.
	switch mode := binary.BigEndian.Uint16(data); mode {
	case defaultMode:
	case varlengthMode:
		return nil, codec.Bad("the block has mode 1 (varlength), where the shape does not tell the number of elements: only mode 0 (default) holds arrays")
	case objectMode:
		return nil, codec.Bad("the block has mode 2 (object), which is bytes of no shape: only mode 0 (default) holds arrays")
	default:
		return nil, codec.Bad("the block has mode %d: N5 knows 0 (default), 1 (varlength) and 2 (object)", mode)
	}
	if n := int(binary.BigEndian.Uint16(data[2:])); n != len(chunk) {
		return nil, codec.Bad("the block has %d dimensions, the array has %d", n, len(chunk))
	}
	if len(data) < size {
		return nil, codec.Bad("%d bytes are too few for the header of a block, which has %d", len(data), size)
	}
	shape := make([]int, len(chunk))
	for i := range shape {
		n := binary.BigEndian.Uint32(data[4+4*i:])
		if n == 0 || uint64(n) > uint64(chunk[i]) {
			return nil, codec.Bad("the block is %d long along axis %d: must be 1 to %d, the length of the chunk", n, i, chunk[i])
		}
		shape[i] = int(n)
	}
	return shape, nil
}
