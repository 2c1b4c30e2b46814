package jobs

import (
	"context"
	"path/filepath"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/downsample"
	"github.com/omnizarr/zarr/format/ngff"
	"github.com/omnizarr/zarr/internal/scene"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/kind"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/pyramid"
	"github.com/omnizarr/zarr/store/mem"
)

// Exhibited is a name.
func (*Kind) Exhibited() string { return "brain.n5" }

// Exhibit writes a block of brain with the neurites that it is made of.
func (k *Kind) Exhibit(ctx context.Context, dir string, opts []zarr.Option) (kind.Exhibit, error) {
	e := kind.Exhibit{Name: k.Exhibited(), Title: "a block of brain under the electron microscope, and its neurites", Array: "/em/s0", Slice: ":64,:64,32"}
	root, err := zarr.CreateGroupIn(ctx, mem.New(), "", opts...)
	if err != nil {
		return e, err
	}
	shape := []int{64, 256, 320}
	grey, neurites := scene.Brain(shape[0], shape[1], shape[2])
	if err := writeVolume(ctx, root, "em", "uint8", shape, grey, downsample.Average); err != nil {
		return e, err
	}
	if err := writeVolume(ctx, root, "neurites", "uint32", shape, neurites, downsample.Mode); err != nil {
		return e, err
	}
	_, err = copying.Copy(ctx, root, filepath.Join(dir, e.Name), copying.Options{To: Copy{Reversed: true}.Format(), Overwrite: true, Open: opts})
	return e, err
}

// writeVolume writes an image of three levels, whose pixels are 8 nm and planes 16 nm apart.
func writeVolume[T any](ctx context.Context, root *zarr.Group, name, dataType string, shape []int, data []T, how downsample.Method) error {
	g, err := root.CreateGroup(ctx, name)
	if err != nil {
		return err
	}
	nm := func(name string) ngff.Axis { return ngff.Axis{Name: name, Type: "space", Unit: "nanometer"} }
	attrs := &meta.Attributes{}
	said := ngff.Metadata{Images: []ngff.Multiscales{{Name: name, Axes: []ngff.Axis{nm("z"), nm("y"), nm("x")}, Levels: []ngff.Level{{Path: "s0", Scale: []float64{16, 8, 8}}}}}}
	if err := said.Write(attrs); err != nil {
		return err
	}
	if err := g.SetAttributes(ctx, attrs); err != nil {
		return err
	}
	a, err := g.CreateArray(ctx, "s0", zarr.ArraySpec{Shape: shape, Chunks: []int{32, 64, 64}, DataType: dataType, DimensionNames: []string{"z", "y", "x"}})
	if err != nil {
		return err
	}
	if err := zarr.Write(ctx, a, zarr.All(), data); err != nil {
		return err
	}
	_, err = pyramid.Build(ctx, g, "s0", pyramid.Options{Levels: 3, Method: how})
	return err
}
