package nbit

import (
	"errors"
	"fmt"

	"github.com/omnizarr/zarr/internal/bitreader"
)

// The classes of types in the parameters.
const (
	atomic = 1 + iota
	array
	compound
	whole // all bytes are stored
)

// node is a type as the parameters describe it. Each takes at least a bit, so that
// unpacking takes no longer than there are bits.
type node struct {
	class     uint32
	size      uint64 // in bytes
	bits      uint64 // that are stored
	big       bool
	precision int
	shift     int // of the bits of a number within it
	at        uint64
	parts     []node // members, each at its place, or the one element
}

// maxDepth is how deep types may be nested.
const maxDepth = 64

// parser reads a type from parameters.
type parser struct{ left []uint32 }

func (p *parser) next() (uint32, error) {
	if len(p.left) == 0 {
		return 0, errors.New("values: nbit parameters end within a type")
	}
	v := p.left[0]
	p.left = p.left[1:]
	return v, nil
}

func (p *parser) node(depth int) (node, error) {
	if depth > maxDepth {
		return node{}, fmt.Errorf("values: nbit types are nested more than %d deep", maxDepth)
	}
	class, err := p.next()
	if err != nil {
		return node{}, err
	}
	size, err := p.next()
	if err != nil {
		return node{}, err
	}
	if size == 0 {
		return node{}, errors.New("values: an nbit type has no bytes")
	}
	n := node{class: class, size: uint64(size)}
	switch class {
	case atomic:
		err = p.atomic(&n)
	case array:
		err = p.array(&n, depth)
	case compound:
		err = p.compound(&n, depth)
	case whole:
		n.bits = 8 * n.size
	default:
		err = fmt.Errorf("values: nbit class %d is not known", class)
	}
	return n, err
}

func (p *parser) atomic(n *node) error {
	var v [3]uint32
	for i := range v {
		var err error
		if v[i], err = p.next(); err != nil {
			return err
		}
	}
	order, precision, offset := v[0], uint64(v[1]), uint64(v[2])
	if order > 1 {
		return fmt.Errorf("values: nbit byte order %d is not known", order)
	}
	if precision == 0 || precision+offset > 8*n.size {
		return fmt.Errorf("values: nbit precision: %d bits at bit %d are not in %d bytes", precision, offset, n.size)
	}
	n.big, n.bits = order == 1, precision
	n.precision, n.shift = int(precision), int(offset)
	return nil
}

func (p *parser) array(n *node, depth int) error {
	of, err := p.node(depth + 1)
	if err != nil {
		return err
	}
	if n.size%of.size != 0 {
		return fmt.Errorf("values: an nbit array of %d bytes has elements of %d", n.size, of.size)
	}
	n.parts = []node{of}
	n.bits = n.size / of.size * of.bits
	return nil
}

func (p *parser) compound(n *node, depth int) error {
	count, err := p.next()
	if err != nil {
		return err
	}
	if count == 0 || int64(count) > int64(len(p.left)) {
		return fmt.Errorf("values: an nbit compound has %d members, with %d parameters left", count, len(p.left))
	}
	used := uint64(0)
	for range count {
		at, err := p.next()
		if err != nil {
			return err
		}
		m, err := p.node(depth + 1)
		if err != nil {
			return err
		}
		m.at = uint64(at)
		used += m.size
		if m.at+m.size > n.size || used > n.size {
			return fmt.Errorf("values: a member of %d bytes at %d is not in an nbit compound of %d", m.size, m.at, n.size)
		}
		n.bits += m.bits
		n.parts = append(n.parts, m)
	}
	return nil
}

// unpack fills an element, whose bytes are 0.
func (n *node) unpack(r *bitreader.Reader, dst []byte) {
	switch n.class {
	case atomic:
		n.number(r, dst)
	case array:
		of := &n.parts[0]
		for ; len(dst) > 0; dst = dst[of.size:] {
			of.unpack(r, dst[:of.size])
		}
	case compound:
		for i := range n.parts {
			m := &n.parts[i]
			m.unpack(r, dst[m.at:m.at+m.size])
		}
	default:
		for i := range dst {
			dst[i] = byte(r.Bits(8))
		}
	}
}

// number fills the bytes of a number from the one with its highest bit down.
func (n *node) number(r *bitreader.Reader, dst []byte) {
	for end := n.shift + n.precision; end > n.shift; {
		i := (end - 1) / 8
		low := max(8*i, n.shift)
		b := byte(r.Bits(end-low)) << (low - 8*i)
		if n.big {
			i = len(dst) - 1 - i
		}
		dst[i] = b
		end = low
	}
}
