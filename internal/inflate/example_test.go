package inflate_test

import (
	"errors"
	"fmt"

	"github.com/omnizarr/zarr/internal/inflate"
)

func ExampleDecode() {
	src := []byte{0x4b, 0x4c, 0x4a, 0x4e, 0x49, 0x4d, 0x4b, 0x04, 0x93, 0x00, 'r', 'e', 's', 't'}
	dst := make([]byte, 12) // a tile or a chunk says how large it is
	n, used, err := inflate.Decode(dst, src)
	fmt.Println(string(dst[:n]), used, err)
	n, _, err = inflate.Decode(dst[:5], src)
	fmt.Println(string(dst[:n]), errors.Is(err, inflate.ErrFull))
	_, _, err = inflate.Decode(dst, src[:6])
	fmt.Println(err)
	// Output:
	// abcdefabcdef 10 <nil>
	// abcde true
	// deflate: truncated: its 6 bytes end within the symbols of a block, behind 5 decoded ones
}
