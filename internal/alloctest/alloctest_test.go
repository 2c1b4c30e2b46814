package alloctest_test

import (
	"fmt"
	"testing"

	"github.com/omnizarr/zarr/internal/alloctest"
	"github.com/omnizarr/zarr/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

var kept []byte

func ExampleBytes() {
	n := alloctest.Bytes(func() {
		for range 4 {
			kept = make([]byte, 1<<20)
		}
	})
	fmt.Println(n >= 4<<20, n < 5<<20)
	// Output: true true
}

func ExampleWarm() {
	runs := 0
	n := alloctest.Warm(func() {
		if runs++; runs != 3 {
			kept = make([]byte, 1<<20)
		}
	})
	fmt.Println(n < 1<<20)
	// Output: true
}
