package bitreader_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/omnizarr/zarr/internal/bitreader"
)

// Numbers of all widths and runs of zeros are those that bits one by one give.
func TestBitsAreThoseOfAPlainReader(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		src := make([]byte, random.IntN(60))
		for i := range src {
			a, b, c := random.Uint32(), random.Uint32(), random.Uint32()
			src[i] = byte(a & b & c) // long runs of zeros
		}
		r := bitreader.New(src)
		at := 0
		bit := func() uint64 {
			at++
			if at > 8*len(src) {
				return 0
			}
			return uint64(src[(at-1)/8]>>(7-(at-1)%8)) & 1
		}
		for at <= 8*len(src) {
			if n := random.IntN(66); n < 65 {
				var want uint64
				for range n {
					want = want<<1 | bit()
				}
				if got := r.Bits(n); got != want {
					t.Fatalf("%d bits before %d of %d: %x, want %x", n, at, 8*len(src), got, want)
				}
			} else {
				want := 0
				for at < 8*len(src) && bit() == 0 {
					want++
				}
				one := at > 0 && at <= 8*len(src) && src[(at-1)/8]>>(7-(at-1)%8)&1 == 1
				got := r.Zeros()
				if r.Short() {
					if one {
						t.Fatalf("nothing left at bit %d of %d", at, 8*len(src))
					}
					break
				}
				if got != want {
					t.Fatalf("%d zeros before bit %d of %d, want %d", got, at, 8*len(src), want)
				}
			}
			if r.Short() != (at > 8*len(src)) {
				t.Fatalf("short is %t at bit %d of %d", r.Short(), at, 8*len(src))
			}
		}
	}
}

func Example() {
	r := bitreader.New([]byte{0b10100001, 0b10000000})
	fmt.Println(r.Bits(3), r.Zeros(), r.Bits(2), r.Short())
	fmt.Println(r.Bits(20), r.Short())
	// Output:
	// 5 4 2 false
	// 0 true
}
