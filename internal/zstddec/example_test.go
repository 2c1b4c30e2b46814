package zstddec_test

import (
	"bytes"
	"fmt"

	"github.com/omnizarr/zarr/internal/zstddec"
	"github.com/omnizarr/zarr/internal/zstdenc"
)

func ExampleDecode() {
	chunk := bytes.Repeat([]byte{1, 2, 3, 4}, 4096)
	frame := zstdenc.AppendEncode(nil, chunk, 3, true)

	// The metadata of an array say how large a chunk is.
	dst := make([]byte, len(chunk))
	n, err := zstddec.Decode(dst, frame)
	fmt.Println(n, err, bytes.Equal(dst, chunk))

	// The beginning alone takes less time.
	n, err = zstddec.Decode(dst[:100], frame)
	fmt.Println(n, err)
	// Output:
	// 16384 <nil> true
	// 100 holds more than there is room for
}
