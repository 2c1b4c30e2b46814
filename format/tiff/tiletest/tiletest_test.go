package tiletest_test

import (
	"fmt"
	"testing"

	"github.com/omnizarr/zarr/format/tiff/tiletest"
)

func TestThereAreTilesOfEveryKind(t *testing.T) {
	kinds := map[int]int{}
	for _, tile := range tiletest.Tiles() {
		kinds[tile.Compression]++
		if len(tile.Data) == 0 || len(tile.SHA256) != 64 {
			t.Errorf("%s has %d bytes, sum %s", tile.Name, len(tile.Data), tile.SHA256)
		}
	}
	for _, c := range []int{1, 5, 7, 8, 32773, 32946, 50000} {
		if kinds[c] == 0 {
			t.Errorf("none of compression %d", c)
		}
	}
	for _, tile := range tiletest.Broken() {
		if tile.Expect == "" || tile.MaxAlloc == 0 {
			t.Errorf("%s: nothing is expected", tile.Name)
		}
	}
}

func ExampleCompressed() {
	const lzw = 5
	fmt.Println(len(tiletest.Compressed(lzw)) > 20)
	// Output: true
}
