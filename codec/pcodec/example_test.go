package pcodec_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/pcodec"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/nd"
)

func Example() {
	codecs := codec.NewRegistry()
	codecs.Register(pcodec.Parse, "numcodecs.pcodec")
	chain, err := codecs.ParseList(json.RawMessage(`[
		{"name": "numcodecs.pcodec", "configuration": {"level": 8}}
	]`))
	if err != nil {
		fmt.Println(err)
		return
	}
	chunks, err := chain.Bind(codec.Spec{Type: dtype.MustParse("int64"), Shape: []int{1000}, Fill: make([]byte, 8)})
	if err != nil {
		fmt.Println(err)
		return
	}
	ck := &codec.Chunk{Limits: &codec.Limits{MaxChunk: 1 << 20}}
	ctx := context.Background()

	// A time every ten seconds.
	src := nd.Make(8, 1000)
	for i := range 1000 {
		binary.LittleEndian.PutUint64(src.Data[8*i:], uint64(1_700_000_000+10*i))
	}
	out, err := chunks.Encode(ctx, ck, nil, src)
	fmt.Println(len(src.Data), "bytes become", len(out), err)

	one := nd.Make(8, 1)
	err = chunks.Decode(ctx, ck, &codec.Memory{Bytes: out}, nd.Box{Start: []int{999}, Shape: []int{1}}, one)
	fmt.Println(binary.LittleEndian.Uint64(one.Data), err)
	// Output:
	// 8000 bytes become 34 <nil>
	// 1700009990 <nil>
}
