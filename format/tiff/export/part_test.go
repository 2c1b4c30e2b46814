package export_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/ngff"
	"github.com/omnizarr/zarr/format/tiff/export"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/job/jobtest"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store/mem"
)

// Files of parts hold what the slice selects.
func TestFilesOfParts(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	for i := range thorough.Rounds(20) {
		a := picture(t, zarr.ArraySpec{Shape: []int{1 + r.IntN(4), 20 + r.IntN(80), 20 + r.IntN(80)}, DataType: []string{"uint8", "int16", "float32"}[i%3],
			Chunks: []int{1 + r.IntN(3), 1 + r.IntN(60), 1 + r.IntN(60)}, DimensionNames: []string{"z", "y", "x"}})
		slice := fmt.Sprintf("z=@0, y=@%d:%d, x=@%d::%d", r.IntN(9), 10+r.IntN(10), r.IntN(9), 1+r.IntN(3))
		if i%4 == 0 {
			slice = fmt.Sprintf("%d:,::2,3:%d", r.IntN(a.Shape()[0]), 5+r.IntN(15))
		}
		sel, err := zarr.ParseSlice(strings.NewReplacer("z=", "", "y=", "", "x=", "", "@", "").Replace(slice))
		jobtest.Check(t, err)
		shape, err := a.ResultShape(sel)
		jobtest.Check(t, err)
		want := nd.Make(a.DataType().Size(), shape...)
		jobtest.Check(t, a.ReadInto(ctx, sel, want))
		n := copied(t, a, copying.Options{To: export.Format{COG: i%4 == 1, Overviews: i%4 == 2}, Chunks: []int{16, 16}, Slice: slice})
		if g, ok := n.(*zarr.Group); ok {
			n, err = g.Array(ctx, "0")
			jobtest.Check(t, err)
		}
		if !bytes.Equal(memory(t, n.(*zarr.Array)).Data, want.Data) {
			t.Errorf("%s of %v: other values, in shape %v", slice, a.Shape(), n.(*zarr.Array).Shape())
		}
	}
}

// A part lies where it lay on the ground, also that of a GeoTIFF; stretched by a step.
func TestPartsLieWhereTheyLay(t *testing.T) {
	for name, attrs := range map[string]string{
		"ours":      `{"spatial:transform": [10, 0, 500000, 0, -10, 6000000], "spatial:dimensions": ["y", "x"], "proj:code": "EPSG:32633"}`,
		"rioxarray": `{"GeoTransform": "500000 10 0 6000000 0 -10"}`,
	} {
		parsed, err := meta.ParseAttributes([]byte(attrs))
		jobtest.Check(t, err)
		a, err := zarr.CreateArrayIn(ctx, mem.New(), "", zarr.ArraySpec{Shape: []int{40, 50}, DataType: "uint8", DimensionNames: []string{"y", "x"}, Attributes: parsed})
		jobtest.Check(t, err)
		dir := t.TempDir()
		whole := filepath.Join(dir, "whole.tif")
		jobtest.Check(t, jobtest.Err(copying.Copy(ctx, a, whole, copying.Options{To: export.Format{}})))
		n, err := zarr.Open(ctx, whole)
		jobtest.Check(t, err)
		t.Cleanup(func() { n.Close() })
		for from, src := range map[string]zarr.Node{"the array": a, "a GeoTIFF": n} {
			part := filepath.Join(dir, strings.ReplaceAll(from, " ", "")+".tif")
			jobtest.Check(t, jobtest.Err(copying.Copy(ctx, src, part, copying.Options{To: export.Format{}, Slice: "y=@4:24:2, x=@5:"})))
			p, err := zarr.Open(ctx, part)
			jobtest.Check(t, err)
			var got []float64
			_, err = p.Attributes().Get("spatial:transform", &got)
			jobtest.Check(t, err)
			if fmt.Sprint(got) != "[10 0 500050 0 -20 5.999965e+06]" {
				t.Errorf("%s, of %s: %v", name, from, got)
			}
			jobtest.Check(t, p.Close())
		}
	}
}

