//go:build amd64 || arm64

package packbits

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

func TestPlainKernels(t *testing.T) {
	without(t, TestWordsAreDoneLikeScalars)
	without(t, TestBlocksJoin)
	without(t, TestTruthValuesFillBytesInBothOrders)
}

// The kernels in assembly and their twins in Go agree byte for byte.
func TestKernelsAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	mem, data := make([]byte, 8*70), make([]byte, 8*70+9)
	for i := range data {
		data[i] = byte(r.Uint32())
		if i < len(mem) {
			x := r.Uint32() // few bits are set, so that fields differ
			mem[i] = byte(x) & byte(x>>8) & byte(x>>16)
		}
	}
	everyField(func(f *field) {
		if f.full {
			return
		}
		n := 1 + r.IntN(70)
		fast, slow := make([]byte, len(data)), make([]byte, len(data))
		run := func(work func(out []byte)) {
			work(fast)
			without(t, func(*testing.T) { work(slow) })
			if !bytes.Equal(fast, slow) {
				t.Fatalf("%v: %d words differ:\n%x\n%x", f, n, fast, slow)
			}
		}
		run(func(out []byte) { f.pack(out[:(n*f.step+7)/8], 0, mem[:8*n]) })
		clear(fast)
		clear(slow)
		run(func(out []byte) { f.unpack(out[:8*n], data, 0) })
	})
}
