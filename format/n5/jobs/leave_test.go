package jobs_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/n5"
	"github.com/omnizarr/zarr/job/copying"
)

// In a copy with its axes the other way round, nothing says them in N5's order; where
// elements are is said in that of the copy. Otherwise attributes stay as they are.
func TestAxesOfN5DoNotStayBesideReversedArrays(t *testing.T) {
	ctx := context.Background()
	dir := filepath.Join(t.TempDir(), "em.n5")
	const dataset = `{"dimensions": [6, 5, 4], "blockSize": [6, 5, 4], "dataType": "uint8", "compression": {"type": "raw"},
		"axes": ["x", "y", "z"], "units": ["nm", "nm", "nm"], "resolution": [4, 4, 40], "offset": [1, 2, 3], "mine": [1, 2, 3]}`
	for name, text := range map[string]string{
		"attributes.json":       `{"n5": "4.0.0"}`,
		"image/attributes.json": `{"axes": ["x", "y", "z"], "resolution": [4, 4, 40], "scales": [[1, 1, 1]], "title": "em"}`, "image/s0/attributes.json": dataset,
		"alone/attributes.json": dataset,
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, reversed := range []bool{true, false} {
		var opts []zarr.Option
		if reversed {
			opts = append(opts, zarr.With(n5.Reversed))
		}
		src, err := zarr.Open(ctx, dir, opts...)
		if err != nil {
			t.Fatal(err)
		}
		dst := filepath.Join(t.TempDir(), "em.zarr")
		if _, err = copying.Copy(ctx, src, dst, copying.Options{}); err != nil {
			t.Fatal(err)
		}
		copied, err := zarr.Open(ctx, dst)
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range []string{"image", "image/s0", "alone"} {
			n, err := copied.(*zarr.Group).Open(ctx, at)
			if err != nil {
				t.Fatal(err)
			}
			attrs := n.Attributes()
			for _, name := range []string{"axes", "resolution", "offset", "scales"} {
				was := name == "axes" || name == "resolution" || (name == "scales") == (at == "image")
				if (attrs.Raw(name) != nil) != (was && !reversed) {
					t.Errorf("%s reversed %v: %s is %s", at, reversed, name, attrs.Raw(name))
				}
			}
			switch {
			case at == "image" && (string(attrs.Raw("title")) != `"em"` || attrs.Raw("ome") == nil):
				t.Errorf("%s reversed %v: %s", at, reversed, attrs.Append(nil))
			case at != "image" && string(attrs.Raw("mine")) != `[1, 2, 3]` && string(attrs.Raw("mine")) != `[1,2,3]`:
				t.Errorf("%s reversed %v: %s", at, reversed, attrs.Append(nil))
			case at != "image" && reversed:
				var scale, translation []float64
				var units []string
				if _, err := attrs.Get("scale", &scale); err != nil || len(scale) != 3 || scale[0] != 40 {
					t.Errorf("%s: scale %v, %v", at, scale, err)
				}
				if _, err := attrs.Get("translation", &translation); err != nil || len(translation) != 3 || translation[0] != 3 {
					t.Errorf("%s: translation %v, %v", at, translation, err)
				}
				if _, err := attrs.Get("units", &units); err != nil || len(units) != 3 || units[0] != "nanometer" {
					t.Errorf("%s: units %v, %v", at, units, err)
				}
			}
		}
		if err := copied.Close(); err != nil {
			t.Error(err)
		}
		if err := src.Close(); err != nil {
			t.Error(err)
		}
	}
}
