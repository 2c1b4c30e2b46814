package copying

import (
	"encoding/json"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/codec/pad"
	"github.com/omnizarr/zarr/codec/std"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/grid"
)

// padding is the format that chunks of a copy get a header of; nil without one.
func padding(name string) (*pad.Format, error) {
	if name == "" {
		return nil, nil
	}
	f, err := pad.ByName(name)
	return &f, err
}

// padOptions are the options with which the copy is written.
func padOptions(f *pad.Format, opts []zarr.Option) []zarr.Option {
	if f == nil {
		return opts
	}
	r := std.Registry()
	f.Register(r)
	return append(opts[:len(opts):len(opts)], zarr.Codecs(r))
}

// padded is the array with headers before its chunks.
func (f Nodes) padded(spec zarr.ArraySpec, header *pad.Format) (zarr.ArraySpec, error) {
	t, err := dtype.Parse(json.RawMessage(spec.DataType))
	if err != nil {
		return spec, err
	}
	codecs := spec.Codecs
	if codecs == nil {
		codecs = zarr.DefaultCodecs(t)
	}
	chunk := spec.Chunks
	switch {
	case spec.Grid != nil:
		if chunk, err = largest(spec); err != nil {
			return spec, err
		}
	case chunk == nil:
		chunk = zarr.DefaultChunks(spec.Shape, t.Size(), spec.Shards)
	}
	if spec.Codecs, err = header.Codecs(std.Registry(), codecs, t, chunk); err != nil {
		return spec, err
	}
	if header.Keys != nil {
		spec.Keys = header.Keys
	}
	return spec, f.Try(spec)
}

// largest is the shape that holds every chunk of the grid.
func largest(spec zarr.ArraySpec) ([]int, error) {
	g, err := grid.Default().Parse(spec.Grid, spec.Shape)
	if err != nil {
		return nil, err
	}
	return grid.Longest(g), nil
}
