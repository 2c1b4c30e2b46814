package tile_test

import (
	"strings"
	"testing"

	"github.com/omnizarr/zarr/format/tiff/tile"
)

func TestLayoutsThatMakeNoSense(t *testing.T) {
	for _, c := range []struct {
		change func(*tile.Layout)
		want   string
	}{
		{func(l *tile.Layout) { l.Compression = 9999 }, "compression is 9999"},
		{func(l *tile.Layout) { l.Compression = 0 }, "compression is 0"},
		{func(l *tile.Layout) { l.Samples = 0 }, "samples_per_pixel is 0: must be from 1 to 65535"},
		{func(l *tile.Layout) { l.Planar = 3 }, "planar_config is 3: must be from 1 to 2"},
		{func(l *tile.Layout) { l.Photometric = -1 }, "photometric is -1"},
		{func(l *tile.Layout) { l.Width = -64 }, "tile_width is -64"},
		{func(l *tile.Layout) { l.Height = 0 }, "tile_height is 0"},
		{func(l *tile.Layout) { l.SampleFormat = 7 }, "sample_format is 7"},
		{func(l *tile.Layout) { l.SampleFormat = 5 }, "sample_format is 5: there is no data type for complex integers"},
		{func(l *tile.Layout) { l.BitsPerSample = 12 }, "bits_per_sample is 12 with sample_format 1: must be 1, 8, 16, 32 or 64"},
		{func(l *tile.Layout) { l.BitsPerSample, l.SampleFormat = 1, 2 }, "bits_per_sample is 1 with sample_format 2"},
		{func(l *tile.Layout) { l.BitsPerSample, l.SampleFormat = 24, 3 }, "bits_per_sample is 24 with sample_format 3: must be 16, 32 or 64"},
		{func(l *tile.Layout) { l.BitsPerSample, l.SampleFormat = 32, 6 }, "must be 64 or 128"},
		{func(l *tile.Layout) { l.Packed = 8 }, "packed_bits is 8: must be from 1 to 7"},
		{func(l *tile.Layout) { l.Packed, l.BitsPerSample = 40, 64 }, "packed_bits is 40 with bits_per_sample 64"},
		{func(l *tile.Layout) { l.Packed, l.SampleFormat = 4, 2 }, "only unsigned integers are packed"},
		{func(l *tile.Layout) { l.Packed, l.Compression, l.Predictor = 4, tile.LZW, 2 }, "predictor is 2 with samples of 4 bits"},
		{func(l *tile.Layout) { l.Compression, l.Predictor = tile.LZW, 9 }, "predictor is 9: must be 1, 2 or 3"},
		{func(l *tile.Layout) { l.Compression, l.Predictor = tile.Zstd, 3 }, "predictor is 3 with sample_format 1"},
		{func(l *tile.Layout) { l.Predictor = 9 }, ""},
		{func(l *tile.Layout) { l.Compression, l.Predictor = tile.PackBits, 3 }, ""},
		{func(l *tile.Layout) { l.Compression, l.Predictor = tile.JPEG, 2 }, ""},
		{func(l *tile.Layout) { l.Photometric = 999 }, ""},
		{func(l *tile.Layout) { l.Compression, l.BitsPerSample = tile.JPEG, 16 }, "bits_per_sample is 16 with compression 7 (JPEG): must be 8"},
		{func(l *tile.Layout) { l.Compression, l.SampleFormat = tile.JPEG, 2 }, ""},
		{func(l *tile.Layout) { l.Compression, l.Samples, l.Planar = tile.JPEG, 3, 2 }, "a JPEG stream holds one plane"},
		{func(l *tile.Layout) {
			l.Width, l.Height, l.Samples, l.BitsPerSample = 1<<31-1, 1<<31-1, 65535, 64
		}, "more bytes than can be counted"},
	} {
		l := plain(64, 64)
		c.change(&l)
		err := l.Check()
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v: got %v, want %s", l, err, c.want)
		}
	}
}

func TestTypesOfSamples(t *testing.T) {
	for c, want := range map[[2]int]string{
		{1, 1}: "bool", {1, 8}: "uint8", {1, 64}: "uint64", {2, 16}: "int16", {3, 16}: "float16", {3, 64}: "float64",
		{4, 32}: "uint32", {6, 64}: "complex64", {6, 128}: "complex128",
	} {
		l := plain(8, 8)
		l.SampleFormat, l.BitsPerSample = c[0], c[1]
		if got, err := l.DataType(); got != want || err != nil {
			t.Errorf("%v: got %s, %v", c, got, err)
		}
	}
}

func TestWhatIsNotSupportedIsNamed(t *testing.T) {
	for compression, want := range map[int]string{
		2: "CCITT", 3: "T.4", 4: "T.6", 6: "JPEG of the old style", 33003: "JPEG 2000", 33005: "JPEG 2000", 34712: "JPEG 2000",
		34887: "LERC", 50001: "WebP", 50002: "JPEG XL",
	} {
		l := plain(8, 8)
		l.Compression = compression
		if err := l.Check(); err != nil {
			t.Error(err)
		}
		if err := l.Supported(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d: %v", compression, err)
		}
	}
	l := plain(8, 8)
	l.Photometric, l.Samples = 6, 3
	if err := l.Supported(); err == nil || !strings.Contains(err.Error(), "YCbCr") {
		t.Error(err)
	}
	for _, compression := range append(lossless, tile.JPEG) {
		l := plain(8, 8)
		l.Compression = compression
		if err := l.Supported(); err != nil {
			t.Error(err)
		}
	}
}

func TestSettingsOfEncoding(t *testing.T) {
	for _, c := range []struct {
		compression, photometric int
		e                        tile.Encoding
		want                     string
	}{
		{tile.None, 1, tile.Encoding{Level: 3}, "level is 3 with compression 1 (uncompressed), which has no levels"},
		{tile.Deflate, 1, tile.Encoding{Level: 10}, "level is 10: must be from 1 to 9"},
		{tile.Zstd, 1, tile.Encoding{Level: 23}, "level is 23: must be from -131072 to 22"},
		{tile.Zstd, 1, tile.Encoding{Level: -5}, ""},
		{tile.LZMA, 1, tile.Encoding{Level: 9}, ""},
		{tile.LZW, 1, tile.Encoding{Quality: 9}, "quality and subsampling are for JPEG, compression is 5 (LZW)"},
		{tile.JPEG, 6, tile.Encoding{Quality: 101}, "quality is 101: must be from 1 to 100"},
		{tile.JPEG, 6, tile.Encoding{Subsampling: [2]int{2, 1}}, ""},
		{tile.JPEG, 2, tile.Encoding{Subsampling: [2]int{2, 1}}, "only YCbCr"},
		{tile.JPEG, 6, tile.Encoding{Subsampling: [2]int{3, 1}}, "subsampling is [3 1]"},
	} {
		l := plain(8, 8)
		l.Compression, l.Photometric, l.Samples = c.compression, c.photometric, 3
		err := c.e.Check(&l)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v: got %v, want %s", c, err, c.want)
		}
	}
}
