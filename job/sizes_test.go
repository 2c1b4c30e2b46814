package job_test

import (
	"context"
	"errors"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/job"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

func TestSizesOfArrays(t *testing.T) {
	ctx := context.Background()
	for _, format := range []string{"zarr3", "zarr2"} {
		s := mem.New()
		g, err := zarr.CreateGroupIn(ctx, s, "", zarr.As(format))
		if err != nil {
			t.Fatal(err)
		}
		var arrays []*zarr.Array
		for _, path := range []string{"a", "x/ab", "x/none"} {
			a, err := g.CreateArray(ctx, path, zarr.ArraySpec{Shape: []int{4}, Chunks: []int{2}, DataType: "int32", Codecs: nil})
			if err != nil {
				t.Fatal(err)
			}
			arrays = append(arrays, a)
			if path != "x/none" {
				if err := zarr.Write(ctx, a, zarr.All(), []int32{1, 2, 3, 4}); err != nil {
					t.Fatal(err)
				}
			}
		}
		for _, key := range []string{"README", "a/README", "a/attributes.json", "x/ab/sub/0"} {
			if _, err := s.Put(ctx, key, []byte("of nobody"), store.PutOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		sizes, err := job.Sizes(ctx, g, arrays, 0)
		if err != nil {
			t.Fatal(err)
		}
		for path, n := range map[string]int{"a": 2, "x/ab": 2, "x/none": 0} {
			if got := sizes[path]; got.Values != n || (got.Bytes > 0) != (n > 0) {
				t.Errorf("%s: %s takes %+v", format, path, got)
			}
		}
		if _, err := job.Sizes(ctx, g, arrays, 2); !errors.Is(err, job.ErrMany) {
			t.Errorf("%s: %v", format, err)
		}
	}
}
