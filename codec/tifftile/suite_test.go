package tifftile_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/codectest"
	"github.com/omnizarr/zarr/codec/internal/basic"
	"github.com/omnizarr/zarr/codec/tifftile"
	"github.com/omnizarr/zarr/nd"
)

func registry() *codec.Registry { return basic.With(tifftile.Parse, tifftile.Name) }

// inArray is the codec for chunks that lie wholly inside an array, so that all
// their rows must be there. The suite does not say where its chunks lie.
type inArray struct{ *tifftile.Codec }

func (c inArray) BindSerializer(in codec.Spec) (codec.Serializer, error) {
	s, err := c.Codec.BindSerializer(in)
	return inArraySerializer{s, in.Shape}, err
}

func (c inArray) BindBytes(in codec.Spec, size codec.Size) (codec.BytesFilter, error) {
	f, err := c.Codec.BindBytes(in, size)
	return inArrayFilter{f, in.Shape}, err
}

type inArraySerializer struct {
	codec.Serializer
	shape []int
}

func (s inArraySerializer) Ranges(box nd.Box) bool {
	return s.Serializer.(codec.PartReader).Ranges(box)
}

func (s inArraySerializer) Decode(ctx context.Context, ck *codec.Chunk, src codec.Source, box nd.Box, dst nd.View) error {
	own := *ck
	own.Extent = s.shape
	return s.Serializer.Decode(ctx, &own, src, box, dst)
}

type inArrayFilter struct {
	codec.BytesFilter
	shape []int
}

func (f inArrayFilter) Decode(ck *codec.Chunk, dst, src []byte, limit int) ([]byte, error) {
	own := *ck
	own.Extent = f.shape
	return f.BytesFilter.Decode(&own, dst, src, limit)
}

func inArrays() *codec.Registry {
	r := basic.Registry()
	r.Register(func(r *codec.Registry, name string, config json.RawMessage) (codec.Codec, error) {
		c, err := tifftile.Parse(r, name, config)
		if err != nil {
			return nil, err
		}
		return inArray{c.(*tifftile.Codec)}, nil
	}, tifftile.Name)
	return r
}

// entry is the codec with a configuration.
func entry(config string, args ...any) string {
	return fmt.Sprintf(`{"name":%q,"configuration":{%s}}`, tifftile.Name, fmt.Sprintf(config, args...))
}

