package gdeflate_test

import (
	"fmt"
	"testing"

	"github.com/omnizarr/zarr/internal/gdeflate"
)

func BenchmarkDecode(b *testing.B) {
	for _, name := range []string{"ramp", "skewed", "words", "noise"} {
		b.Run(name, func(b *testing.B) {
			data := samples[name](source(1), gdeflate.PageSize)
			in := gdeflate.AppendEncode(nil, data, 6)
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				if _, err := gdeflate.Decode(data, in); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkEncode(b *testing.B) {
	for _, name := range []string{"ramp", "skewed", "words"} {
		for _, level := range []int{1, 6, 9, 12} {
			b.Run(fmt.Sprintf("%s/%d", name, level), func(b *testing.B) {
				data := samples[name](source(1), gdeflate.PageSize)
				var out []byte
				b.SetBytes(int64(len(data)))
				for b.Loop() {
					out = gdeflate.AppendEncode(out[:0], data, level)
				}
				b.ReportMetric(float64(len(data))/float64(len(out)), "ratio")
			})
		}
	}
}
