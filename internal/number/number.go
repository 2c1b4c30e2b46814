// Package number says how the elements of one data type become those of another
// by value.
package number

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/numeric"
)

// Source is the number type of elements, or of the parts of complex ones, of
// in bytes each; pre makes numbers of it where elements are no such themselves.
func Source(t dtype.Type) (source numeric.Type, in int, pre numeric.Kernel) {
	switch t.Kind() {
	case dtype.Bool:
		return numeric.Uint8, 1, truth
	case dtype.Int:
		return numeric.Named(fmt.Sprint("int", 8*t.Size())), t.Size(), nil
	case dtype.Uint:
		return numeric.Named(fmt.Sprint("uint", 8*t.Size())), t.Size(), nil
	case dtype.Float, dtype.Complex:
		f, ok := dtype.FormatOf(t)
		if !ok {
			return numeric.None, 0, nil
		}
		in = t.Size()
		if t.Kind() == dtype.Complex {
			in /= 2
		}
		if n := numeric.Named(f.Name()); n != numeric.None {
			return n, in, nil
		}
		return numeric.Float32, in, decoder(f, in)
	}
	return numeric.None, 0, nil
}

func truth(dst, src []byte) {
	for i, b := range src {
		dst[i] = min(b, 1)
	}
}

// decoder makes float32 of bfloat16, which is the upper half of it, and of floats of
// one byte.
func decoder(f *dtype.Format, size int) numeric.Kernel {
	if size == 2 {
		return func(dst, src []byte) {
			d := numeric.Slice[uint32](dst)
			for i, bits := range numeric.Slice[uint16](src) {
				d[i] = uint32(bits) << 16
			}
		}
	}
	var table [256]float32
	for i := range table {
		table[i] = float32(f.Decode(uint64(i)))
	}
	return func(dst, src []byte) {
		d := numeric.Slice[float32](dst)
		for i, bits := range src {
			d[i] = table[bits]
		}
	}
}

// Is reports whether elements of a type are single numbers, truth values among
// them.
func Is(t dtype.Type) bool {
	switch t.Kind() {
	case dtype.Bool, dtype.Int, dtype.Uint, dtype.Float:
		return true
	}
	return false
}

// Exact converts numbers that are to stay what they are: floats are rounded to the
// nearest, and everything else that the type does not have does not fit. Both types
// must be numbers.
func Exact(to, from dtype.Type) *numeric.Converter {
	source, in, pre := Source(from)
	if to.Kind() == dtype.Float {
		f, _ := dtype.FormatOf(to)
		if target := numeric.Named(f.Name()); target != numeric.None {
			return numeric.NewExact(target, source, 0, in, pre)
		}
		return numeric.NewExact(numeric.Float64, source, 0, in, pre).Then(to.Size(), encoder(f, to.Size()))
	}
	target, _, _ := Source(to)
	return numeric.NewExact(target, source, to.Units()[0].Bits, in, pre)
}

// encoder makes floats that no machine computes with.
func encoder(f *dtype.Format, size int) func(dst, src []byte) int {
	return func(dst, src []byte) int {
		for i, x := range numeric.Slice[float64](src) {
			bits, ok := f.Encode(x)
			if !ok || !math.IsInf(x, 0) && math.IsInf(f.Decode(bits), 0) {
				return i
			}
			if size == 2 {
				binary.LittleEndian.PutUint16(dst[2*i:], uint16(bits))
			} else {
				dst[i] = byte(bits)
			}
		}
		return -1
	}
}
