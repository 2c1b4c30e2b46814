package hdf5

import (
	"encoding/binary"
	"errors"
	"math"
	"reflect"
)

// same reports whether elements of two types are stored in the same way.
func (t *Type) same(u *Type) bool {
	a, b := *t, *u
	a.Committed, b.Committed = 0, 0
	return reflect.DeepEqual(a, b)
}

// convert makes numbers of one type those of another, as virtual datasets do
// whose sources have another type.
func convert(to, from *Type, raw []byte) ([]byte, error) {
	if to.same(from) {
		return raw, nil
	}
	number := func(t *Type) bool {
		return t.Class == Integer && t.Size <= 8 && t.Offset == 0 && t.Precision == 8*t.Size || t.IEEE() && t.Size >= 4
	}
	if !number(to) || !number(from) {
		return nil, errors.New("the source of a virtual dataset has another datatype, which is not converted")
	}
	n := len(raw) / from.Size
	out := make([]byte, 0, n*to.Size)
	for i := range n {
		b := raw[i*from.Size : (i+1)*from.Size]
		var v any
		if from.Class == Float {
			v = from.float(b)
		} else {
			v = from.integer(b)
		}
		out = to.appendNumber(out, v)
	}
	return out, nil
}

// appendNumber stores a number; one that does not fit becomes the nearest that
// does.
func (t *Type) appendNumber(dst []byte, v any) []byte {
	var bits uint64
	if t.Class == Float {
		var x float64
		switch v := v.(type) {
		case int64:
			x = float64(v)
		case uint64:
			x = float64(v)
		case float64:
			x = v
		}
		if bits = math.Float64bits(x); t.Size == 4 {
			bits = uint64(math.Float32bits(float32(x)))
		}
	} else {
		bits = t.clamp(v)
	}
	var b [8]byte
	if t.Order == BigEndian {
		binary.BigEndian.PutUint64(b[:], bits)
		return append(dst, b[8-t.Size:]...)
	}
	binary.LittleEndian.PutUint64(b[:], bits)
	return append(dst, b[:t.Size]...)
}

// clamp gives the bits of an integer that is nearest to v.
func (t *Type) clamp(v any) uint64 {
	n := 8 * t.Size
	if t.Signed {
		lo, hi := int64(-1)<<(n-1), int64(1)<<(n-1)-1
		switch v := v.(type) {
		case int64:
			return uint64(min(max(v, lo), hi))
		case uint64:
			return min(v, uint64(hi))
		case float64:
			switch {
			case v >= float64(hi):
				return uint64(hi)
			case v <= float64(lo):
				return uint64(lo)
			case v == v:
				return uint64(int64(v))
			}
		}
		return 0
	}
	hi := ^uint64(0) >> (64 - n)
	switch v := v.(type) {
	case int64:
		return min(uint64(max(v, 0)), hi)
	case uint64:
		return min(v, hi)
	case float64:
		switch {
		case v >= float64(hi):
			return hi
		case v > 0:
			return uint64(v)
		}
	}
	return 0
}
