package jobs

import (
	"context"
	"path/filepath"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/ngff"
	"github.com/omnizarr/zarr/format/tiff/export"
	"github.com/omnizarr/zarr/internal/scene"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/kind"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store/mem"
)

// Exhibited is a name.
func (*Kind) Exhibited() string { return "tissue.ome.tif" }

// Exhibit writes a slide as scanners do: JPEG tiles, with smaller versions.
func (k *Kind) Exhibit(ctx context.Context, dir string, opts []zarr.Option) (kind.Exhibit, error) {
	e := kind.Exhibit{Name: k.Exhibited(), Title: "a slice of stained tissue from a slide scanner", Array: "/0", Slice: ":,1000:1064,1200:1264"}
	const width, height = 2560, 1920
	um := func(name string) ngff.Axis { return ngff.Axis{Name: name, Type: "space", Unit: "micrometer"} }
	image := &ngff.Metadata{Images: []ngff.Multiscales{{
		Name: "tissue", Axes: []ngff.Axis{{Name: "s", Type: "channel"}, um("y"), um("x")},
		Levels: []ngff.Level{{Path: "0", Scale: []float64{1, 0.5, 0.5}}},
	}}}
	attrs := &meta.Attributes{}
	if err := image.Write(attrs); err != nil {
		return e, err
	}
	g, err := zarr.CreateGroupIn(ctx, mem.New(), "", opts...)
	if err != nil {
		return e, err
	}
	if err := g.SetAttributes(ctx, attrs); err != nil {
		return e, err
	}
	a, err := g.CreateArray(ctx, "0", zarr.ArraySpec{
		Shape: []int{3, height, width}, Chunks: []int{3, 256, 256}, DataType: "uint8", DimensionNames: []string{"s", "y", "x"},
	})
	if err != nil {
		return e, err
	}
	if err := zarr.Write(ctx, a, zarr.All(), scene.Tissue(width, height)); err != nil {
		return e, err
	}
	to := export.Format{Compression: "jpeg", Quality: 90, Overviews: true}
	_, err = copying.Copy(ctx, g, filepath.Join(dir, e.Name), copying.Options{To: to, Lossy: true, Overwrite: true, Open: opts})
	return e, err
}
