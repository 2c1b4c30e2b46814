package job_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/job"
	"github.com/omnizarr/zarr/job/jobtest"
	"github.com/omnizarr/zarr/store"
)

func TestStrays(t *testing.T) {
	ctx := context.Background()
	root, s := jobtest.Sample(t)
	// Names may begin with dots.
	dots, err := root.CreateArray(ctx, "..dots", zarr.ArraySpec{Shape: []int{2}, DataType: "uint8"})
	jobtest.Check(t, err)
	jobtest.Check(t, zarr.Write(ctx, dots, zarr.All(), []uint8{1, 2}))
	put := func(key, data string) {
		_, err := s.Put(ctx, key, []byte(data), store.PutOptions{})
		jobtest.Check(t, err)
	}
	read := func() (got []string) {
		for x, err := range job.Strays(ctx, root) {
			jobtest.Check(t, err)
			got = append(got, fmt.Sprintf("%s %s %v", x.Path, x.Key, x.Orphan))
		}
		return got
	}
	if got := read(); len(got) > 0 {
		t.Errorf("a good hierarchy: %q", got)
	}
	for key, data := range map[string]string{
		"README.md": "r", "deep/points.parquet/part.0": "pq", "plane/c/9/9": "orphan", "plane/c/0/0/0": "rank", "plane/2024": "mine",
		"deep/old/.zarray": `{"zarr_format":2,"shape":[4,4],"chunks":[2,2],"dtype":"|u1","order":"C","fill_value":0,"compressor":null,"filters":null}`,
		"deep/old/0.0":     "own", "deep/old/7.0": "orphan", "deep/old/7": "mine",
		"odd/zarr.json": "{", "odd/c/0/0": "may be its chunk", "odd/notes": "mine",
		"folder/that/is/no/node": "x", ".omnizarr-copied": "{}",
	} {
		put(key, data)
	}
	want := []string{
		"/ README.md false", "/deep/old 7 false", "/deep/old 7.0 true", "/deep points.parquet/part.0 false",
		"/ folder/that/is/no/node false", "/odd notes false", "/plane 2024 false", "/plane c/0/0/0 false", "/plane c/9/9 true",
	}
	if got := read(); !slices.Equal(got, want) {
		t.Errorf("got\n%q, want\n%q", got, want)
	}
	sub, err := zarr.OpenStore(ctx, s, "deep")
	jobtest.Check(t, err)
	root = sub.(*zarr.Group)
	if got := read(); !slices.Equal(got, []string{"/old 7 false", "/old 7.0 true", "/ points.parquet/part.0 false"}) {
		t.Errorf("below: got %q", got)
	}
}
