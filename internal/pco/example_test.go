package pco_test

import (
	"fmt"

	"github.com/omnizarr/zarr/internal/pco"
)

func Example() {
	numbers := make([]byte, 1000)
	for i := range numbers {
		numbers[i] = byte(100 + i%3)
	}
	file := pco.Encode(nil, numbers, pco.U8, pco.Default)
	fmt.Println(len(file), "bytes")

	again := make([]byte, 1000)
	_, err := pco.Decode(again, file, pco.U8)
	fmt.Println(again[:6], err)
	// Output:
	// 144 bytes
	// [100 101 102 100 101 102] <nil>
}
