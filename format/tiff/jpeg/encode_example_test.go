package jpeg_test

import (
	"bytes"
	"fmt"
	stdjpeg "image/jpeg"

	"github.com/omnizarr/zarr/format/tiff/jpeg"
)

// Three planes of 16 by 16 samples become a JPEG stream that any reader takes.
func ExampleAppendEncode() {
	src := jpeg.Planes{Stride: 16, Width: 16, Height: 16}
	for _, v := range []byte{200, 100, 50} {
		src.Data = append(src.Data, bytes.Repeat([]byte{v}, 16*16))
	}
	enc, err := jpeg.AppendEncode(nil, src, jpeg.EncodeOptions{Quality: 90, RGB: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	img, err := stdjpeg.Decode(bytes.NewReader(enc))
	if err != nil {
		fmt.Println(err)
		return
	}
	r, g, b, _ := img.At(3, 4).RGBA()
	fmt.Println(img.Bounds(), r>>8, g>>8, b>>8)
	// Output: (0,0)-(16,16) 200 100 50
}

// The tiles of a TIFF file leave their tables to the file.
func ExampleAppendTables() {
	src := jpeg.Planes{Data: [][]byte{make([]byte, 64)}, Stride: 8, Width: 8, Height: 8}
	opt := jpeg.EncodeOptions{Abbreviated: true}
	tile, err := jpeg.AppendEncode(nil, src, opt)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(tile), len(jpeg.AppendTables(nil, 1, opt)))
	// Output: 30 289
}
