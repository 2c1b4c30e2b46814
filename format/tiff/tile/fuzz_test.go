package tile_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/omnizarr/zarr/format/tiff/tile"
	"github.com/omnizarr/zarr/internal/fuzzlong"
	"github.com/omnizarr/zarr/nd"
)

// FuzzDecode decodes anything in any layout: without a panic, the same into memory
// of any kind, and where a part is decoded, the same as of the whole.
func FuzzDecode(f *testing.F) {
	all := append(layouts(13, 9), layouts(1, 3)...)
	for _, samples := range []int{1, 3, 4} {
		l := plain(13, 9)
		l.Compression, l.Samples, l.Photometric = tile.JPEG, samples, 6
		all = append(all, l)
	}
	r := rand.New(rand.NewPCG(7, 8))
	for i, l := range all {
		if i%7 != 0 && l.Compression != tile.JPEG {
			continue
		}
		data, err := l.AppendEncode(nil, sample(r, &l), tile.Encoding{})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(uint(i), data, 9)
		f.Add(uint(i), data[:len(data)/2], -1)
		f.Add(uint(i), data[:len(data)-len(data)/9], -1)
	}
	fuzzlong.Fuzz(f, func(t *testing.T, which uint, data []byte, want int) {
		l := all[which%uint(len(all))]
		dst := nd.Make(size(&l), l.Samples, l.Height, l.Width)
		for i := range dst.Data {
			dst.Data[i] = 0xa5
		}
		err := l.Decode(dst, data, 0, want)
		other := strange(dst.Size, dst.Shape...)
		if otherErr := l.Decode(other, data, 0, want); (err == nil) != (otherErr == nil) {
			t.Fatalf("%v in one memory, %v in other", err, otherErr)
		}
		if err != nil {
			if len(err.Error()) > 1000 {
				t.Fatalf("error of %d bytes", len(err.Error()))
			}
			return
		}
		if !equal(dst, other) {
			t.Fatal("memory matters")
		}
		part := nd.Make(dst.Size, l.Samples, 1, l.Width)
		y := len(data) % l.Height
		if err := l.Decode(part, data, y, want); err != nil {
			t.Fatalf("row %d: %v", y, err)
		}
		if !equal(part, dst.Box(nd.Box{Start: []int{0, y, 0}, Shape: part.Shape})) {
			t.Fatalf("row %d is another alone", y)
		}
		if l.Compression == tile.JPEG || l.BitsPerSample == 1 || l.Packed != 0 {
			return
		}
		again, err := l.AppendEncode(nil, dst, tile.Encoding{})
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Decode(other, again, 0, l.Height); err != nil || !equal(dst, other) {
			t.Fatalf("encoded again it differs: %v", err)
		}
		if l.Compression == tile.None && bytes.HasPrefix(data, again) != (len(data) >= len(again)) {
			t.Fatal("bytes changed")
		}
	})
}
