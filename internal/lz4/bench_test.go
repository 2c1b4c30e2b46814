package lz4_test

import (
	"testing"

	"github.com/omnizarr/zarr/internal/lz4"
)

// Blocks are as large as those that Blosc makes of a chunk of uint16.
func BenchmarkDecode(b *testing.B) {
	bench(b, func(b *testing.B, data []byte) {
		block := make([]byte, lz4.Bound(len(data)))
		block = block[:lz4.Encode(block, data, 1)]
		for b.Loop() {
			if _, err := lz4.Decode(data, block); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkEncode(b *testing.B) {
	bench(b, func(b *testing.B, data []byte) {
		block := make([]byte, lz4.Bound(len(data)))
		for b.Loop() {
			lz4.Encode(block, data, 1)
		}
	})
}

func BenchmarkEncodeHC(b *testing.B) {
	bench(b, func(b *testing.B, data []byte) {
		block := make([]byte, lz4.Bound(len(data)))
		for b.Loop() {
			lz4.EncodeHC(block, data, 5)
		}
	})
}

func bench(b *testing.B, run func(b *testing.B, data []byte)) {
	for _, c := range []struct {
		name string
		data []byte
	}{{"plane", plane(128 << 10)}, {"words", words(128 << 10)}, {"noise", noise(128 << 10)}} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.data)))
			run(b, c.data)
		})
	}
}
