package copying

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"

	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/nd"
)

// IsNumber reports whether elements of a type can be converted by value.
func IsNumber(t dtype.Type) bool {
	switch t.Kind() {
	case dtype.Bool, dtype.Int, dtype.Uint, dtype.Float:
		return true
	}
	return false
}

// TargetType is the type that a copy has.
func TargetType(from dtype.Type, name string) (dtype.Type, error) {
	if name == "" {
		return from, nil
	}
	to, err := dtype.Lookup(name)
	if err != nil {
		return nil, err
	}
	if dtype.Equal(from, to) {
		return from, nil
	}
	if !IsNumber(from) || !IsNumber(to) {
		return nil, fmt.Errorf("cannot convert %s to %s: only numbers are converted", from.Name(), to.Name())
	}
	return to, nil
}

// number is the value of an element: a float, or an integer by sign and size.
type number struct {
	float    bool
	f        float64
	negative bool
	n        uint64
}

func (x number) String() string {
	if x.float {
		return strconv.FormatFloat(x.f, 'g', -1, 64)
	}
	sign := ""
	if x.negative {
		sign = "-"
	}
	return sign + strconv.FormatUint(x.n, 10)
}

// Convert copies numbers by value. Floats are rounded to the nearest; everything
// else that the type does not have is an error.
func Convert(to dtype.Type, dst nd.View, from dtype.Type, src nd.View) error {
	get, put := getter(from), putter(to)
	out, _ := dst.Contiguous()
	at := 0
	var err error
	src.Each(func(elem []byte) {
		if err != nil {
			return
		}
		x := get(elem)
		if !put(out[at:at+to.Size()], x) {
			err = fmt.Errorf("%s has no %v, which is a %s", to.Name(), x, from.Name())
		}
		at += to.Size()
	})
	return err
}

// bits are the bytes of an element, lowest first.
func bits(elem []byte) uint64 {
	var b [8]byte
	copy(b[:], elem)
	return binary.LittleEndian.Uint64(b[:])
}

func getter(t dtype.Type) func(elem []byte) number {
	switch t.Kind() {
	case dtype.Float:
		f, _ := dtype.FormatOf(t)
		return func(elem []byte) number { return number{float: true, f: f.Decode(bits(elem))} }
	case dtype.Int:
		unused := uint(64 - 8*t.Size()) // types below eight bits are sign-extended to a byte
		return func(elem []byte) number {
			n := int64(bits(elem)<<unused) >> unused
			if n < 0 {
				return number{negative: true, n: -uint64(n)}
			}
			return number{n: uint64(n)}
		}
	}
	return func(elem []byte) number { return number{n: bits(elem)} }
}

func putter(t dtype.Type) func(elem []byte, x number) bool {
	put := func(elem []byte, n uint64) bool {
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], n)
		copy(elem, b[:])
		return true
	}
	if t.Kind() == dtype.Float {
		f, _ := dtype.FormatOf(t)
		return func(elem []byte, x number) bool {
			if !x.float {
				x.f = float64(x.n)
				if x.negative {
					x.f = -x.f
				}
			}
			n, ok := f.Encode(x.f)
			finite := !math.IsInf(x.f, 0) && !math.IsNaN(x.f)
			return ok && !(finite && math.IsInf(f.Decode(n), 0)) && put(elem, n)
		}
	}
	width := t.Units()[0].Bits
	most, least := ^uint64(0)>>(64-width), uint64(0) // largest number, and largest below zero without its sign
	if t.Kind() == dtype.Int {
		least = uint64(1) << (width - 1)
		most = least - 1
	}
	return func(elem []byte, x number) bool {
		if x.float {
			whole := math.Trunc(x.f)
			if whole != x.f || math.Abs(whole) >= 1<<64 {
				return false
			}
			x.negative, x.n = whole < 0, uint64(math.Abs(whole))
		}
		if x.negative {
			return x.n <= least && put(elem, -x.n)
		}
		return x.n <= most && put(elem, x.n)
	}
}
