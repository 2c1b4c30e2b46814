package zstdenc

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// BenchmarkEncode compares this package with klauspost/compress on noisy 16-bit
// chunks of the usual sizes.
func BenchmarkEncode(b *testing.B) {
	for _, n := range []int{32 * 32 * 32, 128 * 128 * 128} {
		src := noisyUint16(n, 5, binary.LittleEndian)
		dst := make([]byte, 0, MaxEncodedLen(len(src)))
		run := func(name string, encode func() []byte) {
			b.Run(fmt.Sprintf("%dKiB/%s", len(src)>>10, name), func(b *testing.B) {
				b.SetBytes(int64(len(src)))
				b.ReportAllocs()
				var out []byte
				for b.Loop() {
					out = encode()
				}
				b.ReportMetric(float64(len(src))/float64(len(out)), "ratio")
			})
		}
		for _, level := range []int{1, 2, 3, 5} {
			run(fmt.Sprintf("level%d", level), func() []byte { return AppendEncode(dst, src, level, false) })
		}
		for _, l := range []zstd.EncoderLevel{zstd.SpeedFastest, zstd.SpeedDefault} {
			k, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(l), zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false))
			if err != nil {
				b.Fatal(err)
			}
			run("klauspost-"+l.String(), func() []byte { return k.EncodeAll(src, dst) })
		}
	}
}
