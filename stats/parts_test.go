package stats_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/stats"
	"github.com/omnizarr/zarr/store/mem"
)

// Parts that were JSON in between, merged in any order, are the whole to the last bit,
// however many there are.
func TestPartsAreTheWhole(t *testing.T) {
	ctx := t.Context()
	columns := thorough.Least(60, 150, 1000)
	random := rand.New(rand.NewPCG(3, 5))
	for _, name := range []string{"float64", "int32"} {
		a, err := zarr.CreateArrayIn(ctx, mem.New(), "", zarr.ArraySpec{Shape: []int{700, columns}, Chunks: []int{50, columns}, DataType: name})
		if err != nil {
			t.Fatal(err)
		}
		data := make([]float64, 650*columns) // some chunks are not stored
		values := make([]float64, 500)
		for i := range values {
			values[i] = math.Trunc(random.NormFloat64()*1e5) + 1e9
			if name == "float64" {
				values[i] = math.Exp(20 * random.NormFloat64())
			}
		}
		for i := range data {
			data[i] = values[random.IntN(len(values))]
		}
		if name == "float64" {
			data[5], err = math.NaN(), zarr.Write(ctx, a, zarr.Slice("0:650"), data)
		} else {
			whole := make([]int32, len(data))
			for i, v := range data {
				whole[i] = int32(v)
			}
			err = zarr.Write(ctx, a, zarr.Slice("0:650"), whole)
		}
		if err != nil {
			t.Fatal(err)
		}
		whole, err := stats.Of(ctx, a, stats.Options{})
		if err != nil {
			t.Fatal(err)
		}
		want, err := json.Marshal(whole.Summary(64))
		if err != nil {
			t.Fatal(err)
		}
		for _, of := range []int{2, 3, 7} {
			all := &stats.Partial{}
			for _, k := range random.Perm(of) {
				p, err := stats.Of(ctx, a, stats.Options{Part: k + 1, Of: of, Workers: 1 + k%3})
				if err != nil {
					t.Fatal(err)
				}
				text, err := json.Marshal(p)
				if err != nil {
					t.Fatal(err)
				}
				read := &stats.Partial{}
				if err := json.Unmarshal(text, read); err != nil {
					t.Fatal(err)
				}
				all.Merge(read)
			}
			got, err := json.Marshal(all.Summary(64))
			if err != nil || string(got) != string(want) {
				t.Errorf("%s in %d parts: %s, want %s (%v)", name, of, got, want, err)
			}
			if !reflect.DeepEqual(all.Moments, whole.Moments) {
				t.Errorf("%s in %d parts: %v, want %v", name, of, all.Moments, whole.Moments)
			}
		}
	}
}
