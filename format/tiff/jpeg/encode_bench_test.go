package jpeg

import "testing"

// BenchmarkEncode counts bytes of samples.
func BenchmarkEncode(b *testing.B) {
	src := encodeImage("smooth", 512, 512, 3)
	for _, c := range []struct {
		name string
		src  Planes
		opt  EncodeOptions
	}{
		{"grey", Planes{src.Data[:1], src.Stride, src.Width, src.Height}, EncodeOptions{}},
		{"rgb", src, EncodeOptions{}},
		{"ycbcr444", src, EncodeOptions{RGB: true, Subsampling: [2]int{1, 1}}},
		{"ycbcr420", src, EncodeOptions{RGB: true}},
		{"ycbcr420-q95", src, EncodeOptions{RGB: true, Quality: 95}},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.src.Data) * len(c.src.Data[0])))
			b.ReportAllocs()
			dst := make([]byte, 0, 1<<22)
			for b.Loop() {
				if _, err := AppendEncode(dst, c.src, c.opt); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
