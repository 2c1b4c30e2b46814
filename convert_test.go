package zarr_test

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/nd"
)

var numberTypes = []string{"bool", "int2", "int4", "int8", "int16", "int32", "int64", "uint2", "uint4", "uint8", "uint16", "uint32", "uint64",
	"float16", "bfloat16", "float32", "float64", "float8_e4m3", "float8_e5m2", "float8_e8m0fnu", "float4_e2m1fn"}

// plainNumber is the value of an element, nil for NaN.
func plainNumber(typ dtype.Type, elem []byte) (x *big.Float, infinite int) {
	bits := uint64(0)
	for i, b := range elem {
		bits |= uint64(b) << (8 * i)
	}
	switch typ.Kind() {
	case dtype.Bool:
		return big.NewFloat(float64(bits)), 0
	case dtype.Uint:
		return new(big.Float).SetUint64(bits), 0
	case dtype.Int:
		shift := 64 - 8*len(elem)
		return new(big.Float).SetInt64(int64(bits<<shift) >> shift), 0
	}
	f, _ := dtype.FormatOf(typ)
	v := f.Decode(bits)
	switch {
	case math.IsNaN(v):
		return nil, 0
	case math.IsInf(v, 0):
		return new(big.Float).SetInf(v < 0), 1
	}
	return big.NewFloat(v), 0
}

// convertModel compares ReadAs with plain arithmetic on every element.
func convertModel[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64](t *rapid.T, a *zarr.Array, sel zarr.Selection, index func(k int) []int, v nd.View) {
	var zero T
	isFloat := T(1)/2 != 0
	got, err := zarr.ReadAs[T](ctx, a, sel)
	flat, _ := v.Contiguous()
	lo, hi := big.NewFloat(0), new(big.Float).SetUint64(math.MaxUint64)
	switch any(zero).(type) {
	case int8:
		lo, hi = big.NewFloat(math.MinInt8), big.NewFloat(math.MaxInt8)
	case int16:
		lo, hi = big.NewFloat(math.MinInt16), big.NewFloat(math.MaxInt16)
	case int32:
		lo, hi = big.NewFloat(math.MinInt32), big.NewFloat(math.MaxInt32)
	case int64:
		lo, hi = big.NewFloat(math.MinInt64), new(big.Float).SetInt64(math.MaxInt64)
	case uint8:
		hi = big.NewFloat(math.MaxUint8)
	case uint16:
		hi = big.NewFloat(math.MaxUint16)
	case uint32:
		hi = big.NewFloat(math.MaxUint32)
	}
	for k := range v.Len() {
		x, infinite := plainNumber(a.DataType(), flat[k*v.Size:(k+1)*v.Size])
		if isFloat {
			if err != nil {
				t.Fatal(err)
			}
			have := float64(got.Data[k])
			want := math.NaN()
			if x != nil {
				want, _ = x.Float64()
				if infinite == 0 && any(zero) == any(float32(0)) {
					f32, _ := x.Float32()
					want = float64(f32)
				}
			}
			if have != want && !(have != have && want != want) {
				t.Fatalf("element %d is %v, want %v", k, have, want)
			}
			continue
		}
		fits := x != nil && infinite == 0
		var whole *big.Int
		if fits {
			whole, _ = x.Int(nil)
			w := new(big.Float).SetInt(whole)
			fits = w.Cmp(lo) >= 0 && w.Cmp(hi) <= 0
		}
		if !fits {
			if !errors.Is(err, zarr.ErrRange) || !strings.Contains(err.Error(), fmt.Sprintf("element %v is ", index(k))) {
				t.Fatalf("%v, element %v: %v", a.DataType().Name(), index(k), err)
			}
			return
		}
		if err == nil && whole.Cmp(toBig(got.Data[k])) != 0 {
			t.Fatalf("element %d is %v, want %v", k, got.Data[k], whole)
		}
	}
	if err != nil {
		t.Fatalf("all elements fit: %v", err)
	}
}

func toBig[T any](x T) *big.Int {
	n, _ := new(big.Int).SetString(fmt.Sprint(x), 10)
	return n
}

