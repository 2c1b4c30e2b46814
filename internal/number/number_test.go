package number_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/number"
	"github.com/omnizarr/zarr/internal/thorough"
)

// Floats become integers where they are whole.
func Example() {
	c := number.Exact(dtype.MustParse("int8"), dtype.MustParse("float32"))
	dst := make([]byte, 1)
	for _, x := range []float32{-7, 1.5} {
		src := binary.LittleEndian.AppendUint32(nil, math.Float32bits(x))
		fmt.Println(c.Text(src), c.Run(dst, src) < 0, int8(dst[0]))
	}
	// Output:
	// -7 true -7
	// 1.5 false -7
}

var types = []string{"bool", "int2", "int4", "int8", "int16", "int32", "int64", "uint2", "uint4", "uint8", "uint16", "uint32", "uint64",
	"float16", "float32", "float64", "bfloat16", "float8_e4m3", "float8_e4m3fn", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu", "float4_e2m1fn", "float6_e3m2fn"}

// bits are the lowest ones of an element.
func bits(elem []byte) uint64 {
	var b [8]byte
	copy(b[:], elem)
	return binary.LittleEndian.Uint64(b[:])
}

// value is what an element means, exactly; nil if that is no number.
func value(t dtype.Type, elem []byte) (exact *big.Float, special float64) {
	n := bits(elem)
	switch t.Kind() {
	case dtype.Float:
		f, _ := dtype.FormatOf(t)
		x := f.Decode(n)
		if x != x || math.IsInf(x, 0) {
			return nil, x
		}
		return new(big.Float).SetFloat64(x), 0
	case dtype.Int:
		unused := uint(64 - 8*t.Size())
		return new(big.Float).SetInt64(int64(n<<unused) >> unused), 0
	case dtype.Bool:
		n = min(n, 1)
	}
	return new(big.Float).SetUint64(n), 0
}

// fits computes one conversion slowly.
func fits(to, from dtype.Type, elem []byte) (want []byte, ok bool) {
	x, special := value(from, elem)
	out := make([]byte, 8)
	if to.Kind() == dtype.Float {
		f, _ := dtype.FormatOf(to)
		if x != nil {
			special, _ = x.Float64()
			if f.Name() == "float32" {
				near, _ := x.Float32()
				special = float64(near)
			}
		}
		n, ok := f.Encode(special)
		if !ok || x != nil && math.IsInf(f.Decode(n), 0) {
			return nil, false
		}
		binary.LittleEndian.PutUint64(out, n)
		return out[:to.Size()], true
	}
	if x == nil || !x.IsInt() {
		return nil, false
	}
	n, _ := x.Int(nil)
	width := uint(to.Units()[0].Bits)
	lo, hi := new(big.Int), new(big.Int).Lsh(big.NewInt(1), width)
	if to.Kind() == dtype.Int {
		hi.Rsh(hi, 1)
		lo.Neg(hi)
	}
	if n.Cmp(lo) < 0 || n.Cmp(hi) >= 0 {
		return nil, false
	}
	low := n.Uint64()
	if n.Sign() < 0 {
		low = uint64(n.Int64())
	}
	binary.LittleEndian.PutUint64(out, low)
	return out[:to.Size()], true
}

// patterns are elements that are likely to be hard.
func patterns(t dtype.Type) [][]byte {
	var all [][]byte
	add := func(n uint64) {
		b := binary.LittleEndian.AppendUint64(nil, n)[:t.Size()]
		if t.Size() == 1 && t.Kind() != dtype.Float {
			width := uint(t.Units()[0].Bits)
			switch low := byte(n) << (8 - width); t.Kind() {
			case dtype.Int:
				b[0] = byte(int8(low) >> (8 - width))
			default:
				b[0] = low >> (8 - width)
			}
		}
		if f, ok := dtype.FormatOf(t); ok && f.Bits() < 8 {
			b[0] &= 1<<f.Bits() - 1
		}
		all = append(all, b)
	}
	for i := range uint64(256) {
		add(i)
	}
	for shift := range 64 {
		for _, n := range []uint64{1<<shift - 1, 1 << shift, 1<<shift + 1, 3 << shift} {
			add(n)
			add(-n)
			for _, x := range []float64{float64(n), -float64(n), float64(n) + 0.5, 1 / float64(n)} {
				if f, ok := dtype.FormatOf(t); ok {
					p, _ := f.Encode(x)
					add(p)
				}
			}
		}
	}
	return all
}

func TestExactAgreesWithWhatNumbersAre(t *testing.T) {
	for _, from := range types {
		from := dtype.MustParse(from)
		elems := patterns(from)
		for _, to := range types {
			to := dtype.MustParse(to)
			c := number.Exact(to, from)
			for i := 0; i < len(elems); i += thorough.Least(23, 1, 1) {
				elem := elems[i]
				got := make([]byte, to.Size())
				bad := c.Run(got, elem)
				want, ok := fits(to, from, elem)
				if (bad < 0) != ok || ok && !same(to, got, want) {
					t.Fatalf("%s %x (%s) to %s: got %x and %d, want %x and %v", from.Name(), elem, c.Text(elem), to.Name(), got, bad, want, ok)
				}
			}
		}
	}
}

// same compares elements; one NaN is as good as another.
func same(t dtype.Type, a, b []byte) bool {
	if f, ok := dtype.FormatOf(t); ok && t.Kind() == dtype.Float && f.IsNaN(bits(a)) {
		return f.IsNaN(bits(b))
	}
	return string(a) == string(b)
}
