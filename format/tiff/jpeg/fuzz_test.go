package jpeg

import (
	"bytes"
	"errors"
	"testing"

	"github.com/omnizarr/zarr/internal/fuzzlong"
)

// FuzzDecode decodes anything, with a decoder that is used again and again: there
// must be no panic, and a fresh decoder without assembly must say the same.
func FuzzDecode(f *testing.F) {
	for i, g := range readGolden(f) {
		if len(g.src) < 3000 {
			f.Add(g.src, g.tables, g.rgb, uint8(g.n), uint8(g.width), uint8(g.height))
			f.Add(g.src[:len(g.src)*(20+i%80)/100], g.tables, g.rgb, uint8(g.n), uint8(g.width), uint8(g.height))
		}
	}
	var used Decoder
	fuzzlong.Fuzz(f, func(t *testing.T, src, tables []byte, rgb bool, n, width, height uint8) {
		room := func() Planes { return newPlanes(int(width), int(height), int(n%5), 1) }
		opt := DecodeOptions{Tables: tables, RGB: rgb}
		a, b := room(), room()
		c, err := used.Decode(a, src, opt)
		var fresh Decoder
		var c2 Config
		var err2 error
		withoutKernels(func() { c2, err2 = fresh.Decode(b, src, opt) })
		if c != c2 || (err == nil) != (err2 == nil) || err != nil && err.Error() != err2.Error() {
			t.Fatalf("used: %+v, %v; fresh: %+v, %v", c, err, c2, err2)
		}
		if cut := (*CutError)(nil); err != nil && !errors.As(err, &cut) {
			return
		}
		for i := range a.Data {
			if !bytes.Equal(a.Data[i], b.Data[i]) {
				t.Fatalf("plane %d differs", i)
			}
		}
		if r, err := ReadConfig(src); err != nil || r != c {
			t.Fatalf("ReadConfig: %+v, %v; Decode: %+v", r, err, c)
		}
	})
}
