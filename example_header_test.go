package zarr_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/codec/pad"
	"github.com/omnizarr/zarr/codec/std"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

// A header that is computed for every chunk: what chunk it is, and how many bytes
// follow. Reading needs no function, and metadata says nothing of it.
func Example_headers() {
	ctx, s := context.Background(), mem.New()

	r := std.Registry()
	r.Register(pad.Parser(func(c *pad.Context) ([]byte, error) {
		h := append(c.Room, 'T', 'I', byte(c.Index[0]), byte(c.Index[1]))
		return binary.LittleEndian.AppendUint32(h, uint32(len(c.Data))), nil
	}), "pad")

	a, err := zarr.CreateArrayIn(ctx, s, "tiles", zarr.ArraySpec{
		Shape: []int{512, 512}, Chunks: []int{256, 256}, DataType: "uint8",
		Codecs: json.RawMessage(`["bytes", {"name": "pad", "configuration": {"location": "start", "nbytes": 8}}]`),
	}, zarr.Codecs(r))
	if err != nil {
		fmt.Println(err)
		return
	}
	image := make([]uint8, 512*512)
	image[0] = 1
	if err := zarr.Write(ctx, a, zarr.Slice("256:, :256"), image[:256*256]); err != nil {
		fmt.Println(err)
		return
	}
	chunk, _, err := s.Get(ctx, "tiles/c/1/0", store.All(), nil)
	fmt.Println(len(chunk), chunk[:9], err)
	// Output: 65544 [84 73 1 0 0 0 1 0 1] <nil>
}