// A group has no slices; a file that was begun of another part is another file.
func TestPartsThatAreOthers(t *testing.T) {
	g, _ := jobtest.Sample(t)
	path := filepath.Join(t.TempDir(), "out.tif")
	if err := jobtest.Err(copying.Copy(ctx, g, path, copying.Options{To: export.Format{}, Slice: "x=0:1"})); err == nil || !strings.Contains(err.Error(), "name the array") {
		t.Error(err)
	}
	a := picture(t, zarr.ArraySpec{Shape: []int{128, 128}, Chunks: []int{16, 16}, DataType: "uint8", DimensionNames: []string{"y", "x"}})
	opts := copying.Options{To: export.Format{}, Chunks: []int{32, 32}, Memory: 4 * 32 * 32, Slice: "0:96,0:96"}
	if _, whole := stopped(t, a, path, opts, 4); whole {
		t.Fatal("it was not stopped")
	}
	same, err := copying.Copy(ctx, a, path, opts)
	if err != nil || same.Anew || same.Resumed == 0 {
		t.Errorf("%v, %v", same, err)
	}
	jobtest.Check(t, os.Remove(path))
	if _, whole := stopped(t, a, path, opts, 4); whole {
		t.Fatal("it was not stopped")
	}
	opts.Slice = "32:128,0:96"
	other, err := copying.Copy(ctx, a, path, opts)
	if err != nil || !other.Anew || other.Resumed != 0 {
		t.Errorf("%v, %v", other, err)
	}
}

// What is planned is what is done: tiles of all levels, and each chunk once.
func TestPlansOfFiles(t *testing.T) {
	a := picture(t, zarr.ArraySpec{Shape: []int{3, 100, 90}, Chunks: []int{2, 50, 40}, DataType: "int16", DimensionNames: []string{"z", "y", "x"}})
	for _, c := range []struct {
		opts copying.Options
		want string
	}{
		{copying.Options{To: export.Format{}, Chunks: []int{32, 48}}, "24 of 54000, encode 54000, each 1"},
		{copying.Options{To: export.Format{Overviews: true}, Chunks: []int{64, 64}}, "15 of 54000, encode 67500, each 1"},
		{copying.Options{To: export.Format{COG: true}, Chunks: []int{64, 64}, Slice: "z=@1"}, "5 of 18000, encode 22500, each 1"},
		{copying.Options{To: export.Format{}, Chunks: []int{64, 64}, Memory: 1}, "12 of 54000, encode 54000, each 3"},
	} {
		plan, err := copying.PlanOf(ctx, a, c.opts)
		jobtest.Check(t, err)
		if got := fmt.Sprintf("%d of %d, encode %d, each %.4g", plan.Chunks, plan.Elements, plan.Written, plan.Passes); got != c.want || len(plan.Each) != 1 || plan.Arrays != 1 {
			t.Errorf("%+v: %s, want %s", c.opts.To, got, c.want)
		}
		sum, err := copying.Copy(ctx, a, filepath.Join(t.TempDir(), "out.tif"), c.opts)
		if err != nil || sum.Chunks != plan.Chunks || sum.Elements != plan.Elements {
			t.Errorf("%+v: %v, %v", c.opts.To, sum, err)
		}
	}
}

// A level of an image that is named alone has the pixel sizes and channels of the image.
func TestALevelKeepsWhatItsImageSays(t *testing.T) {
	g, err := zarr.CreateGroupIn(ctx, mem.New(), "")
	jobtest.Check(t, err)
	attrs, err := meta.ParseAttributes([]byte(`{"ome": {"version": "0.5", "multiscales": [{
		"axes": [{"name": "c", "type": "channel"}, {"name": "y", "type": "space", "unit": "micrometer"}, {"name": "x", "type": "space", "unit": "micrometer"}],
		"datasets": [{"path": "0", "coordinateTransformations": [{"type": "scale", "scale": [1, 0.5, 0.25]}]}]}],
		"omero": {"channels": [{"label": "DAPI"}, {"label": "GFP"}]}}}`))
	jobtest.Check(t, err)
	jobtest.Check(t, g.SetAttributes(ctx, attrs))
	a, err := g.CreateArray(ctx, "0", zarr.ArraySpec{Shape: []int{2, 40, 40}, DataType: "uint8", DimensionNames: []string{"c", "y", "x"}})
	jobtest.Check(t, err)
	for _, slice := range []string{"", "y=@8:"} {
		got := copied(t, a, copying.Options{Slice: slice, To: export.Format{}}).Attributes()
		image := ngff.Described(got, nil)
		if image == nil || image.Levels[0].Scale[1] != 0.5 || image.Levels[0].Scale[2] != 0.25 || image.Axes[2].Unit != "micrometer" {
			t.Errorf("%q: %+v", slice, image)
		}
		if channels := ngff.Hints(got); len(channels) != 2 || channels[1].Label != "GFP" {
			t.Errorf("%q: %+v", slice, channels)
		}
	}
}
