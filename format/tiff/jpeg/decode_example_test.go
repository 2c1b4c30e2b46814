package jpeg_test

import (
	"fmt"

	"github.com/omnizarr/zarr/format/tiff/jpeg"
)

func ExampleDecoder_Decode() {
	// A stream of 8 x 8 pixels, all of them the same grey.
	grey := jpeg.Planes{Data: [][]byte{make([]byte, 64)}, Stride: 8, Width: 8, Height: 8}
	for i := range grey.Data[0] {
		grey.Data[0][i] = 200
	}
	src, err := jpeg.AppendEncode(nil, grey, jpeg.EncodeOptions{Quality: 90})
	if err != nil {
		fmt.Println(err)
		return
	}

	// It goes to the top left corner of a larger room.
	room := jpeg.Planes{Data: [][]byte{make([]byte, 160)}, Stride: 16, Width: 16, Height: 10}
	var d jpeg.Decoder
	c, err := d.Decode(room, src, jpeg.DecodeOptions{})
	fmt.Println(c.Width, c.Height, c.Components, err)
	fmt.Println(room.Data[0][:16])
	// Output:
	// 8 8 1 <nil>
	// [200 200 200 200 200 200 200 200 0 0 0 0 0 0 0 0]
}
