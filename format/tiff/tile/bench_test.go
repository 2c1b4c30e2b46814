package tile_test

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/omnizarr/zarr/format/tiff/tile"
	"github.com/omnizarr/zarr/nd"
)

// scene is a tile that looks like a picture: smooth, with some noise.
func scene(l *tile.Layout) nd.View {
	r := rand.New(rand.NewPCG(9, 9))
	v := nd.Make(size(l), l.Samples, l.Height, l.Width)
	for s := range l.Samples {
		for y := range l.Height {
			for x := range l.Width {
				f := 100 + 60*math.Sin(float64(x+20*s)/37) + 40*math.Cos(float64(y)/23) + 2*r.NormFloat64()
				switch e := v.At(s, y, x); {
				case l.SampleFormat == 3:
					binary.LittleEndian.PutUint32(e, math.Float32bits(float32(f)))
				case len(e) == 2:
					binary.LittleEndian.PutUint16(e, uint16(16*max(f, 0)))
				default:
					e[0] = byte(max(f, 0))
				}
			}
		}
	}
	return v
}

var benchmarks = []struct {
	name   string
	change func(*tile.Layout)
}{
	{"rgb8 none", func(l *tile.Layout) {}},
	{"rgb8 packbits", func(l *tile.Layout) { l.Compression = tile.PackBits }},
	{"rgb8 lzw predictor 2", func(l *tile.Layout) { l.Compression, l.Predictor = tile.LZW, 2 }},
	{"rgb8 deflate predictor 2", func(l *tile.Layout) { l.Compression, l.Predictor = tile.Deflate, 2 }},
	{"rgb8 zstd predictor 2", func(l *tile.Layout) { l.Compression, l.Predictor = tile.Zstd, 2 }},
	{"rgb8 jpeg", func(l *tile.Layout) { l.Compression, l.Photometric = tile.JPEG, 6 }},
	{"u16 none", func(l *tile.Layout) { l.BitsPerSample, l.Samples = 16, 1 }},
	{"u16 none big", func(l *tile.Layout) { l.BitsPerSample, l.Samples, l.BigEndian = 16, 1, true }},
	{"u16 lzw predictor 2", func(l *tile.Layout) { l.BitsPerSample, l.Samples, l.Compression, l.Predictor = 16, 1, tile.LZW, 2 }},
	{"u16 deflate predictor 2", func(l *tile.Layout) {
		l.BitsPerSample, l.Samples, l.Compression, l.Predictor = 16, 1, tile.Deflate, 2
	}},
	{"f32 deflate predictor 3", func(l *tile.Layout) {
		l.BitsPerSample, l.Samples, l.Compression, l.Predictor, l.SampleFormat = 32, 1, tile.Deflate, 3, 3
	}},
	{"f32 zstd predictor 3", func(l *tile.Layout) {
		l.BitsPerSample, l.Samples, l.Compression, l.Predictor, l.SampleFormat = 32, 1, tile.Zstd, 3, 3
	}},
	{"12 of 16 bits", func(l *tile.Layout) { l.BitsPerSample, l.Samples, l.Packed = 16, 1, 12 }},
}

func BenchmarkDecode(b *testing.B) {
	for _, c := range benchmarks {
		b.Run(c.name, func(b *testing.B) {
			l := plain(256, 256)
			l.Samples, l.Photometric = 3, 2
			c.change(&l)
			v := scene(&l)
			data, err := l.AppendEncode(nil, v, tile.Encoding{})
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(v.Data)))
			b.ReportAllocs()
			for b.Loop() {
				if err := l.Decode(v, data, 0, l.Height); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// Into memory of rows, columns and samples, as image programs have it.
func BenchmarkDecodePixels(b *testing.B) {
	for _, c := range benchmarks {
		l := plain(256, 256)
		l.Samples, l.Photometric = 3, 2
		c.change(&l)
		if l.Samples == 1 {
			continue
		}
		b.Run(c.name, func(b *testing.B) {
			v := scene(&l)
			data, err := l.AppendEncode(nil, v, tile.Encoding{})
			if err != nil {
				b.Fatal(err)
			}
			v = nd.Make(v.Size, l.Height, l.Width, l.Samples).Permute([]int{2, 0, 1})
			b.SetBytes(int64(len(v.Data)))
			b.ReportAllocs()
			for b.Loop() {
				if err := l.Decode(v, data, 0, l.Height); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkEncode(b *testing.B) {
	for _, c := range benchmarks {
		b.Run(c.name, func(b *testing.B) {
			l := plain(256, 256)
			l.Samples, l.Photometric = 3, 2
			c.change(&l)
			v := scene(&l)
			var data []byte
			var err error
			b.SetBytes(int64(len(v.Data)))
			b.ReportAllocs()
			for b.Loop() {
				if data, err = l.AppendEncode(data[:0], v, tile.Encoding{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
