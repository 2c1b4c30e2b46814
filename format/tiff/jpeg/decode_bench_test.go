package jpeg

import "testing"

// abs is the distance from 0.
func abs(v int) int { return max(v, -v) }

// BenchmarkDecode decodes a tile as they come from slide scanners: 512 x 512
// pixels, quality 90, its tables in the file.
func BenchmarkDecode(b *testing.B) {
	for _, c := range []struct {
		name   string
		planes int
		opt    EncodeOptions
	}{
		{"grey", 1, EncodeOptions{Quality: 90, Abbreviated: true}},
		{"444", 3, EncodeOptions{Quality: 90, RGB: true, Subsampling: [2]int{1, 1}, Abbreviated: true}},
		{"420", 3, EncodeOptions{Quality: 90, RGB: true, Abbreviated: true}},
	} {
		src := newPlanes(512, 512, c.planes, 0)
		for i, p := range src.Data {
			for j := range p {
				x, y := j%512, j/512
				p[j] = byte(60 + abs((x+40*i)%256-128) + abs(y%128-64)/2 + (x*31+y*17)%13)
			}
		}
		tile, err := AppendEncode(nil, src, c.opt)
		if err != nil {
			b.Fatal(err)
		}
		opt := DecodeOptions{Tables: AppendTables(nil, c.planes, c.opt), RGB: c.opt.RGB}
		b.Run(c.name, func(b *testing.B) {
			var d Decoder
			b.SetBytes(int64(c.planes * 512 * 512))
			b.ReportAllocs()
			for range b.N {
				if _, err := d.Decode(src, tile, opt); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
