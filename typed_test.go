package zarr_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/dtype"
)

// roundTrip writes Go values and reads them back in every typed way.
func roundTrip[T any](t *testing.T, typ string, data ...T) {
	t.Helper()
	t.Run(fmt.Sprintf("%s as %v", typ, reflect.TypeFor[T]()), func(t *testing.T) {
		n := len(data)
		a := newArray(t, zarr.ArraySpec{Shape: []int{n}, Chunks: []int{2}, DataType: typ})
		check(t, zarr.Write(ctx, a, zarr.All(), data))
		got := must[ndArray[T]](t)(readArray[T](reopen(t, a), zarr.All()))
		if !reflect.DeepEqual(got.Data, data) || !reflect.DeepEqual(got.Shape, []int{n}) {
			t.Errorf("got %v, want %v", got.Data, data)
		}
		back := make([]T, n)
		check(t, zarr.ReadSlice(ctx, a, zarr.Slice("::-1"), back))
		for i := range back {
			if !reflect.DeepEqual(back[i], data[n-1-i]) {
				t.Errorf("element %d backwards is %v", i, back[i])
			}
		}
		i := 0
		for c, err := range zarr.Chunks[T](ctx, a) {
			check(t, err)
			for _, v := range c.Data {
				if !reflect.DeepEqual(v, data[i]) {
					t.Errorf("element %d by chunk is %v", i, v)
				}
				i++
			}
		}
		check(t, zarr.Append(ctx, a, 0, data[:1]))
		last := must[ndArray[T]](t)(readArray[T](a, zarr.Slice("-1")))
		if !reflect.DeepEqual(last.Data[0], data[0]) || len(last.Shape) != 0 {
			t.Errorf("appended %v, got %v", data[0], last)
		}
		wantError(t, zarr.ReadSlice(ctx, a, zarr.All(), make([]T, n)), fmt.Sprintf("slice of %d elements for a selection of shape [%d]", n, n+1), a.URL())
		wantError(t, zarr.Write(ctx, a, zarr.All(), data), "elements for a selection of shape")
	})
}

type point struct {
	X, Y int32
	W    float64
}

type label string
type blob []byte
type celsius float32

func TestEveryGoTypeIsReadAndWritten(t *testing.T) {
	roundTrip(t, "bool", true, false, true)
	roundTrip(t, "int8", int8(-1), 2, 3)
	roundTrip(t, "int16", int16(-1), 2, 3)
	roundTrip(t, "int32", int32(-1), 2, 3)
	roundTrip(t, "int64", int64(-1), 2, 3)
	roundTrip(t, "uint8", uint8(255), 2, 3)
	roundTrip(t, "uint16", uint16(65535), 2, 3)
	roundTrip(t, "uint32", uint32(1<<31), 2, 3)
	roundTrip(t, "uint64", uint64(1<<63), 2, 3)
	roundTrip(t, "float32", float32(1.5), -2, 3)
	roundTrip(t, "float64", 1.5, -2, 3)
	roundTrip(t, "float32", celsius(1.5), -2, 3)
	roundTrip(t, "complex64", complex64(1+2i), 3, 4i)
	roundTrip(t, "complex128", 1+2i, 3, 4i)
	roundTrip(t, "float16", dtype.Float16(0x3c00), 0xc000, 1)
	roundTrip(t, "float16", uint16(0x3c00), 0xc000, 1)
	roundTrip(t, "bfloat16", dtype.BFloat16(0x3f80), 2, 1)
	roundTrip(t, "float8_e4m3fn", uint8(0x38), 2, 1)
	roundTrip(t, "int4", int8(-8), 7, 1)
	roundTrip(t, "uint2", uint8(3), 2, 1)
	roundTrip(t, "r24", [3]byte{1, 2, 3}, [3]byte{}, [3]byte{9})
	roundTrip(t, `{"name":"raw_bytes","configuration":{"length_bytes":2}}`, [2]byte{1, 2}, [2]byte{}, [2]byte{9})
	roundTrip(t, `{"name":"fixed_length_utf32","configuration":{"length_bytes":8}}`, [2]rune{'a', 'ß'}, [2]rune{}, [2]rune{'☃'})
	roundTrip(t, `{"name":"numpy.datetime64","configuration":{"unit":"s","scale_factor":1}}`, int64(-1), 5, 1<<40)
	roundTrip(t, `{"name":"numpy.timedelta64","configuration":{"unit":"ns","scale_factor":1}}`, time.Second, -time.Hour, 0)
	roundTrip(t, "complex_float16", [2]dtype.Float16{1, 2}, [2]dtype.Float16{}, [2]dtype.Float16{3})
	roundTrip(t, `{"name":"struct","configuration":{"fields":[["x","int32"],["y","int32"],["w","float64"]]}}`, point{1, 2, 3}, point{-1, 0, 0.5}, point{})
	roundTrip(t, "string", "", "žluť", "a longer text than the others")
	roundTrip(t, "string", label("x"), "", "☃")
	roundTrip(t, "bytes", []byte{1}, []byte{}, []byte("xyz"))
	roundTrip(t, "bytes", blob{1}, blob{}, blob("xyz"))
}

