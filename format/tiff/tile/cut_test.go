package tile_test

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/omnizarr/zarr/format/tiff/tile"
	"github.com/omnizarr/zarr/nd"
)

// stored is the bytes of a tile before compression, which has its own form.
func stored(t *testing.T, l *tile.Layout, data []byte) []byte {
	t.Helper()
	n := l.RowBytes() * l.Height
	if l.Planar == 2 {
		n *= l.Samples
	}
	bare := plain(n, 1)
	bare.Compression = l.Compression
	raw := nd.Make(1, 1, 1, n)
	if err := bare.Decode(raw, data, 0, 1); err != nil {
		t.Fatal(err)
	}
	return raw.Data
}

// packed compresses bytes as the layout has it.
func packed(t *testing.T, l *tile.Layout, raw []byte) []byte {
	t.Helper()
	bare := plain(len(raw), 1)
	bare.Compression = l.Compression
	data, err := bare.AppendEncode(nil, nd.Of(raw, 1, 1, 1, len(raw)), tile.Encoding{})
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// cut sets to zero what is not in the first n bytes of a tile, sample by sample.
func cut(l *tile.Layout, v nd.View, n int) {
	bits, together := l.BitsPerSample, 1
	if l.Packed != 0 {
		bits = l.Packed
	}
	if l.Planar == 1 {
		together = l.Samples
	}
	predictor := 1
	switch l.Compression {
	case tile.LZW, tile.Deflate, tile.OldDeflate, tile.LZMA, tile.Zstd, tile.OldZstd:
		predictor = l.Predictor
	}
	for s := range l.Samples {
		for y := range l.Height {
			at := y
			if together == 1 {
				at += s * l.Height
			}
			have := 8 * min(max(n-at*l.RowBytes(), 0), l.RowBytes())
			if predictor == 3 && have < 8*l.RowBytes() {
				have = 0
			}
			if predictor == 2 {
				have -= have % (together * bits)
			}
			for x := range l.Width {
				first := x * bits
				if together > 1 {
					first = (x*together + s) * bits
				}
				left := min(max(have-first, 0), bits) // of the sample
				elem := v.Data[((s*l.Height+y)*l.Width+x)*v.Size:][:v.Size]
				switch {
				case left == bits:
				case l.Packed == 24 && !l.BigEndian:
					clear(elem[left/8:])
				case l.Packed != 0:
					var b [4]byte
					copy(b[:], elem)
					binary.LittleEndian.PutUint32(b[:], binary.LittleEndian.Uint32(b[:])>>(bits-left)<<(bits-left))
					copy(elem, b[:])
				default:
					clear(elem)
				}
			}
		}
	}
}

// padded is a view of the shape inside of memory that is larger on all axes.
func padded(size int, shape []int) nd.View {
	outer := []int{shape[0] + 1, shape[1] + 2, shape[2] + 3}
	v := nd.Make(size, outer...)
	nd.Fill(v, bytes.Repeat([]byte{0xa5}, size))
	return v.Box(nd.Box{Start: []int{1, 1, 2}, Shape: shape})
}

// Whatever the data ends in, what is there comes out, zeros follow, and nothing
// else is touched.
func TestBoxesOfTilesThatEndAnywhere(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for i, l := range layouts(1, 1) {
		l.Width, l.Height = 1+r.IntN(40), 1+r.IntN(7)
		l.Backwards = false // the data is looked into
		whole := sample(r, &l)
		data, err := l.AppendEncode(nil, whole, tile.Encoding{})
		if err != nil {
			t.Fatal(err)
		}
		raw := stored(t, &l, data)
		n := 1 + r.IntN(len(raw))
		if i%4 == 0 {
			n = max(1, n-n%l.RowBytes())
		}
		cut(&l, whole, n)
		data = packed(t, &l, raw[:n])
		for range 3 {
			box := nd.Box{Start: make([]int, 3), Shape: make([]int, 3)}
			for i, n := range whole.Shape {
				if r.IntN(2) == 0 {
					box.Shape[i] = n
					continue
				}
				box.Start[i] = r.IntN(n)
				box.Shape[i] = 1 + r.IntN(n-box.Start[i])
			}
			inner := padded(whole.Size, box.Shape)
			for _, dst := range []nd.View{nd.Make(whole.Size, box.Shape...), strange(whole.Size, box.Shape...), inner} {
				nd.Fill(dst, bytes.Repeat([]byte{0x5a}, dst.Size))
				if err := l.DecodeBox(dst, data, box, -1); err != nil || !equal(dst, whole.Box(box)) {
					t.Fatalf("%+v, %d of %d bytes, %v: %v", l, n, len(raw), box, err)
				}
			}
			nd.Fill(inner, bytes.Repeat([]byte{0xa5}, inner.Size))
			if len(bytes.Trim(inner.Data, "\xa5")) > 0 {
				t.Fatalf("%+v, %v: memory outside is changed", l, box)
			}
		}
	}
}
