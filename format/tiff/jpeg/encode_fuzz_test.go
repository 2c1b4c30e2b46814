package jpeg

import (
	"bytes"
	stdjpeg "image/jpeg"
	"testing"

	"github.com/omnizarr/zarr/internal/fuzzlong"
)

// FuzzEncode encodes small planes of any samples: whatever is not refused can
// be decoded again, and gives the samples back about as well as the quality
// promises.
func FuzzEncode(f *testing.F) {
	f.Add([]byte("some samples"), uint8(9), uint8(7), uint8(3), uint8(75), uint8(5))
	f.Add([]byte{0, 255}, uint8(17), uint8(33), uint8(4), uint8(100), uint8(0))
	f.Add([]byte{255, 0, 0, 7}, uint8(1), uint8(1), uint8(1), uint8(1), uint8(8))
	f.Add([]byte{1}, uint8(40), uint8(20), uint8(2), uint8(0), uint8(0))
	fuzzlong.Fuzz(f, func(t *testing.T, samples []byte, w, h, planes, quality, mode uint8) {
		src := Planes{Stride: int(w), Width: int(w), Height: int(h)}
		for c := range int(planes % 6) {
			data := make([]byte, int(w)*int(h))
			for i := range data {
				if len(samples) > 0 {
					data[i] = samples[(i*(c+1)+c)%len(samples)]
				}
			}
			src.Data = append(src.Data, data)
		}
		shapes := [...][2]int{{}, {1, 1}, {2, 1}, {2, 2}, {1, 2}, {4, 1}, {3, 1}, {-1, 2}}
		opt := EncodeOptions{Quality: int(quality), RGB: mode&8 != 0, Subsampling: shapes[mode&7], Abbreviated: mode&16 != 0}
		enc, err := AppendEncode(nil, src, opt)
		if err != nil {
			if len(enc) != 0 {
				t.Fatalf("%v, but %d bytes", err, len(enc))
			}
			return
		}
		var tables []byte
		if opt.Abbreviated {
			tables = AppendTables(nil, len(src.Data), opt)
		}
		got := Planes{Stride: src.Stride, Width: src.Width, Height: src.Height}
		for range src.Data {
			got.Data = append(got.Data, make([]byte, len(src.Data[0])))
		}
		var d Decoder
		if _, err := d.Decode(got, enc, DecodeOptions{Tables: tables, RGB: opt.RGB}); err != nil {
			t.Fatalf("%d planes of %dx%d, %+v: %v", len(src.Data), w, h, opt, err)
		}
		if quality == 100 && !opt.RGB { // 64 values that are off by half come to 3.5 at most, and rounding to a half
			for c := range src.Data {
				for i, v := range src.Data[c] {
					if d := int(got.Data[c][i]) - int(v); d < -4 || d > 4 {
						t.Fatalf("%d planes of %dx%d, %+v: sample %d of plane %d is %d, was %d", len(src.Data), w, h, opt, i, c, got.Data[c][i], v)
					}
				}
			}
		}
		if opt.Abbreviated || len(src.Data)%2 == 0 {
			return // the standard library knows nothing of these
		}
		if _, err := stdjpeg.Decode(bytes.NewReader(enc)); err != nil {
			t.Fatalf("%d planes of %dx%d, %+v: image/jpeg: %v", len(src.Data), w, h, opt, err)
		}
	})
}