func TestAWrongGoTypeIsToldTheRightOne(t *testing.T) {
	for _, c := range []struct {
		typ  string
		read func(a *zarr.Array) error
		want string
	}{
		{"uint16", readAs[int16], "array is uint16, which is not int16: use uint16"},
		{"uint16", readAs[float32], "use uint16"},
		{"int64", readAs[int], "use int64"},
		{"float16", readAs[float32], "use dtype.Float16"},
		{"uint16", readAs[dtype.Float16], "use uint16"},
		{"string", readAs[[]byte], "use string"},
		{"bytes", readAs[string], "use []uint8"},
		{"r24", readAs[[4]byte], "use [3]uint8"},
		{"complex64", readAs[complex128], "use complex64"},
		{`{"name":"struct","configuration":{"fields":[["x","int8"],["y","int32"]]}}`, readAs[struct {
			X int8
			Y int32
		}], "a Go struct without padding that has the fields x int8; y int32"},
		{"uint8", readAs[any], "use uint8"},
		{"uint8", readAs[*uint8], "use uint8"},
	} {
		a := newArray(t, zarr.ArraySpec{Shape: []int{3}, DataType: c.typ})
		wantError(t, c.read(a), c.want, a.URL())
	}
}

func readAs[T any](a *zarr.Array) error {
	if err := zarr.Write(ctx, a, zarr.All(), make([]T, 3)); err == nil {
		return nil
	}
	for _, err := range zarr.Chunks[T](ctx, a) {
		if err == nil {
			return nil
		}
	}
	_, err := zarr.Read[T](ctx, a, zarr.All())
	return err
}

// What one reader does with bytes that it got must not reach others.
func TestBytesThatWereReadBelongToTheReader(t *testing.T) {
	for _, opts := range [][]zarr.Option{nil, {zarr.WithCache(newCache())}} {
		a := newArray(t, zarr.ArraySpec{Shape: []int{4}, Chunks: []int{2}, DataType: "bytes", FillValue: json.RawMessage(`"AAEC"`)}, opts...)
		check(t, zarr.Write(ctx, a, zarr.Slice("0:2"), [][]byte{{7}, {8, 9}}))
		for range 2 {
			got := must[ndArray[[]byte]](t)(readArray[[]byte](a, zarr.All()))
			want := [][]byte{{7}, {8, 9}, {0, 1, 2}, {0, 1, 2}}
			if !reflect.DeepEqual(got.Data, want) {
				t.Fatalf("got %v", got.Data)
			}
			for _, b := range got.Data {
				b[0] = 99
				_ = append(b, 98)
			}
			if got.Data[3][0] != 99 || got.Data[1][1] != 9 {
				t.Errorf("values share memory: %v", got.Data)
			}
		}
	}
}

func TestWhatWasWrittenMayBeChangedAfterwards(t *testing.T) {
	a := newArray(t, zarr.ArraySpec{Shape: []int{2}, DataType: "bytes"}, zarr.WithCache(newCache()))
	mine := [][]byte{{1}, {2}}
	check(t, zarr.Write(ctx, a, zarr.All(), mine))
	mine[0][0] = 9
	if got := must[ndArray[[]byte]](t)(readArray[[]byte](a, zarr.All())); got.Data[0][0] != 1 {
		t.Errorf("got %v", got.Data)
	}
}
