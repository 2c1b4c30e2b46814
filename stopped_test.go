package zarr_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/thorough"
)

// shapes of chunks by which changes of the shape are stopped.
var stoppedSpecs = map[string]zarr.ArraySpec{
	"chunks": {Chunks: []int{3, 2}, Codecs: json.RawMessage(`["bytes"]`)},
	"packed": {Chunks: []int{3, 2}},
	"shards": {Chunks: []int{2, 1}, Shards: []int{4, 2}},
}

// stoppedArray makes an array of numbers from 1 on in a store that can fail.
func stoppedArray(t *testing.T, f *failing, spec zarr.ArraySpec, rows, cols int) *zarr.Array {
	t.Helper()
	spec.Shape, spec.DataType = []int{rows, cols}, "uint8"
	a := must[*zarr.Array](t)(zarr.CreateArrayIn(ctx, f, "a", spec))
	check(t, zarr.Write(ctx, a, zarr.All(), numbers(rows*cols)))
	return a
}

func numbers(n int) []uint8 {
	out := make([]uint8, n)
	for i := range out {
		out[i] = uint8(i + 1)
	}
	return out
}

// wantShown checks that an array, opened anew, has a shape, and in it the numbers that it
// had with rows of another length, those outside of kept being 0.
func wantShown(t *testing.T, what string, a *zarr.Array, shape []int, cols int, kept []int) {
	t.Helper()
	a = reopen(t, a)
	got := must[ndArray[uint8]](t)(readArray[uint8](a, zarr.All()))
	if !slices.Equal(got.Shape, shape) {
		t.Errorf("%s: shape %v, want %v", what, got.Shape, shape)
		return
	}
	for k, v := range got.Data {
		i, j := k/shape[1], k%shape[1]
		want := uint8(0)
		if i < kept[0] && j < kept[1] {
			want = uint8(i*cols + j + 1)
		}
		if v != want {
			t.Errorf("%s: element %d, %d is %d, want %d", what, i, j, v, want)
			return
		}
	}
}

// An append that is stopped at any step leaves the array as it was, whatever happens to it
// then; run again it is what it would have been.
func TestAppendsThatStop(t *testing.T) {
	for name, spec := range stoppedSpecs {
		for axis := range 2 {
			for steps := 0; ; steps++ {
				what := fmt.Sprintf("%s, axis %d, %d steps", name, axis, steps)
				f := newFailing()
				a := stoppedArray(t, f, spec, 4, 3)
				more, shape := []uint8{91, 92, 93, 94, 95, 96, 97, 98, 99}, []int{7, 3}
				if axis == 1 {
					more, shape = more[:8], []int{4, 5}
				}
				f.puts.Store(int64(steps))
				err := zarr.Append(ctx, a, axis, more)
				f.puts.Store(1 << 40)
				if err == nil {
					if steps < 3 {
						t.Errorf("%s: it did not stop", what)
					}
					break
				}
				if !errors.Is(err, errDisk) {
					t.Fatalf("%s: %v", what, err)
				}
				wantShown(t, what, a, []int{4, 3}, 3, []int{4, 3})
				if steps%2 == 1 {
					check(t, a.Resize(ctx, shape...))
					wantShown(t, what+", longer", a, shape, 3, []int{4, 3})
					continue
				}
				check(t, zarr.Append(ctx, a, axis, more))
				check(t, a.Resize(ctx, 9, 9))
				got := must[ndArray[uint8]](t)(readArray[uint8](reopen(t, a), zarr.Box([]int{0, 0}, shape)))
				want := slices.Concat(numbers(12), more)
				if axis == 1 {
					want = []uint8{1, 2, 3, 91, 92, 4, 5, 6, 93, 94, 7, 8, 9, 95, 96, 10, 11, 12, 97, 98}
				}
				if !slices.Equal(got.Data, want) {
					t.Errorf("%s: appended again: %v", what, got.Data)
				}
			}
		}
	}
}

// A change of the shape that is stopped at any step leaves the old shape with all that it
// showed, or the new one; and where the array grows it has the fill value, also where a
// change that was stopped has left something.
func TestResizesThatStop(t *testing.T) {
	const rows, cols = 7, 5
	for name, spec := range stoppedSpecs {
		for _, to := range [][]int{{4, 3}, {7, 2}, {2, 9}, {0, 5}, {9, 3}} {
			for steps := 0; ; steps += thorough.Step(3) {
				what := fmt.Sprintf("%s to %v, %d steps", name, to, steps)
				f := newFailing()
				a := stoppedArray(t, f, spec, rows, cols)
				f.puts.Store(int64(steps))
				err := a.Resize(ctx, to...)
				f.puts.Store(1 << 40)
				if err != nil && !errors.Is(err, errDisk) {
					t.Fatalf("%s: %v", what, err)
				}
				kept := []int{min(rows, to[0]), min(cols, to[1])}
				if shape := reopen(t, a).Shape(); err == nil || slices.Equal(shape, to) {
					wantShown(t, what, a, to, cols, kept)
				} else {
					wantShown(t, what, a, []int{rows, cols}, cols, []int{rows, cols})
					check(t, a.Resize(ctx, to...))
				}
				stopped := err != nil
				// It grows, and stops again, and again.
				for more := 0; ; more++ {
					f.puts.Store(int64(more))
					err := a.Resize(ctx, 10, 9)
					f.puts.Store(1 << 40)
					if err == nil {
						break
					}
					wantShown(t, what+", growing", a, reopen(t, a).Shape(), cols, kept)
				}
				wantShown(t, what+", grown", a, []int{10, 9}, cols, kept)
				if !stopped {
					break
				}
			}
		}
	}
}
