package pcodec

import (
	"context"

	"github.com/omnizarr/zarr/codec"
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
func (s *serializer) Encode(_ context.Context, ck *codec.Chunk, dst []byte, src nd.View) ([]byte, error) {
	if mem, ok := src.Contiguous(); ok {
		return pco.Encode(dst, mem, s.number, s.options), nil
	}
	own, hold, err := ck.LendView(src.Size, src.Shape)
	if err != nil {
		return nil, err
	}
	defer hold.Free()
	nd.Copy(own, src)
	return pco.Encode(dst, own.Data, s.number, s.options), nil
}

// Decode reads the whole chunk and copies what lies in box.
func (s *serializer) Decode(ctx context.Context, ck *codec.Chunk, src codec.Source, box nd.Box, dst nd.View) error {
	var data []byte
	if m, ok := src.(*codec.Memory); ok {
		data = m.Bytes
	} else {
		hold, err := ck.Lend(min(s.size/2, 1<<20))
		if err != nil {
			return err
		}
		defer hold.Free()
		if hold.B, err = ck.ReadAll(ctx, src, s.most, hold.B); err != nil {
			return err
		}
		data = hold.B
	}
	strict := ck.Strict()
	if box.Covers(s.spec.Shape) {
		if mem, ok := dst.Contiguous(); ok {
			return s.decode(mem, data, strict)
		}
	}
	whole, hold, err := ck.LendView(dst.Size, s.spec.Shape)
	if err != nil {
		return err
	}
	defer hold.Free()
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
