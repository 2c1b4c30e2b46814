package hdf5

import "math/bits"

// SpaceKind is what a dataspace is.
type SpaceKind uint8

// The kinds of dataspaces.
const (
	Simple SpaceKind = iota // an array
	Scalar                  // one element
	Null                    // no element, only a type
)

// Space is how many elements a dataset or attribute has.
type Space struct {
	Kind  SpaceKind
	Shape []uint64
	Max   []uint64 // how far it may grow, nil if not at all
}

// Len is the number of elements, false if that is more than 64 bits hold.
func (s *Space) Len() (uint64, bool) {
	if s.Kind == Null {
		return 0, true
	}
	return product(s.Shape)
}

// product multiplies, false if the result needs more than 64 bits.
func product(shape []uint64) (uint64, bool) {
	n, ok := uint64(1), true
	for _, x := range shape {
		if x == 0 {
			return 0, true
		}
		hi, lo := bits.Mul64(n, x)
		if hi != 0 {
			ok = false
		}
		n = lo
	}
	return n, ok
}

// maxRank is the largest rank that libraries write.
const maxRank = 32

// parseSpace reads a dataspace message.
func parseSpace(c *cursor) Space {
	var s Space
	version := c.version(1, 2)
	rank, flags := c.u8(), c.u8()
	if rank > maxRank {
		c.fail("rank %d is more than %d", rank, maxRank)
	}
	if version == 1 {
		c.skip(5)
		if rank == 0 {
			s.Kind = Scalar
		}
	} else {
		switch kind := c.u8(); kind {
		case 0:
			s.Kind = Scalar
		case 1:
		case 2:
			s.Kind = Null
		default:
			c.fail("its type %d is not known", kind)
		}
		if s.Kind != Simple && rank != 0 {
			c.fail("rank %d of one that has none", rank)
		}
	}
	dims := 1
	if flags&1 != 0 {
		dims = 2
	}
	if c.err == nil && dims*rank*c.l > c.left() {
		c.fail("rank %d in a message of %d bytes, which is too short", rank, len(c.b))
	}
	if c.err != nil || s.Kind != Simple {
		return s
	}
	s.Shape = make([]uint64, rank)
	for i := range s.Shape {
		s.Shape[i] = c.length()
	}
	if dims == 2 {
		s.Max = make([]uint64, rank)
		for i := range s.Max {
			s.Max[i] = c.wide(c.l)
		}
	}
	return s
}
