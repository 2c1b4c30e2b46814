package pixel_test

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/omnizarr/zarr/format/tiff/pixel"
)

// A row of three RGB pixels is stored with predictor 2: the first one, then what
// each differs from that before. It becomes a row of each of the three planes.
func Example() {
	row := []byte{100, 50, 25, 1, 0, 255, 2, 1, 254}
	pixel.Undelta(row, 3, 1)
	planes := [][]byte{make([]byte, 3), make([]byte, 3), make([]byte, 3)}
	pixel.Split(planes, row, 1)
	fmt.Println(planes)
	// Output: [[100 101 103] [50 50 51] [25 24 22]]
}

// Two values of twelve bits take three bytes.
func ExampleUnpack() {
	values := make([]byte, 4)
	pixel.Unpack(values, []byte{0x12, 0x3a, 0xbc}, 12, 2)
	fmt.Printf("%x\n", values)
	// Output: 2301bc0a
}

// Of two numbers, the most significant bytes come first, and each byte is what it
// differs from that before.
func ExampleUnfloat() {
	stored := []byte{0x3f, 0x00, 0x41, 0x80, 0x00, 0x00, 0x00, 0x00}
	numbers := make([]byte, 8)
	pixel.Unfloat(numbers, stored, 1, 4)
	for ; len(numbers) > 0; numbers = numbers[4:] {
		fmt.Println(math.Float32frombits(binary.LittleEndian.Uint32(numbers)))
	}
	// Output:
	// 1
	// 0.5
}
