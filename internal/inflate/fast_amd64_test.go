package inflate

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/omnizarr/zarr/internal/thorough"
)

// The kernel and the loop in Go give the same bytes and say the same of what is wrong.
func TestKernelAndGoAgree(t *testing.T) {
	if !hasBMI2 {
		t.Skip("this processor has no kernel")
	}
	defer func() { hasBMI2 = true }()
	const size = 400_000 // more than the kernel does at once
	r := rand.New(rand.NewPCG(21, 22))
	streams := func(i int) []byte {
		if i%2 == 0 {
			return randomStream(r, 1+r.IntN(1+r.IntN(100_000)))
		}
		return deflated(t, sample(r, r.IntN(size)), i%9+1)
	}
	for i := range thorough.Least(20, 60, 3000) {
		stream := streams(i)
		if i%3 == 0 {
			stream = damage(r, stream)
		}
		room := size
		if i%5 == 0 {
			room = r.IntN(size)
		}
		var out [2][]byte
		var said [2]string
		for k := range out {
			hasBMI2 = k == 0
			dst := make([]byte, room)
			n, used, err := Decode(dst, stream)
			out[k], said[k] = dst[:n], fmt.Sprint(n, used, err)
		}
		if said[0] != said[1] || !bytes.Equal(out[0], out[1]) {
			t.Fatalf("stream %d of %d bytes into %d: %s, in Go %s", i, len(stream), room, said[0], said[1])
		}
	}
}
