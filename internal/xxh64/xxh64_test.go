package xxh64_test

import (
	"fmt"
	"testing"

	"github.com/omnizarr/zarr/internal/xxh64"
)

// Sums that the documents of other implementations give.
func TestSums(t *testing.T) {
	for text, want := range map[string]uint64{
		"":    0xef46db3751d8e999,
		"a":   0xd24ec4f1a98c6e5b,
		"abc": 0x44bc2cf5ad770999,
		"Nobody inspects the spammish repetition": 0xfbcea83c8a378bf1,
	} {
		if got := xxh64.Sum([]byte(text)); got != want {
			t.Errorf("%q: %x, want %x", text, got, want)
		}
	}
}

func TestWhatGrowsHasTheSumOfAllOfIt(t *testing.T) {
	b := make([]byte, 300)
	for i := range b {
		b[i] = byte(i * i)
	}
	for step := 1; step < 100; step++ {
		var g xxh64.Growing
		for n := 0; n <= len(b); n += step {
			g.Grow(b[:n])
			if again := g; again.Sum(b[:n]) != xxh64.Sum(b[:n]) {
				t.Fatalf("%d bytes in steps of %d have another sum", n, step)
			}
		}
	}
}

func ExampleSum() {
	fmt.Printf("%x\n", xxh64.Sum([]byte("abc")))
	// Output: 44bc2cf5ad770999
}

// BenchmarkSum is what the checksum of a mebibyte costs, as frames of new arrays have it.
func BenchmarkSum(b *testing.B) {
	data := make([]byte, 1<<20)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		xxh64.Sum(data)
	}
}
