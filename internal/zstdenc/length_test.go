package zstdenc

import (
	"fmt"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/omnizarr/zarr/internal/thorough"
)

func TestEveryFrameTellsItsLength(t *testing.T) {
	for _, level := range []int{1, 3, 5, 6, 9, 10, 19, 22} {
		for _, n := range thorough.Least([]int{0, 257}, []int{0, 1, 16, 255, 256, 257, 70000}, []int{0, 1, 16, 255, 256, 257, 70000}) {
			t.Run(fmt.Sprint(level, " ", n), func(t *testing.T) {
				frame := AppendEncode(nil, make([]byte, n), level, true)
				var h zstd.Header
				if err := h.Decode(frame); err != nil || !h.HasFCS || h.FrameContentSize != uint64(n) {
					t.Errorf("%v, has %v, %d", err, h.HasFCS, h.FrameContentSize)
				}
			})
		}
	}
}
