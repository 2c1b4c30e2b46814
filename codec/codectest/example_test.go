package codectest_test

import (
	"fmt"
	"testing"

	"github.com/omnizarr/zarr/codec/codectest"
)

func ExampleRun() {
	c := codectest.Case{Codecs: `["bytes", "crc32c"]`, Type: "uint8", Shape: []int{4, 5}}
	// In the tests of a codec this is a function TestCodec.
	test := func(t *testing.T) { codectest.Run(t, c) }
	fmt.Printf("%T: %s\n", test, c.Name())
	// Output: func(*testing.T): ["bytes", "crc32c"] of uint8 [4 5]
}
