package n5_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/std"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/nd"
)

// A chunk at the edge of an array, of which two of three columns lie inside, is
// stored as a block of these; the rest reads as the fill value.
func ExampleCodec() {
	chain, err := std.Registry().ParseList(json.RawMessage(`[{"name": "n5_default", "configuration": {"codecs": [
		{"name": "transpose", "configuration": {"order": [1, 0]}},
		{"name": "bytes", "configuration": {"endian": "big"}}]}}]`))
	if err != nil {
		fmt.Println(err)
		return
	}
	b, err := chain.Bind(codec.Spec{Type: dtype.MustParse("uint8"), Shape: []int{2, 3}, Fill: []byte{99}})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	edge := &codec.Chunk{Extent: []int{2, 2}, Limits: &codec.Limits{MaxChunk: 1 << 20}}
	block, err := b.Encode(ctx, edge, nil, nd.Of([]byte{1, 2, 0, 3, 4, 0}, 1, 2, 3))
	fmt.Printf("header %x, elements %v, %v\n", block[:12], block[12:], err)

	v := nd.Make(1, 2, 3)
	err = b.Decode(ctx, edge, &codec.Memory{Bytes: block}, nd.Whole([]int{2, 3}), v)
	fmt.Println(v.Data, err)
	// Output:
	// header 000000020000000200000002, elements [1 3 2 4], <nil>
	// [1 2 99 3 4 99] <nil>
}
