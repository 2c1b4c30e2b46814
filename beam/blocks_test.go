package beam_test

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/beam"
	"github.com/omnizarr/zarr/job/request"
	"github.com/omnizarr/zarr/job/spread"
)

// largest is a function of this program: every element becomes the largest of those around it.
var largest = spread.Map("largest", func(_ context.Context, out *zarr.Block[uint16], in *spread.Around[uint16]) error {
	for y := range out.Shape[0] {
		for x := range out.Shape[1] {
			most := uint16(0)
			for v := max(out.Start[0]+y-1, in.Start[0]); v < min(out.Start[0]+y+2, in.Start[0]+in.Shape[0]); v++ {
				for u := max(out.Start[1]+x-1, in.Start[1]); u < min(out.Start[1]+x+2, in.Start[1]+in.Shape[1]); u++ {
					most = max(most, in.Data[(v-in.Start[0])*in.Shape[1]+u-in.Start[1]])
				}
			}
			out.Data[y*out.Shape[1]+x] = most
		}
	}
	return nil
})

// A program's own function gives the same by a pool and by Beam's workers in another process.
func TestFunctionOverBlocks(t *testing.T) {
	dir := t.TempDir()
	from := filepath.Join(dir, "image.zarr")
	image(t, from)
	var want []uint16
	for name, e := range map[string]spread.Executor{"pool": spread.Pool{}, "beam": beam.Executor{Workers: pool(t), Scratch: dir}} {
		to := filepath.Join(dir, name+".zarr")
		a, err := zarr.CreateArray(t.Context(), to, zarr.ArraySpec{Shape: []int{300, 340}, Chunks: []int{64, 64}, DataType: "uint16"})
		if err != nil {
			t.Fatal(err)
		}
		spec, err := largest.Spec(spread.BlocksOf{From: from, To: to, Margin: []int{1, 1}})
		if err != nil {
			t.Fatal(err)
		}
		result, err := e.Run(t.Context(), spec)
		if err != nil || string(result) != `{"blocks":30}` {
			t.Fatalf("%s: %s, %v", name, result, err)
		}
		got, err := zarr.Read[uint16](t.Context(), a, zarr.All())
		if err != nil {
			t.Fatal(err)
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = got.Data
		}
		if !slices.Equal(got.Data, want) {
			t.Errorf("%s gives other elements", name)
		}
	}
}

// Statistics and checks are what a pool says too.
func TestStatsAndVerify(t *testing.T) {
	dir := t.TempDir()
	from := filepath.Join(dir, "image.zarr")
	image(t, from)
	far := beam.Executor{Workers: pool(t), Scratch: dir}
	stats, err := request.Stats{URL: from}.Spec()
	if err != nil {
		t.Fatal(err)
	}
	verify, err := request.Verify{URL: from}.Spec()
	if err != nil {
		t.Fatal(err)
	}
	for _, spec := range []spread.Spec{stats, verify} {
		want, err := spread.Pool{}.Run(t.Context(), spec)
		if err != nil {
			t.Fatal(err)
		}
		got, err := far.Run(t.Context(), spec)
		if err != nil || string(got) != string(want) || len(want) < 20 {
			t.Errorf("%s: got %s, %v, want %s", spec.Kind, got, err, want)
		}
	}
}
