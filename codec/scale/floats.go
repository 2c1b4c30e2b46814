package scale

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/numeric"
)

// floatKernels make every step round to the format.
func floatKernels(format *dtype.Format, offset, scale []byte) (encode, decode checked, err error) {
	o, k := 0.0, 1.0
	if offset != nil {
		o = format.Decode(pattern(offset))
	}
	if scale != nil {
		k = format.Decode(pattern(scale))
	}
	if k == 0 {
		return nil, nil, errZero
	}
	switch format.Name() {
	case "float64":
		return always(scaleFloats(o, k)), always(unscaled(o, k)), nil
	case "float32":
		return always(scaleFloats(float32(o), float32(k))), always(unscaled(float32(o), float32(k))), nil
	case "float16":
		return always(scaleHalves(float32(o), float32(k))), always(unscaleKernel(numeric.Float16, o, k)), nil
	case "bfloat16":
		return always(scaleBrains(float32(o), float32(k))), always(unscaleBrains(float32(o), float32(k))), nil
	}
	if format.Bits() > 8 {
		return nil, nil, fmt.Errorf("cannot scale %s", format.Name())
	}
	encode = table(format, func(x float64) (float64, bool) {
		if offset != nil {
			bits, ok := format.Encode(x - o)
			if !ok {
				return 0, false
			}
			x = format.Decode(bits)
		}
		return x * k, true
	})
	decode = table(format, func(x float64) (float64, bool) {
		bits, ok := format.Encode(x / k)
		x = format.Decode(bits)
		if offset != nil {
			x += o
		}
		return x, ok
	})
	return encode, decode, nil
}

func pattern(elem []byte) uint64 {
	var b [8]byte
	copy(b[:], elem)
	return binary.LittleEndian.Uint64(b[:])
}

// always makes a kernel for a type that has every result.
func always(k numeric.Kernel) checked {
	return func(dst, src []byte) int {
		k(dst, src)
		return -1
	}
}

// table computes all results of a format of at most eight bits.
func table(format *dtype.Format, f func(float64) (float64, bool)) checked {
	var results [256]byte
	var missing [256]bool
	for i := range results {
		x, ok := f(format.Decode(uint64(i) & (1<<format.Bits() - 1)))
		bits, fits := format.Encode(x)
		results[i], missing[i] = byte(bits), !ok || !fits
	}
	return func(dst, src []byte) int {
		for i, x := range src {
			if missing[x] {
				return i
			}
			dst[i] = results[x]
		}
		return -1
	}
}

// scaleFloats computes (x - offset) * scale.
func scaleFloats[T numeric.Float](offset, scale T) numeric.Kernel {
	return func(dst, src []byte) {
		d, s := numeric.Slice[T](dst), numeric.Slice[T](src)
		d = d[:len(s)]
		for i, x := range s {
			d[i] = T(x-offset) * scale
		}
	}
}

func scaleHalves(offset, scale float32) numeric.Kernel {
	return func(dst, src []byte) {
		d := numeric.Slice[numeric.Half](dst)
		for i, x := range numeric.Slice[numeric.Half](src) {
			d[i] = numeric.RoundHalf(numeric.RoundHalf(x.Float32()-offset).Float32() * scale)
		}
	}
}

// brain rounds to bfloat16.
func brain(x float32) dtype.BFloat16 {
	b := math.Float32bits(x)
	if x != x {
		return dtype.BFloat16(b>>16 | 0x40)
	}
	return dtype.BFloat16((b + 0x7fff + b>>16&1) >> 16)
}

func scaleBrains(offset, scale float32) numeric.Kernel {
	return func(dst, src []byte) {
		d := numeric.Slice[uint16](dst)
		for i, x := range numeric.Slice[uint16](src) {
			d[i] = uint16(brain(brain(dtype.BFloat16(x).Float32()-offset).Float32() * scale))
		}
	}
}

func unscaleBrains(offset, scale float32) numeric.Kernel {
	return func(dst, src []byte) {
		d := numeric.Slice[uint16](dst)
		for i, x := range numeric.Slice[uint16](src) {
			d[i] = uint16(brain(brain(dtype.BFloat16(x).Float32()/scale).Float32() + offset))
		}
	}
}
