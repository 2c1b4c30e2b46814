package n5

import (
	"context"
	"encoding/json"
	"fmt"
	"math"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/n5block"
	"github.com/omnizarr/zarr/nd"
)

// BlocksName is the name of blocks as bytes in metadata.
const BlocksName = "omnizarr.n5_blocks"

// Blocks is the codec "omnizarr.n5_blocks": a chunk is one element, the bytes that
// a block of any mode holds. It is written as an object, as Java's N5 does it.
type Blocks struct{ Payload Payload }

// ParseBlocks reads the configuration, which is the list of codecs for the bytes.
func ParseBlocks(r *codec.Registry, _ string, raw json.RawMessage) (codec.Codec, error) {
	p, err := parsePayloadConfig(r, raw)
	return Blocks{p}, err
}

// Name is "omnizarr.n5_blocks".
func (Blocks) Name() string { return BlocksName }

// MarshalJSON gives the entry for metadata.
func (c Blocks) MarshalJSON() ([]byte, error) { return c.Payload.marshalConfig(BlocksName) }

// BindSerializer fits the codec to chunks of one element.
func (c Blocks) BindSerializer(in codec.Spec) (codec.Serializer, error) {
	if in.Type.Kind() != dtype.Bytes {
		return nil, fmt.Errorf("cannot write %s", in.Type.Name())
	}
	if n, ok := nd.Len(in.Shape); !ok || n != 1 {
		return nil, fmt.Errorf("a chunk has shape %v: must be one element, which is a block", in.Shape)
	}
	return &byteBlocks{c.Payload}, nil
}

type byteBlocks struct{ payload Payload }

// Size is not known before there are bytes.
func (s *byteBlocks) Size() codec.Size { return codec.Size{} }

// Encode appends the block.
func (s *byteBlocks) Encode(_ context.Context, ck *codec.Chunk, dst []byte, src nd.View) ([]byte, error) {
	var value []byte
	blobs := src.Heap.Blobs()
	src.Each(func(elem []byte) { value = blobs.Value(elem) })
	if len(value) > math.MaxInt32 {
		return nil, fmt.Errorf("a block of %d bytes: at most %d are possible", len(value), math.MaxInt32)
	}
	dst = n5block.Append(dst, n5block.Header{Mode: n5block.Object, Count: len(value)})
	return s.payload.encode(ck, dst, value)
}

// Decode refers to the bytes of the block.
func (s *byteBlocks) Decode(ctx context.Context, ck *codec.Chunk, src codec.Source, _ nd.Box, dst nd.View) error {
	m, err := wholeBlock(ctx, ck, src)
	if err != nil {
		return err
	}
	_, value, err := DecodeBlock(s.payload, ck.Limits, m.Bytes)
	if err != nil {
		return err
	}
	if s.payload.plain() {
		m.Keep()
	}
	blob := dst.Heap.Add(value)
	dst.Each(func(elem []byte) { nd.PutRef(elem, blob, 0, len(value)) })
	return nil
}
