package tiff

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/tifftile"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/format/tiff/geo"
	"github.com/omnizarr/zarr/format/tiff/tile"
	"github.com/omnizarr/zarr/grid"
	"github.com/omnizarr/zarr/meta"
)

// marshal makes the document of a node.
func (f *File) marshal(ctx context.Context, n node) ([]byte, error) {
	attrs, err := f.attributes(ctx, n)
	if err != nil {
		return nil, err
	}
	if n.level == nil {
		return (&meta.Group{Attributes: attrs}).Marshal()
	}
	m, err := f.array(n)
	if err != nil {
		return nil, err
	}
	m.Attributes = attrs
	return m.Marshal()
}

// array makes the document of an array, but for its attributes.
func (f *File) array(n node) (*meta.Array, error) {
	k := n.level.kind
	layout := k.layout(f.bigEndian())
	name, err := layout.DataType()
	if err != nil {
		return nil, err
	}
	m := &meta.Array{Shape: slices.Clone(n.level.shape), DataType: dtype.MustParse(name), Keys: grid.DefaultKeys{}}
	if m.Grid, err = grid.NewRegular(n.level.shape, n.level.chunks); err != nil {
		return nil, err
	}
	if m.FillValue, err = fill(m.DataType, k.noData); err != nil {
		return nil, err
	}
	if m.Codecs, err = codecs(layout); err != nil {
		return nil, err
	}
	for _, name := range names(letters(n.series.all())) {
		m.DimensionNames = append(m.DimensionNames, &name)
	}
	return m, nil
}

// codecs gives the codecs list of a tile. A compression that cannot be decoded is
// named too, so that an array shows what it is and only reading it fails.
func codecs(l tile.Layout) ([]meta.Extension, error) {
	c, err := tifftile.New(l, tile.Encoding{})
	if err != nil && !errors.Is(err, codec.ErrUnknown) {
		return nil, err
	}
	text, err := c.MarshalJSON()
	if err != nil {
		return nil, err
	}
	return meta.ParseCodecs(json.RawMessage(fmt.Sprintf("[%s]", text)))
}

// fill is the value of what is not stored: GDAL's if it names one of the type,
// else zero.
func fill(t dtype.Type, noData string) (json.RawMessage, error) {
	if noData != "" {
		if v, err := geo.FillValue(noData, t.Name()); err == nil {
			return v, nil
		}
	}
	return t.AppendFill(nil, make([]byte, t.Size()), nil)
}
