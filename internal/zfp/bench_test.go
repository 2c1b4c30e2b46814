package zfp_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"github.com/omnizarr/zarr/internal/zfp"
)

// smooth is a field of waves, as simulations make them.
func smooth(t zfp.Type, shape []int) []byte {
	var out []byte
	at := make([]int, len(shape))
	for {
		x := 1.0
		for i, k := range at {
			x *= math.Sin(float64(k)*0.1 + float64(i))
		}
		if width(t) == 4 {
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(float32(x)))
		} else {
			out = binary.LittleEndian.AppendUint64(out, math.Float64bits(x))
		}
		if !next(at, shape) {
			return out
		}
	}
}

func BenchmarkStream(b *testing.B) {
	for _, typ := range []zfp.Type{zfp.Float32, zfp.Float64} {
		for _, shape := range [][]int{{1 << 16}, {256, 256}, {64, 32, 32}, {16, 16, 16, 16}} {
			rate, _ := zfp.FixedRate(8, typ, len(shape))
			for name, p := range map[string]zfp.Params{"exact": zfp.Reversible(), "rate": rate, "accuracy": zfp.FixedAccuracy(1e-4)} {
				src := array(typ, smooth(typ, shape), shape...)
				out, err := zfp.Append(nil, src, p, false)
				if err != nil {
					b.Fatal(err)
				}
				b.Run(fmt.Sprintf("encode/%v/%dD/%s", typ, len(shape), name), func(b *testing.B) {
					b.SetBytes(int64(len(src.Data)))
					b.ReportAllocs()
					for b.Loop() {
						out, _ = zfp.Append(out[:0], src, p, false)
					}
				})
				dst, start := array(typ, nil, shape...), make([]int, len(shape))
				b.Run(fmt.Sprintf("decode/%v/%dD/%s", typ, len(shape), name), func(b *testing.B) {
					b.SetBytes(int64(len(src.Data)))
					b.ReportAllocs()
					for b.Loop() {
						if err := (zfp.Stream{Data: out, Shape: shape, Params: p}).Decode(start, dst, false); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}
