package pcodec

import (
	"context"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/internal/buf"
	"github.com/omnizarr/zarr/internal/pco"
	"github.com/omnizarr/zarr/nd"
)

type serializer struct {
	spec    codec.Spec
	number  pco.Type
	size    int // bytes of a chunk in memory
	options pco.Options
	most    codec.Size
}

// Size is at most a little more than that of the plain numbers.
func (s *serializer) Size() codec.Size { return s.most }

// Encode appends the file that holds the chunk.
func (s *serializer) Encode(_ context.Context, _ *codec.Chunk, dst []byte, src nd.View) ([]byte, error) {
	if mem, ok := src.Contiguous(); ok {
		return pco.Encode(dst, mem, s.number, s.options), nil
	}
	hold := buf.Get(s.size)
	defer hold.Free()
	hold.B = hold.B[:s.size]
	nd.Copy(nd.Of(hold.B, src.Size, src.Shape...), src)
	return pco.Encode(dst, hold.B, s.number, s.options), nil
}

// Decode reads the whole chunk and copies what lies in box.
func (s *serializer) Decode(ctx context.Context, ck *codec.Chunk, src codec.Source, box nd.Box, dst nd.View) error {
	var data []byte
	if m, ok := src.(*codec.Memory); ok {
		data = m.Bytes
	} else {
		hold := buf.Get(s.size / 2)
		defer hold.Free()
		var err error
		if hold.B, err = codec.ReadAll(ctx, src, s.most, ck.Limits.MaxChunk, hold.B); err != nil {
			return err
		}
		data = hold.B
	}
	strict := ck != nil && ck.Limits != nil && ck.Limits.Strict
	if box.Covers(s.spec.Shape) {
		if mem, ok := dst.Contiguous(); ok {
			return s.decode(mem, data, strict)
		}
	}
	hold := buf.Get(s.size)
	defer hold.Free()
	whole := nd.Of(hold.B[:s.size], dst.Size, s.spec.Shape...)
	if err := s.decode(whole.Data, data, strict); err != nil {
		return err
	}
	nd.Copy(dst, whole.Box(box))
	return nil
}

func (s *serializer) decode(mem, data []byte, strict bool) error {
	n, err := pco.Decode(mem, data, s.number)
	if err != nil {
		return codec.Bad("%v", err)
	}
	if strict && n != len(data) {
		return codec.Bad("%d bytes follow the end of the numbers", len(data)-n)
	}
	return nil
}
