package diff

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/job/jobtest"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

var ctx = context.Background()

func compare(t *testing.T, a, b zarr.Node) []string {
	t.Helper()
	r, err := Nodes(ctx, a, b, Options{})
	jobtest.Check(t, err)
	if r.Equal != (len(r.Differences) == 0) {
		t.Errorf("equal %v with %d differences", r.Equal, len(r.Differences))
	}
	var lines []string
	for _, d := range r.Differences {
		lines = append(lines, fmt.Sprintf("%s %s %s", d.Path, d.Kind, d.Detail))
	}
	return lines
}

func want(t *testing.T, got []string, lines ...string) {
	t.Helper()
	if !slices.Equal(got, lines) {
		t.Errorf("differences\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(lines, "\n"))
	}
}

func TestACopyInOtherChunksIsEqual(t *testing.T) {
	g, _ := jobtest.Sample(t)
	s := mem.New()
	jobtest.Check(t, jobtest.Err(copying.Into(ctx, g, s, "", copying.Options{Chunks: []int{3, 5}})))
	n, err := zarr.OpenStore(ctx, s, "")
	jobtest.Check(t, err)
	want(t, compare(t, g, n))
	want(t, compare(t, n, g))
}

func TestEveryKindOfDifference(t *testing.T) {
	g, _ := jobtest.Sample(t)
	h, _ := jobtest.Sample(t)
	jobtest.Check(t, h.Delete(ctx, "deep/words"))
	_, err := h.CreateArray(ctx, "new", zarr.ArraySpec{Shape: []int{2}, DataType: "bool"})
	jobtest.Check(t, err)
	plane, err := h.Array(ctx, "plane")
	jobtest.Check(t, err)
	jobtest.Check(t, zarr.Write(ctx, plane, zarr.Slice("9, 6"), []int16{5}))
	attrs := &meta.Attributes{}
	jobtest.Check(t, attrs.Set("title", "other"))
	jobtest.Check(t, attrs.Set("n", 1))
	jobtest.Check(t, plane.SetAttributes(ctx, attrs))
	volume, err := h.Array(ctx, "deep/volume")
	jobtest.Check(t, err)
	jobtest.Check(t, volume.Resize(ctx, 5, 6, 5))
	want(t, compare(t, g, h),
		"/deep/volume shape 5 × 5 × 5 and 5 × 6 × 5",
		"/deep/words missing an array, 5 string, only in the first",
		"/new extra an array, 2 bool, only in the second",
		`/plane attributes "n": 1, only in the second`,
		`/plane attributes "title": "sample" and "other"`,
		"/plane values element [9 6]: 69 and 5; 1 of 70 elements differ")
}

func array(t *testing.T, spec zarr.ArraySpec) *zarr.Array {
	t.Helper()
	a, err := zarr.CreateArrayIn(ctx, mem.New(), "", spec)
	jobtest.Check(t, err)
	return a
}

func TestTypesAndNamesOfDimensions(t *testing.T) {
	a := array(t, zarr.ArraySpec{Shape: []int{2, 3}, DataType: "int16", DimensionNames: []string{"y", "x"}})
	b := array(t, zarr.ArraySpec{Shape: []int{2, 3}, DataType: "int32"})
	want(t, compare(t, a, b), "/ attributes names of dimensions: y, x and none", "/ data_type int16 and int32")
	g, _ := jobtest.Sample(t)
	if got := compare(t, g, a); len(got) == 0 || !strings.Contains(got[0], "a group in the first, an array, 2 × 3 int16 in the second") {
		t.Errorf("a group and an array: %q", got)
	}
}

// Floats are numbers: one NaN is as good as another, and zero has no sign.
func TestFloatsAreEqualByValue(t *testing.T) {
	odd := math.Float64frombits(0x7ff8000000000123)
	x := array(t, zarr.ArraySpec{Shape: []int{4}, DataType: "float64"})
	y := array(t, zarr.ArraySpec{Shape: []int{4}, DataType: "float64"})
	jobtest.Check(t, zarr.Write(ctx, x, zarr.All(), []float64{math.NaN(), 0, 1, math.NaN()}))
	jobtest.Check(t, zarr.Write(ctx, y, zarr.All(), []float64{odd, math.Copysign(0, -1), 1, 2}))
	want(t, compare(t, x, y), `/ values element [3]: "NaN" and 2.0; 1 of 4 elements differ`)
	c := array(t, zarr.ArraySpec{Shape: []int{2}, DataType: "complex128"})
	d := array(t, zarr.ArraySpec{Shape: []int{2}, DataType: "complex128"})
	jobtest.Check(t, zarr.Write(ctx, c, zarr.All(), []complex128{complex(1, math.NaN()), 2}))
	jobtest.Check(t, zarr.Write(ctx, d, zarr.All(), []complex128{complex(1, odd), complex(2, 1)}))
	want(t, compare(t, c, d), "/ values element [1]: [2.0, 0.0] and [2.0, 1.0]; 1 of 2 elements differ")
}

// What is not stored counts by its fill value, and text by its letters.
func TestMissingChunksHaveTheFillValue(t *testing.T) {
	x := array(t, zarr.ArraySpec{Shape: []int{4}, Chunks: []int{2}, DataType: "uint8", FillValue: json.RawMessage("7")})
	y := array(t, zarr.ArraySpec{Shape: []int{4}, Chunks: []int{4}, DataType: "uint8"})
	jobtest.Check(t, zarr.Write(ctx, y, zarr.All(), []uint8{7, 7, 7, 8}))
	want(t, compare(t, x, y), "/ values element [3]: 7 and 8; 1 of 4 elements differ")
	s := array(t, zarr.ArraySpec{Shape: []int{3}, Chunks: []int{1}, DataType: "string"})
	u := array(t, zarr.ArraySpec{Shape: []int{3}, Chunks: []int{3}, DataType: "string"})
	jobtest.Check(t, zarr.Write(ctx, s, zarr.All(), []string{"a", "", "ß"}))
	jobtest.Check(t, zarr.Write(ctx, u, zarr.All(), []string{"a", "", "s"}))
	want(t, compare(t, s, u), `/ values element [2]: "ß" and "s"; 1 of 3 elements differ`)
}

// Only blocks in which something is stored are read: this one has 2⁵⁰ elements.
func TestASparseArrayTakesNoTime(t *testing.T) {
	spec := zarr.ArraySpec{Shape: []int{1 << 25, 1 << 25}, Chunks: []int{100, 100}, DataType: "uint8"}
	x, y := array(t, spec), array(t, spec)
	want(t, compare(t, x, y))
	jobtest.Check(t, zarr.Write(ctx, y, zarr.Slice("20000000, 30000000"), []uint8{1}))
	want(t, compare(t, x, y), "/ values element [20000000 30000000]: 0 and 1; 1 of 1,125,899,906,842,624 elements differ")
}

// What neither stores has the fill values, of which no block is read either.
func TestSparseArraysMayDifferInFillValues(t *testing.T) {
	sparse := func(dataType, fill string) *zarr.Array {
		return array(t, zarr.ArraySpec{Shape: []int{1 << 25, 1 << 25}, Chunks: []int{100, 100}, DataType: dataType, FillValue: json.RawMessage(fill)})
	}
	x, y := sparse("uint8", "0"), sparse("uint8", "7")
	want(t, compare(t, x, y), "/ values element [0 0]: 0 and 7; element [0 1]: 0 and 7; element [0 2]: 0 and 7; 1,125,899,906,842,624 of 1,125,899,906,842,624 elements differ")
	// Of the blocks that one of them stores something of, elements count.
	jobtest.Check(t, zarr.Write(ctx, x, zarr.Slice("0, 0"), []uint8{7}))
	jobtest.Check(t, zarr.Write(ctx, y, zarr.Slice("0, 1"), []uint8{0}))
	want(t, compare(t, x, y), "/ values element [0 2]: 0 and 7; element [0 3]: 0 and 7; element [0 4]: 0 and 7; 1,125,899,906,842,622 of 1,125,899,906,842,624 elements differ")
	// Numbers are equal by value.
	want(t, compare(t, sparse("float32", "0.0"), sparse("float32", "-0.0")))
	want(t, compare(t, sparse("string", `""`), sparse("string", `""`)))
}

func TestNumbersInAttributesMayBeSpelledOtherwise(t *testing.T) {
	for _, c := range []struct {
		x, y string
		same bool
	}{
		{`1`, `1.0`, true}, {`{"a":[1,2],"b":null}`, `{"b":null,"a":[1.0,2e0]}`, true}, {`1`, `"1"`, false}, {`[1,2]`, `[2,1]`, false},
		{`9007199254740993`, `9007199254740992`, false}, {`12345678901234567890123`, `12345678901234567890124`, false},
	} {
		if sameJSON(json.RawMessage(c.x), json.RawMessage(c.y)) != c.same {
			t.Errorf("%s and %s: want %v", c.x, c.y, c.same)
		}
	}
}

func TestWhatCannotBeReadIsAnError(t *testing.T) {
	x := array(t, zarr.ArraySpec{Shape: []int{4}, DataType: "uint8", Codecs: json.RawMessage(`["bytes","crc32c"]`)})
	jobtest.Check(t, zarr.Write(ctx, x, zarr.All(), []uint8{1, 2, 3, 4}))
	if _, err := x.Store().Put(ctx, "c/0", []byte("nonsense"), store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	var known *zarr.Error
	if _, err := Nodes(ctx, x, x, Options{}); !errors.As(err, &known) {
		t.Errorf("a broken chunk: %v", err)
	}
	if _, err := Nodes(ctx, x, x, Options{Workers: -1}); err == nil {
		t.Error("-1 workers are taken")
	}
}