func TestConvertingReadsAreThoseOfPlainArithmetic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom(numberTypes).Draw(t, "type")
		shape := []int{rapid.IntRange(1, 9).Draw(t, "rows"), rapid.IntRange(1, 40).Draw(t, "columns")}
		chunks := []int{rapid.IntRange(1, 5).Draw(t, "a"), rapid.IntRange(1, 20).Draw(t, "b")}
		a, err := zarr.CreateArray(ctx, "mem:", zarr.ArraySpec{Shape: shape, DataType: name, Chunks: chunks})
		if err != nil {
			t.Fatal(err)
		}
		typ := a.DataType()
		small := rapid.Bool().Draw(t, "small")
		v := nd.Make(typ.Size(), shape...)
		for i := 0; i < len(v.Data); i += v.Size {
			bits := rapid.Uint64().Draw(t, "bits")
			unit := typ.Units()[0].Bits
			if small && typ.Kind() != dtype.Float {
				bits %= 7
			}
			if unit < 8 || typ.Kind() == dtype.Bool {
				bits &= 1<<max(unit, 1) - 1
				if typ.Kind() == dtype.Bool {
					bits &= 1
				}
				if typ.Kind() == dtype.Int && bits>>(unit-1) == 1 {
					bits |= 0xff << unit
				}
			}
			for k := range v.Size {
				v.Data[i+k] = byte(bits >> (8 * k))
			}
		}
		if err := a.WriteFrom(ctx, zarr.All(), v); err != nil {
			t.Fatal(err)
		}
		sel, index := zarr.All(), func(k int) []int { return []int{k / shape[1], k % shape[1]} }
		switch rapid.IntRange(0, 2).Draw(t, "selection") {
		case 1: // what lies between the steps does not matter
			sel = zarr.Slice("::2, ::3")
			n := (shape[1] + 2) / 3
			index = func(k int) []int { return []int{k / n * 2, k % n * 3} }
		case 2:
			rows := []int{shape[0] - 1, 0}
			slices.Sort(rows)
			sel = zarr.Select(zarr.List(rows...), zarr.At(0))
			index = func(k int) []int { return []int{rows[k], 0} }
		}
		want, err := readAny(a, sel)
		if err != nil {
			t.Fatal(err)
		}
		switch rapid.IntRange(0, 9).Draw(t, "to") {
		case 0:
			convertModel[int8](t, a, sel, index, want)
		case 1:
			convertModel[int16](t, a, sel, index, want)
		case 2:
			convertModel[int32](t, a, sel, index, want)
		case 3:
			convertModel[int64](t, a, sel, index, want)
		case 4:
			convertModel[uint8](t, a, sel, index, want)
		case 5:
			convertModel[uint16](t, a, sel, index, want)
		case 6:
			convertModel[uint32](t, a, sel, index, want)
		case 7:
			convertModel[uint64](t, a, sel, index, want)
		case 8:
			convertModel[float32](t, a, sel, index, want)
		case 9:
			convertModel[float64](t, a, sel, index, want)
		}
	})
}

func TestConvertingReadsOfOtherKinds(t *testing.T) {
	a := newArray(t, zarr.ArraySpec{Shape: []int{3}, DataType: "complex64", Chunks: []int{2}})
	check(t, zarr.Write(ctx, a, zarr.All(), []complex64{1 + 2i, -3i, 0.5}))
	got := must[nd.Array[complex128]](t)(zarr.ReadAs[complex128](ctx, a, zarr.Points([]int{2, 0})))
	if !slices.Equal(got.Data, []complex128{0.5, 1 + 2i}) {
		t.Error(got.Data)
	}
	if _, err := zarr.ReadAs[float64](ctx, a, zarr.All()); !errors.Is(err, zarr.ErrType) {
		t.Error(err)
	}
	words := newArray(t, zarr.ArraySpec{Shape: []int{3}, DataType: "string"})
	if _, err := zarr.ReadAs[float64](ctx, words, zarr.All()); !errors.Is(err, zarr.ErrType) {
		t.Error(err)
	}
	type sample int // a type of the program's own
	b := newArray(t, zarr.ArraySpec{Shape: []int{4}, DataType: "float32", Chunks: []int{3}, FillValue: []byte("2.5")})
	mine := make([]sample, 4)
	check(t, zarr.ReadSliceAs(ctx, b, zarr.All(), mine))
	if !slices.Equal(mine, []sample{2, 2, 2, 2}) {
		t.Error(mine)
	}
	half := must[nd.Array[dtype.Float16]](t)(zarr.ReadAs[dtype.Float16](ctx, b, zarr.Slice("1")))
	if half.Data[0].Float32() != 2.5 {
		t.Error(half.Data)
	}
}
