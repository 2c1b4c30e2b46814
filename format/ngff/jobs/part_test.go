package jobs_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/ngff"
	"github.com/omnizarr/zarr/format/ngff/jobs"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/job/jobtest"
	"github.com/omnizarr/zarr/meta"
)

// A pyramid of a part has its elements, and lies where they lay.
func TestPyramidsOfParts(t *testing.T) {
	attrs, err := meta.ParseAttributes([]byte(`{"axes": ["z", "y", "x"], "units": ["micrometer", "micrometer", "micrometer"], "scale": [2, 0.5, 0.5]}`))
	jobtest.Check(t, err)
	dir := t.TempDir()
	a, err := zarr.CreateArray(ctx, filepath.Join(dir, "a.zarr"), zarr.ArraySpec{Shape: []int{2, 8, 8}, Chunks: []int{1, 3, 8}, DataType: "uint8", DimensionNames: []string{"z", "y", "x"}, Attributes: attrs})
	jobtest.Check(t, err)
	defer a.Close()
	values := make([]uint8, 128)
	for i := range values {
		values[i] = uint8(i)
	}
	jobtest.Check(t, zarr.Write(ctx, a, zarr.All(), values))
	out := filepath.Join(dir, "out.zarr")
	opts := copying.Options{Slice: "z=@1:, y=@2:6, x=@4:"}
	jobtest.Check(t, jobtest.Err(jobs.Pyramid{Levels: 2}.Copy(ctx, a, out, opts)))
	if sum, err := (jobs.Pyramid{Levels: 2}).Copy(ctx, a, out, opts); err != nil || !sum.Already {
		t.Errorf("again: %+v, %v", sum, err)
	}
	n, err := zarr.Open(ctx, out)
	jobtest.Check(t, err)
	defer n.Close()
	images, err := ngff.Images(n.Attributes())
	jobtest.Check(t, err)
	first := images[0].Levels[0]
	if len(first.Translation) != 3 || first.Translation[0] != 2 || first.Translation[1] != 1 || first.Translation[2] != 2 || first.Scale[0] != 2 {
		t.Errorf("%+v", first)
	}
	level, err := n.(*zarr.Group).Array(ctx, first.Path)
	jobtest.Check(t, err)
	got, err := zarr.Read[uint8](ctx, level, zarr.All())
	jobtest.Check(t, err)
	if got.Data[0] != 64+2*8+4 || len(got.Data) != 16 {
		t.Errorf("%v", got.Data)
	}
	if err := jobtest.Err(jobs.Pyramid{}.Copy(ctx, a, filepath.Join(dir, "a.zarr", "in"), opts)); err == nil || !strings.Contains(err.Error(), "inside") {
		t.Errorf("a copy inside of its source: %v", err)
	}
}
