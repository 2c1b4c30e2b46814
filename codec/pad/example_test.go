package pad_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/pad"
	"github.com/omnizarr/zarr/codec/std"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

func ExampleCodec() {
	f, err := pad.Codec{Location: pad.Start, NBytes: 5, Literal: []byte("head:")}.BindBytes(codec.Spec{}, codec.Exactly(4))
	if err != nil {
		fmt.Println(err)
		return
	}
	out, err := f.Encode(nil, nil, []byte("data"))
	fmt.Printf("%s %v\n", out, err)
	back, err := f.Decode(nil, nil, out, 4)
	fmt.Printf("%s %v\n", back, err)
	_, err = f.Decode(nil, nil, []byte("he"), 4)
	fmt.Println(err)
	// Output:
	// head:data <nil>
	// data <nil>
	// 2 bytes are too few for the 5 of padding
}

// Every chunk gets the number of its bytes in front.
func ExampleParser() {
	ctx := context.Background()
	r := std.Registry()
	r.Register(pad.Parser(func(c *pad.Context) ([]byte, error) {
		return binary.LittleEndian.AppendUint32(c.Room, uint32(len(c.Data))), nil
	}), "pad")

	s := mem.New()
	a, err := zarr.CreateArrayIn(ctx, s, "", zarr.ArraySpec{
		Shape: []int{6}, Chunks: []int{4}, DataType: "uint8",
		Codecs: json.RawMessage(`["bytes", {"name": "pad", "configuration": {"location": "start", "nbytes": 4}}]`),
	}, zarr.Codecs(r))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(zarr.Write(ctx, a, zarr.All(), []uint8("string")))
	chunk, _, err := s.Get(ctx, "c/0", store.All(), nil)
	fmt.Printf("%q %v\n", chunk, err)
	// Output:
	// <nil>
	// "\x04\x00\x00\x00stri" <nil>
}

// Every chunk is a compressed TIFF file, and the array is read like any other.
func ExampleTIFF() {
	ctx := context.Background()
	r := std.Registry()
	tiff := pad.TIFF(pad.TIFFOptions{})
	codecs, err := tiff.Codecs(r, json.RawMessage(`["bytes", "zstd"]`), dtype.MustParse("uint8"), []int{64, 64})
	if err != nil {
		fmt.Println(err)
		return
	}
	tiff.Register(r)

	s := mem.New()
	a, err := zarr.CreateArrayIn(ctx, s, "", zarr.ArraySpec{
		Shape: []int{128, 128}, Chunks: []int{64, 64}, DataType: "uint8", Codecs: codecs,
	}, zarr.Codecs(r))
	if err != nil {
		fmt.Println(err)
		return
	}
	image := make([]uint8, 128*128)
	for i := range image {
		image[i] = uint8(i)
	}
	fmt.Println(zarr.Write(ctx, a, zarr.All(), image))
	file, _, err := s.Get(ctx, "c/1/1", store.All(), nil)
	fmt.Printf("%q %v\n", file[:4], err)
	// Output:
	// <nil>
	// "II*\x00" <nil>
}
