package tile_test

import (
	"bytes"
	"math/rand/v2"
	"strings"
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

// cut sets rows to zero that are not whole in the first n bytes of a tile.
func cut(l *tile.Layout, v nd.View, n int) {
	for s := range l.Samples {
		for y := range l.Height {
			at := y
			if l.Planar == 2 {
				at += s * l.Height
			}
			if (at+1)*l.RowBytes() > n {
				clear(v.Data[(s*l.Height+y)*l.Width*v.Size:][:l.Width*v.Size])
			}
		}
	}
}

// halved reports whether the first n bytes of a tile end within a row of a box.
func halved(l *tile.Layout, box nd.Box, n int) bool {
	last := box.Start[1] + box.Shape[1]
	if l.Planar == 2 {
		last += (box.Start[0] + box.Shape[0] - 1) * l.Height
	}
	return n%l.RowBytes() != 0 && n < last*l.RowBytes()
}

// padded is a view of the shape inside of memory that is larger on all axes.
func padded(size int, shape []int) nd.View {
	outer := []int{shape[0] + 1, shape[1] + 2, shape[2] + 3}
	v := nd.Make(size, outer...)
	nd.Fill(v, bytes.Repeat([]byte{0xa5}, size))
	return v.Box(nd.Box{Start: []int{1, 1, 2}, Shape: shape})
}

// Rows that are there come out, zeros follow, and nothing else is touched. A row
// that ends in its middle is an error, unless it lies behind what is wanted.
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
				err := l.DecodeBox(dst, data, box, -1)
				if halved(&l, box, n) {
					if err == nil || !strings.Contains(err.Error(), " ends after ") {
						t.Fatalf("%+v, %d of %d bytes, %v: %v", l, n, len(raw), box, err)
					}
					continue
				}
				if err != nil || !equal(dst, whole.Box(box)) {
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
