package zarr_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/nd"
)

// Names in any order, text and values, and places say the same.
func TestAxesByName(t *testing.T) {
	a := newArray(t, zarr.ArraySpec{Shape: []int{4, 5, 6}, DataType: "int16", DimensionNames: []string{"time", "", "x"}})
	data := make([]int16, 120)
	for i := range data {
		data[i] = int16(i)
	}
	check(t, zarr.Write(ctx, a, zarr.All(), data))
	for _, c := range []struct{ named, plain zarr.Selection }{
		{zarr.Slice("x=5, time=1:3"), zarr.Slice("1:3, :, 5")},
		{zarr.Slice(" x = ::-2 "), zarr.Slice("..., ::-2")},
		{zarr.Slice("x=@5,time=@-1"), zarr.Slice("-1, :, 5")},
		{zarr.Slice("@1, @2:@3"), zarr.Slice("x")}, // an @ stands before the whole
		{zarr.Slice("@1, @2:3"), zarr.Slice("1, 2:3")},
		{zarr.Named{"x": zarr.From(2), "time": zarr.Until(-1)}, zarr.Slice(":-1, :, 2:")},
		{zarr.Named{"x": zarr.List(3, 1)}, zarr.Select(zarr.Ellipsis(), zarr.List(3, 1))},
		{zarr.Named{}, zarr.All()},
		{zarr.Select(zarr.Full().By(-1), zarr.From(1).By(2), zarr.Until(3).By(-1)), zarr.Slice("::-1, 1::2, :3:-1")},
		{zarr.Select(zarr.From(-2), zarr.From(9), zarr.Until(-9)), zarr.Slice("-2:, 9:, :-9")},
		{zarr.Box([]int{-1, 3, 2}, []int{3, 9, 2}), zarr.Slice("0:2, 3:12, 2:4")},
	} {
		got, err := zarr.Read[int16](ctx, a, c.named)
		want, wantErr := zarr.Read[int16](ctx, a, c.plain)
		if (err == nil) != (wantErr == nil) || !slices.Equal(got.Shape, want.Shape) || !slices.Equal(got.Data, want.Data) {
			t.Errorf("%v: %v, %v; %v: %v, %v", c.named, got, err, c.plain, want, wantErr)
		}
	}
	for want, sel := range map[string]zarr.Selection{
		`no axis is named "y", only time, x`:      zarr.Slice("y=1"),
		`some axes are named and some are not`:    zarr.Slice("1, x=2"),
		`axis "x" is named twice`:                 zarr.Slice("x=1, x=2"),
		`"=3" names no axis`:                      zarr.Slice("=3"),
		`"..." is no index or slice`:              zarr.Slice("x=..."),
		`an ellipsis stands for axes`:             zarr.Named{"x": zarr.Ellipsis()},
		`axis 2: index 6 is outside an axis of 6`: zarr.Named{"x": zarr.At(6)},
		`only spans have steps`:                   zarr.Select(zarr.At(1).By(2)),
		`box of 1 and 3 axes in an array of 3`:    zarr.Box([]int{1}, []int{1, 2, 3}),
		`no box is -1 long from 0 on`:             zarr.Box([]int{0, 0, 0}, []int{1, -1, 1}),
	} {
		_, err := zarr.Read[int16](ctx, a, sel)
		wantError(t, err, want, "read", a.URL())
		if !errors.Is(err, zarr.ErrSelection) {
			t.Errorf("%v is of another kind", err)
		}
	}
	twice := newArray(t, zarr.ArraySpec{Shape: []int{2, 2}, DataType: "int8", DimensionNames: []string{"x", "x"}})
	_, err := zarr.Read[int8](ctx, twice, zarr.Named{"x": zarr.At(0)})
	wantError(t, err, `axes 0 and 1 are both named "x"`)
	bare := newArray(t, zarr.ArraySpec{Shape: []int{2, 2}, DataType: "int8"})
	_, err = zarr.Read[int8](ctx, bare, zarr.Slice("x=1"))
	wantError(t, err, "axes have no names")
}

// Writing to a box that is cut needs data for what is left alone.
func TestABoxOutsideTakesNoDataSilently(t *testing.T) {
	a := newArray(t, zarr.ArraySpec{Shape: []int{4}, DataType: "int8"})
	if err := zarr.Write(ctx, a, zarr.Box([]int{2}, []int{4}), []int8{1, 2, 3, 4}); !errors.Is(err, zarr.ErrSelection) {
		t.Errorf("%v", err)
	}
	check(t, zarr.Write(ctx, a, zarr.Box([]int{2}, []int{4}), []int8{1, 2}))
	got := must[nd.Array[int8]](t)(zarr.Read[int8](ctx, a, zarr.All()))
	if fmt.Sprint(got.Data) != "[0 0 1 2]" {
		t.Error(got.Data)
	}
}

// Ranges are cut to the array however far they reach, also beyond what a number can be.
func TestHugeRangesAreCut(t *testing.T) {
	const most, least = math.MaxInt, math.MinInt
	for _, c := range []struct {
		sel  zarr.Selection
		want string
	}{
		{zarr.Box([]int{3}, []int{most}), "[3 4]"},
		{zarr.Box([]int{most}, []int{most}), "[]"},
		{zarr.Box([]int{-2}, []int{most}), "[0 1 2 3 4]"},
		{zarr.Box([]int{least}, []int{most}), "[]"},
		{zarr.Box([]int{least + 3}, []int{most}), "[0 1]"},
		{zarr.Select(zarr.Span(least, most)), "[0 1 2 3 4]"},
		{zarr.Select(zarr.Step(most, least, least)), "[4]"},
		{zarr.Select(zarr.Step(1, most, most)), "[1]"},
		{zarr.Select(zarr.From(least).By(2)), "[0 2 4]"},
		{zarr.Select(zarr.Until(most)), "[0 1 2 3 4]"},
		{zarr.Slice("3:9223372036854775807"), "[3 4]"},
		{zarr.Slice("3:9223372036854775808"), "[3 4]"},
		{zarr.Slice("-99999999999999999999:2"), "[0 1]"},
		{zarr.Slice("99999999999999999999::-99999999999999999999"), "[4]"},
		{zarr.Slice("::99999999999999999999"), "[0]"},
	} {
		axes, err := zarr.Resolve(c.sel, []int{5})
		list := []int{}
		for _, a := range axes {
			for k := range a.Count {
				list = append(list, a.At(k))
			}
		}
		if got := fmt.Sprint(list); err != nil || got != c.want {
			t.Errorf("%v: %s, %v, want %s", c.sel, got, err, c.want)
		}
	}
	for _, text := range []string{"9223372036854775807", "99999999999999999999", "-99999999999999999999"} {
		if _, err := zarr.Resolve(zarr.Slice(text), []int{5}); !errors.Is(err, zarr.ErrRange) || !errors.Is(err, zarr.ErrSelection) || !strings.Contains(err.Error(), text) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
