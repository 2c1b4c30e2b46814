package dtype

import (
	"encoding/binary"
	"fmt"

	"github.com/omnizarr/zarr/nd"
)

// narrow is a type some of whose components have fewer than eight bits. It is
// a wrapper so that only such types are Canonicalisers.
type narrow struct {
	Type
	units []Unit // the narrow ones
}

// canonical wraps t if it needs Canonicalise.
func canonical(t Type) Type {
	var units []Unit
	for _, u := range t.Units() {
		if u.Bits < 8 {
			units = append(units, u)
		}
	}
	if units == nil {
		return t
	}
	return &narrow{t, units}
}

// unwrap returns the type that canonical was given.
func unwrap(t Type) Type {
	if n, ok := t.(*narrow); ok {
		return n.Type
	}
	return t
}

func (t *narrow) String() string { return fmt.Sprint(t.Type) }

// Canonicalise masks or sign-extends components below eight bits, and refuses
// a bool that is neither 0 nor 1.
func (t *narrow) Canonicalise(v nd.View) error {
	if v.Size != t.Size() {
		return fmt.Errorf("canonicalise: view has %d bytes per element, %s has %d", v.Size, t.Name(), t.Size())
	}
	if mem, ok := v.Contiguous(); ok {
		return t.row(mem, 0, len(mem)/v.Size, v.Size)
	}
	return eachRow(v, func(at, n, stride int) error { return t.row(v.Data, at, n, stride) })
}

// row treats n elements, the first at byte at, stride bytes apart.
func (t *narrow) row(data []byte, at, n, stride int) error {
	for _, u := range t.units {
		if stride == u.Count && u.Count == t.Size() && n > 0 {
			if err := mend(data[at:at+n*stride], u); err != nil {
				return err
			}
			continue
		}
		for k := range u.Count {
			if err := mendApart(data, at+u.Offset+k, n, stride, u); err != nil {
				return err
			}
		}
	}
	return nil
}

// eachRow calls f for the rows of v, which has an axis, along the axis with the least stride: the
// first byte, the number of elements and the distance between them.
func eachRow(v nd.View, f func(at, n, stride int) error) error {
	inner := 0
	for i, n := range v.Shape {
		if n == 0 {
			return nil
		}
		if n > 1 && (v.Shape[inner] == 1 || distance(v.Strides[i]) < distance(v.Strides[inner])) {
			inner = i
		}
	}
	var shapeMem, idxMem [nd.MaxRank]int
	shape, idx := shapeMem[:len(v.Shape)], idxMem[:len(v.Shape)]
	copy(shape, v.Shape)
	shape[inner] = 1
	for {
		if err := f(v.Offset+v.Dot(idx), v.Shape[inner], v.Strides[inner]); err != nil {
			return err
		}
		if !nd.Next(idx, shape) {
			return nil
		}
	}
}

func distance(stride int) int { return max(stride, -stride) }

// pattern says which bits of a narrow scalar's byte are kept, which are set
// when it is negative, and where its sign is.
func (u Unit) pattern() (mask, fill byte, top uint) {
	mask = byte(1)<<u.Bits - 1
	if u.Signed {
		fill = ^mask
	}
	return mask, fill, uint(u.Bits-1) & 7
}

const ones = 0x0101010101010101 // 1 in every byte

// mend treats a run of narrow scalars, eight at a time.
func mend(b []byte, u Unit) error {
	if u.Bits == 1 {
		return checkBools(b)
	}
	mask, fill, top := u.pattern()
	masks, fills := ones*uint64(mask), uint64(fill)
	for len(b) >= 8 {
		w := binary.LittleEndian.Uint64(b)
		m := w & masks
		// The sign bits, moved to the bottom of their bytes, times the bits to set.
		m |= m >> (top & 7) & ones * fills
		if m != w {
			binary.LittleEndian.PutUint64(b, m)
		}
		b = b[8:]
	}
	return mendApart(b, 0, len(b), 1, u)
}

// mendApart treats n narrow scalars, the first at byte at, stride bytes apart.
func mendApart(b []byte, at, n, stride int, u Unit) error {
	if u.Bits == 1 {
		for range n {
			if b[at] > 1 {
				return fmt.Errorf("value %d for bool: must be 0 or 1", b[at])
			}
			at += stride
		}
		return nil
	}
	mask, fill, top := u.pattern()
	for range n {
		m := b[at] & mask
		if m |= m >> top & 1 * fill; m != b[at] {
			b[at] = m
		}
		at += stride
	}
	return nil
}

func checkBools(b []byte) error {
	for len(b) >= 32 {
		w := binary.LittleEndian.Uint64(b) | binary.LittleEndian.Uint64(b[8:]) |
			binary.LittleEndian.Uint64(b[16:]) | binary.LittleEndian.Uint64(b[24:])
		if w&^ones != 0 {
			break
		}
		b = b[32:]
	}
	return mendApart(b, 0, len(b), 1, Unit{Bits: 1})
}
