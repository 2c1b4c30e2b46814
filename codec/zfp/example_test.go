package zfp_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/zfp"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/nd"
)

func Example() {
	codecs := codec.NewRegistry()
	codecs.Register(zfp.Parse, "zfp")
	chain, err := codecs.ParseList(json.RawMessage(`[{"name": "zfp", "configuration": {"mode": "fixed_accuracy", "tolerance": 0.05}}]`))
	if err != nil {
		fmt.Println(err)
		return
	}
	chunks, err := chain.Bind(codec.Spec{Type: dtype.MustParse("float32"), Shape: []int{16, 16}, Fill: make([]byte, 4)})
	if err != nil {
		fmt.Println(err)
		return
	}
	ck := &codec.Chunk{Limits: &codec.Limits{MaxChunk: 1 << 20}}
	waves := nd.Make(4, 16, 16)
	for i := range 256 {
		x := math.Sin(float64(i%16)/5) * math.Cos(float64(i/16)/5)
		binary.LittleEndian.PutUint32(waves.Data[4*i:], math.Float32bits(float32(x)))
	}
	out, err := chunks.Encode(context.Background(), ck, nil, waves)
	fmt.Println(len(waves.Data), "bytes became", len(out), err)
	// Output:
	// 1024 bytes became 136 <nil>
}
