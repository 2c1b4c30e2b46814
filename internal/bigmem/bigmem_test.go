package bigmem_test

import (
	"fmt"
	"testing"

	"github.com/omnizarr/zarr/internal/bigmem"
	"github.com/omnizarr/zarr/internal/thorough"
)

func TestMemoryIsZeroAndWritable(t *testing.T) {
	for _, n := range []int{0, 1, 1000, 2 << 20, 2<<20 + 1, 3<<20 + 7} {
		s := bigmem.Make[uint64](n)
		if len(s) != n {
			t.Fatalf("length %d, want %d", len(s), n)
		}
		for i := 0; i < n; i += 511 {
			if s[i] != 0 {
				t.Fatalf("element %d is %d", i, s[i])
			}
			s[i] = uint64(i)
		}
		if n > 0 {
			s[n-1] = 9
			if s[n-1] != 9 {
				t.Error("the last element was lost")
			}
		}
	}
}

func TestAnyTypeGoes(t *testing.T) {
	if s := bigmem.Make[string](1 << 20); len(s) != 1<<20 || s[1<<20-1] != "" {
		t.Error("strings")
	}
	if s := bigmem.Make[[3]byte](3 << 20); len(s) != 3<<20 {
		t.Error("arrays of three bytes")
	}
	if s := bigmem.Make[struct{}](1 << 30); len(s) != 1<<30 {
		t.Error("nothing at all")
	}
}

func TestTheMachineHasMemory(t *testing.T) {
	if n := bigmem.Total(); n < 64<<20 || n > 1<<50 {
		t.Errorf("%d bytes", n)
	}
}

func ExampleMake() {
	volume := bigmem.Make[uint16](16 << 20)
	fmt.Println(len(volume), volume[0])
	// Output: 16777216 0
}

func TestManyPiecesAreZeroAndApart(t *testing.T) {
	var all [][]byte
	for i := range thorough.Least(8, 64, 64) {
		for _, n := range []int{0, 1, 64<<10 - 1, 64 << 10, 200_000} {
			b := bigmem.Bytes(n)
			if len(b) != n {
				t.Fatalf("length %d, want %d", len(b), n)
			}
			for j := range b {
				if b[j] != 0 {
					t.Fatalf("byte %d of %d is %d", j, n, b[j])
				}
				b[j] = byte(i + 1)
			}
			all = append(all, b)
		}
	}
	for i, b := range all {
		if len(b) > 0 && (b[0] != byte(i/5+1) || b[len(b)-1] != byte(i/5+1)) {
			t.Fatalf("piece %d has become another", i)
		}
	}
}
