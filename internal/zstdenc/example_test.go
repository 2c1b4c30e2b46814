package zstdenc_test

import (
	"bytes"
	"fmt"

	"github.com/klauspost/compress/zstd"
	"github.com/omnizarr/zarr/internal/zstdenc"
)

func ExampleAppendEncode() {
	chunk := bytes.Repeat([]byte{1, 2, 3, 4}, 4096)

	// With enough room in dst, encoding does not allocate.
	dst := make([]byte, 0, zstdenc.MaxEncodedLen(len(chunk)))
	frame := zstdenc.AppendEncode(dst, chunk, 3, true)

	dec, err := zstd.NewReader(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer dec.Close()
	back, err := dec.DecodeAll(frame, nil)
	fmt.Println(bytes.Equal(back, chunk), err, len(frame) < 50)
	// Output: true <nil> true
}