func TestTilesPassTheSuite(t *testing.T) {
	const little = `{"name":"bytes","configuration":{"endian":"little"}}`
	for _, c := range []codectest.Case{
		{Codecs: `[` + entry(`"tile_width":9,"tile_height":7`) + `]`, Type: "uint8", Shape: []int{7, 9}, Fill: "3"},
		{Codecs: `[` + entry(`"tile_width":6,"tile_height":5,"samples_per_pixel":3,"photometric":2`) + `]`, Type: "uint8", Shape: []int{3, 5, 6}},
		{Codecs: `[` + entry(`"tile_width":6,"tile_height":5,"samples_per_pixel":3,"planar_config":2,"bits_per_sample":16,"sample_format":2,"byte_order":"big"`) + `]`, Type: "int16", Shape: []int{3, 5, 6}, Fill: "-2"},
		{Codecs: `[` + entry(`"tile_width":6,"tile_height":5,"samples_per_pixel":4,"bits_per_sample":32,"sample_format":3,"byte_order":"big"`) + `]`, Type: "float32", Shape: []int{1, 2, 2, 5, 6}},
		{Codecs: `[` + entry(`"tile_width":11,"tile_height":5,"bits_per_sample":1`) + `]`, Type: "bool", Shape: []int{5, 11}, Fill: "true"},
		{Codecs: `[` + entry(`"tile_width":11,"tile_height":5,"bits_per_sample":64,"sample_format":6,"byte_order":"big"`) + `]`, Type: "complex64", Shape: []int{1, 1, 5, 11}},
		{Codecs: `[` + entry(`"tile_width":11,"tile_height":5,"bits_per_sample":128,"sample_format":6,"samples_per_pixel":2`) + `]`, Type: "complex128", Shape: []int{2, 5, 11}},
		{Codecs: `[` + entry(`"compression":32773,"tile_width":6,"tile_height":5,"samples_per_pixel":3,"bits_per_sample":16,"byte_order":"big"`) + `]`, Type: "uint16", Shape: []int{3, 5, 6}},
		{Codecs: `[` + entry(`"compression":5,"tile_width":60,"tile_height":5,"samples_per_pixel":3,"predictor":2`) + `,"crc32c"]`, Type: "uint8", Shape: []int{3, 5, 60}},
		{Codecs: `[` + entry(`"compression":5,"tile_width":6,"tile_height":5,"bits_per_sample":64,"sample_format":2,"predictor":2,"byte_order":"big"`) + `,"crc32c"]`, Type: "int64", Shape: []int{5, 6}},
		{Codecs: `[` + entry(`"compression":8,"tile_width":6,"tile_height":5,"samples_per_pixel":2,"bits_per_sample":32,"predictor":2,"level":9`) + `]`, Type: "uint32", Shape: []int{2, 5, 6}},
		{Codecs: `[` + entry(`"compression":32946,"tile_width":6,"tile_height":5,"bits_per_sample":16,"sample_format":3,"predictor":3`) + `]`, Type: "float16", Shape: []int{5, 6}},
		{Codecs: `[` + entry(`"compression":8,"tile_width":6,"tile_height":5,"samples_per_pixel":3,"bits_per_sample":64,"sample_format":3,"predictor":3,"byte_order":"big"`) + `]`, Type: "float64", Shape: []int{3, 1, 5, 6}},
		{Codecs: `[` + entry(`"compression":8,"tile_width":6,"tile_height":5,"samples_per_pixel":2,"planar_config":2,"bits_per_sample":64,"sample_format":3,"predictor":3`) + `]`, Type: "float64", Shape: []int{2, 5, 6}},
		{Codecs: `[` + entry(`"compression":50000,"tile_width":6,"tile_height":5,"samples_per_pixel":3,"bits_per_sample":16,"predictor":2,"level":-3`) + `]`, Type: "uint16", Shape: []int{3, 5, 6}, Fill: "700"},
		{Codecs: `[` + entry(`"compression":34925,"tile_width":6,"tile_height":5,"bits_per_sample":32,"sample_format":3,"predictor":3`) + `]`, Type: "float32", Shape: []int{1, 5, 6}},
		{Codecs: `[` + little + `,` + entry(`"compression":8,"tile_width":6,"tile_height":5,"samples_per_pixel":2,"bits_per_sample":32,"predictor":2`) + `]`, Type: "uint32", Shape: []int{2, 5, 6}},
		{Codecs: `[{"name":"sharding_indexed","configuration":{"chunk_shape":[3,5,6],"codecs":[` +
			entry(`"compression":8,"tile_width":6,"tile_height":5,"samples_per_pixel":3,"predictor":2`) +
			`],"index_codecs":[` + little + `,"crc32c"]}}]`, Type: "uint8", Shape: []int{3, 10, 12}},
		{Codecs: `["bytes",` + entry(`"tile_width":6,"tile_height":5`) + `]`, Type: "uint8", Shape: []int{5, 6}},
		{Codecs: `[` + entry(`"compression":50000,"tile_width":100,"tile_height":40,"bits_per_sample":16`) + `]`, Type: "uint16", Shape: []int{40, 100}},
		{Codecs: `[` + entry(`"tile_width":3000,"tile_height":3,"bits_per_sample":16,"samples_per_pixel":2`) + `]`, Type: "uint16", Shape: []int{2, 3, 3000}},
	} {
		c.Registry = inArrays()
		c.MaxChunk = 8 << 20
		c.Sparse = true // what lies outside the tile is zero
		t.Run(c.Name(), func(t *testing.T) { codectest.Run(t, c) })
	}
}
