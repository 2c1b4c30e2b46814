package jpeg

import "testing"

// TestTheDecoderReadsThemBack does so with the tables inside and outside of the
// stream. The decoder's own tests compare it with libjpeg.
func TestTheDecoderReadsThemBack(t *testing.T) {
	var d Decoder
	for _, size := range [][2]int{{64, 64}, {61, 43}, {5, 90}, {1, 1}} {
		for planes := 1; planes <= 4; planes++ {
			src := encodeImage("smooth", size[0], size[1], planes)
			for _, abbreviated := range []bool{false, true} {
				checkDecoder(t, &d, src, EncodeOptions{Quality: 100, Abbreviated: abbreviated}, 0.3)
				checkDecoder(t, &d, src, EncodeOptions{Quality: 75, Abbreviated: abbreviated}, 4)
				checkDecoder(t, &d, src, EncodeOptions{Quality: 1, Abbreviated: abbreviated}, 25)
				if planes != 3 {
					continue
				}
				for _, s := range [][2]int{{1, 1}, {2, 1}, {2, 2}, {1, 2}, {4, 1}} {
					checkDecoder(t, &d, src, EncodeOptions{Quality: 95, RGB: true, Subsampling: s, Abbreviated: abbreviated}, 5)
				}
			}
		}
	}
}

// checkDecoder encodes src, decodes it with d, and compares.
func checkDecoder(t *testing.T, d *Decoder, src Planes, opt EncodeOptions, most float64) {
	t.Helper()
	enc, err := AppendEncode(nil, src, opt)
	if err != nil {
		t.Fatal(err)
	}
	var tables []byte
	if opt.Abbreviated {
		tables = AppendTables(nil, len(src.Data), opt)
	}
	got := Planes{Stride: src.Stride, Width: src.Width, Height: src.Height}
	for range src.Data {
		got.Data = append(got.Data, make([]byte, len(src.Data[0])))
	}
	config, err := d.Decode(got, enc, DecodeOptions{Tables: tables, RGB: opt.RGB})
	if err != nil {
		t.Errorf("%d planes of %dx%d, %+v: %v", len(src.Data), src.Width, src.Height, opt, err)
		return
	}
	if config.Width != src.Width || config.Height != src.Height || config.Components != len(src.Data) {
		t.Errorf("%d planes of %dx%d came back as %+v", len(src.Data), src.Width, src.Height, config)
	}
	sum := 0
	for c := range src.Data {
		for i, v := range src.Data[c] {
			d := int(got.Data[c][i]) - int(v)
			sum += max(d, -d)
		}
	}
	if mean := float64(sum) / float64(src.Width*src.Height*len(src.Data)); mean > most {
		t.Errorf("%d planes of %dx%d, %+v: mean error %.2f, want at most %.2f", len(src.Data), src.Width, src.Height, opt, mean, most)
	}
}
