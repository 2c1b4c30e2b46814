// Package n5block reads and writes the headers of N5 blocks.
//
// A block begins with its mode and the number of its dimensions, in two bytes
// each, and its length along each dimension, in four: the first dimension is the
// one whose elements lie side by side. Numbers are big-endian. What follows
// depends on the mode.
package n5block

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// Mode is what a block holds.
type Mode uint16

// The modes of N5.
const (
	Default   Mode = 0 // as many elements as its shape says
	Varlength Mode = 1 // as many elements as a count behind the shape says
	Object    Mode = 2 // bytes, which are counted and have no shape
)

// String is the name and the number of the mode.
func (m Mode) String() string {
	switch m {
	case Default:
		return "0 (default)"
	case Varlength:
		return "1 (varlength)"
	case Object:
		return "2 (object)"
	}
	return fmt.Sprintf("%d, which N5 does not know", uint16(m))
}

// Header is what stands before the elements of a block.
type Header struct {
	Mode  Mode
	Shape []int // none in Object mode
	// Count is how many elements a block of mode Varlength has; of strings, how
	// many bytes they are. In mode Object it is how many bytes the block holds.
	Count int
	Size  int // bytes of the header itself; Append does not look at it
}

// size is how many bytes the mode, the number of dimensions and the lengths are.
func size(rank int) int { return 4 + 4*rank }

// Append appends a header. Lengths and counts have at most 32 bits, and there are
// at most 65535 dimensions.
func Append(dst []byte, h Header) []byte {
	dst = binary.BigEndian.AppendUint16(dst, uint16(h.Mode))
	if h.Mode != Object {
		dst = appendShape(dst, h.Shape)
	}
	if h.Mode != Default {
		dst = binary.BigEndian.AppendUint32(dst, uint32(h.Count))
	}
	return dst
}

// AppendDefault appends the header of a block of mode Default.
func AppendDefault(dst []byte, shape []int) []byte {
	return appendShape(binary.BigEndian.AppendUint16(dst, uint16(Default)), shape)
}

func appendShape(dst []byte, shape []int) []byte {
	dst = binary.BigEndian.AppendUint16(dst, uint16(len(shape)))
	for _, n := range shape {
		dst = binary.BigEndian.AppendUint32(dst, uint32(n))
	}
	return dst
}

// Parse reads the header that data begins with. Lengths and counts are only what
// the block claims. In mode Object it is what Java's N5 writes, a count and no
// dimensions; ParseShape reads the other form.
func Parse(data []byte) (Header, error) {
	mode, err := parseMode(data)
	h := Header{Mode: mode}
	switch {
	case err != nil:
		return Header{}, err
	case mode == Object:
		h.Size = 6
	case mode == Default, mode == Varlength:
		if h.Shape, err = parseShape(data); err != nil {
			return Header{}, err
		}
		h.Size = size(len(h.Shape))
		if mode == Default {
			return h, nil
		}
		h.Size += 4
	default:
		return Header{}, fmt.Errorf("the block has mode %v", mode)
	}
	if len(data) < h.Size {
		return Header{}, short(data, h.Size)
	}
	h.Count = int(binary.BigEndian.Uint32(data[h.Size-4:]))
	return h, nil
}

// ParseShape reads the header of any mode in the form that the text of N5 gives,
// where all of them have a shape, as far as the shape.
func ParseShape(data []byte) (Header, error) {
	mode, err := parseMode(data)
	if err != nil {
		return Header{}, err
	}
	shape, err := parseShape(data)
	return Header{Mode: mode, Shape: shape, Size: size(len(shape))}, err
}

// ParseDefault gives the shape of the block that data begins with, which must be
// of mode Default and have as many dimensions as shall be.
func ParseDefault(data []byte, rank int) ([]int, error) {
	mode, err := parseMode(data)
	switch {
	case err != nil:
		return nil, err
	case mode == Varlength:
		return nil, fmt.Errorf("the block has mode %v, where the shape does not tell the number of elements: only mode %v holds arrays", mode, Default)
	case mode == Object:
		return nil, fmt.Errorf("the block has mode %v, which is bytes of no shape: only mode %v holds arrays", mode, Default)
	case mode != Default:
		return nil, fmt.Errorf("the block has mode %v", mode)
	}
	if len(data) >= 4 {
		if n := int(binary.BigEndian.Uint16(data[2:])); n != rank {
			return nil, fmt.Errorf("the block has %d dimensions, the array has %d", n, rank)
		}
	}
	return parseShape(data)
}

func parseMode(data []byte) (Mode, error) {
	if len(data) < 2 {
		return 0, fmt.Errorf("%d bytes are too few for the header of a block", len(data))
	}
	return Mode(binary.BigEndian.Uint16(data)), nil
}

// parseShape reads the dimensions. Nothing is allocated for those that are not
// there.
func parseShape(data []byte) ([]int, error) {
	if len(data) < 4 {
		return nil, fmt.Errorf("%d bytes are too few for the header of a block", len(data))
	}
	rank := int(binary.BigEndian.Uint16(data[2:]))
	if len(data) < size(rank) {
		return nil, fmt.Errorf("%w of %d dimensions", short(data, size(rank)), rank)
	}
	shape := slices.Grow([]int{}, rank)
	for i := range rank {
		shape = append(shape, int(binary.BigEndian.Uint32(data[4+4*i:])))
	}
	return shape, nil
}

func short(data []byte, want int) error {
	return fmt.Errorf("%d bytes are too few for the %d of the header of a block", len(data), want)
}
