package scale

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/omnizarr/zarr/internal/numeric"
)

// number is a number of Python: an integer of any size, or a float.
type number struct {
	text  json.Number
	whole *big.Int // nil for a float
	float float64
}

// maxNumber is the length of a number that is taken seriously.
const maxNumber = 400

func newNumber(text json.Number) (n number, err error) {
	if len(text) > maxNumber {
		return n, fmt.Errorf("has %d digits", len(text))
	}
	if n.float, err = strconv.ParseFloat(string(text), 64); err != nil {
		return n, fmt.Errorf("%s is no number that a float64 can be", text)
	}
	n.text = text
	if !strings.ContainsAny(string(text), ".eE") {
		n.whole, _ = new(big.Int).SetString(string(text), 10)
	}
	return n, nil
}

// in returns the lower bits of an integer; ok is false unless t can hold it.
func (n number) in(t numeric.Type) (bits uint64, ok bool) {
	width := 8 * t.Size()
	if t.IsSigned() {
		return uint64(n.whole.Int64()), n.whole.IsInt64() && n.whole.Int64()<<(64-width)>>(64-width) == n.whole.Int64()
	}
	return n.whole.Uint64(), n.whole.IsUint64() && n.whole.BitLen() <= width
}

// encodePipe computes (x - offset) * scale of numbers of type from, rounds to
// whole numbers and converts to type to. As in NumPy, floats keep their type,
// integers keep it as long as they meet only integers, which must fit it, and
// become float64 when they meet a float.
func encodePipe(to, from numeric.Type, offset, scale number) (*numeric.Pipe, error) {
	p := numeric.NewPipe(from.Size())
	t := from
	if !t.IsFloat() {
		subtract, ok := uint64(0), true
		if offset.whole != nil {
			if subtract, ok = offset.in(t); !ok {
				return nil, fmt.Errorf("offset %s is no %s", offset.text, t)
			}
		}
		multiply := uint64(1)
		if offset.whole != nil && scale.whole != nil {
			if multiply, ok = scale.in(t); !ok {
				return nil, fmt.Errorf("scale %s is no %s", scale.text, t)
			}
		}
		if subtract != 0 || multiply != 1 {
			p.Add(integerKernel(t, subtract, multiply), t.Size())
		}
		if offset.whole != nil && scale.whole != nil {
			p.Add(numeric.Cast(to, t), to.Size())
			return p, nil
		}
		if offset.whole != nil {
			offset.float = 0
		}
		t = numeric.Float64
		p.Add(numeric.Cast(t, from), t.Size())
	}
	p.Add(scaleKernel(t, offset.float, scale.float), t.Size())
	p.Add(numeric.Cast(to, t), to.Size())
	return p, nil
}

// decodePipe computes x / scale + offset of numbers of type from and converts to
// type to. Integers are divided as float64.
func decodePipe(to, from numeric.Type, offset, scale number) *numeric.Pipe {
	p := numeric.NewPipe(from.Size())
	t := from
	if !t.IsFloat() {
		t = numeric.Float64
		p.Add(numeric.Cast(t, from), t.Size())
	}
	p.Add(unscaleKernel(t, offset.float, scale.float), t.Size())
	p.Add(numeric.Cast(to, t), to.Size())
	return p
}

// integerKernel computes (x - offset) * scale of integers that wrap around, for
// which a sign makes no difference.
func integerKernel(t numeric.Type, offset, scale uint64) numeric.Kernel {
	switch t.Size() {
	case 1:
		return integers(uint8(offset), uint8(scale))
	case 2:
		return integers(uint16(offset), uint16(scale))
	case 4:
		return integers(uint32(offset), uint32(scale))
	}
	return integers(offset, scale)
}

func integers[T numeric.Unsigned](offset, scale T) numeric.Kernel {
	return func(dst, src []byte) {
		d, s := numeric.Slice[T](dst), numeric.Slice[T](src)
		d = d[:len(s)]
		for i, x := range s {
			d[i] = (x - offset) * scale
		}
	}
}

// scaleKernel computes (x - offset) * scale and rounds to the nearest whole
// number, the even one of two. Every step is rounded to the type.
func scaleKernel(t numeric.Type, offset, scale float64) numeric.Kernel {
	switch t {
	case numeric.Float16:
		o, k := numeric.RoundHalf64(offset).Float32(), numeric.RoundHalf64(scale).Float32()
		return func(dst, src []byte) {
			d := numeric.Slice[numeric.Half](dst)
			for i, x := range numeric.Slice[numeric.Half](src) {
				low := numeric.RoundHalf(x.Float32() - o).Float32()
				up := numeric.RoundHalf(low * k).Float32()
				d[i] = numeric.RoundHalf(float32(math.RoundToEven(float64(up))))
			}
		}
	case numeric.Float32:
		return scaled(float32(offset), float32(scale))
	}
	return scaled(offset, scale)
}

func scaled[T numeric.Float](offset, scale T) numeric.Kernel {
	return func(dst, src []byte) {
		d, s := numeric.Slice[T](dst), numeric.Slice[T](src)
		d = d[:len(s)]
		for i, x := range s {
			d[i] = T(math.RoundToEven(float64(T(T(x-offset) * scale))))
		}
	}
}

// unscaleKernel computes x / scale + offset.
func unscaleKernel(t numeric.Type, offset, scale float64) numeric.Kernel {
	switch t {
	case numeric.Float16:
		o, k := numeric.RoundHalf64(offset).Float32(), numeric.RoundHalf64(scale).Float32()
		return func(dst, src []byte) {
			d := numeric.Slice[numeric.Half](dst)
			for i, x := range numeric.Slice[numeric.Half](src) {
				d[i] = numeric.RoundHalf(numeric.RoundHalf(x.Float32()/k).Float32() + o)
			}
		}
	case numeric.Float32:
		return unscaled(float32(offset), float32(scale))
	}
	return unscaled(offset, scale)
}

func unscaled[T numeric.Float](offset, scale T) numeric.Kernel {
	return func(dst, src []byte) {
		d, s := numeric.Slice[T](dst), numeric.Slice[T](src)
		d = d[:len(s)]
		for i, x := range s {
			d[i] = T(x/scale) + offset
		}
	}
}
