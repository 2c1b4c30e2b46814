package tile_test

import (
	"bytes"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/format/tiff/tile"
	"github.com/omnizarr/zarr/internal/race"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/nd"
)

// plain is a layout of gray bytes, without compression.
func plain(width, height int) tile.Layout {
	return tile.Layout{Compression: tile.None, BitsPerSample: 8, Samples: 1, Photometric: 1, Planar: 1, Predictor: 1, Width: width, Height: height, SampleFormat: 1}
}

var lossless = []int{tile.None, tile.LZW, tile.Deflate, tile.OldDeflate, tile.PackBits, tile.LZMA, tile.Zstd, tile.OldZstd}

// layouts are all kinds of lossless tiles.
func layouts(width, height int) []tile.Layout {
	var out []tile.Layout
	kinds := []struct{ format, bits, packed int }{
		{1, 1, 0}, {1, 8, 0}, {1, 16, 0}, {1, 32, 0}, {1, 64, 0}, {2, 8, 0}, {2, 16, 0}, {4, 32, 0}, {3, 16, 0}, {3, 32, 0}, {3, 64, 0},
		{6, 64, 0}, {6, 128, 0}, {1, 8, 4}, {1, 8, 7}, {1, 16, 12}, {1, 32, 17}, {1, 32, 24}, {1, 32, 31},
	}
	for _, compression := range lossless {
		for _, k := range kinds {
			for _, samples := range []int{1, 2, 3, 5} {
				for predictor := 1; predictor <= 3; predictor++ {
					for _, big := range []bool{false, true} {
						l := plain(width, height)
						l.Compression, l.SampleFormat, l.BitsPerSample, l.Packed = compression, k.format, k.bits, k.packed
						l.Samples, l.Planar, l.Predictor, l.BigEndian, l.Backwards = samples, 1+samples%2, predictor, big, samples == 3 && !big
						if compression == tile.LZMA && (k.bits != 32 || samples > 2) {
							continue // it is slow, and as the others
						}
						if l.Check() == nil {
							out = append(out, l)
						}
					}
				}
			}
		}
	}
	step := thorough.Least(23, 7, 1) // so that every compression, kind and predictor has its turn
	for i := range len(out) / step {
		out[i] = out[step*i]
	}
	return out[:len(out)/step]
}

func size(l *tile.Layout) int { return max(1, l.BitsPerSample/8) }

// sample is a tile of numbers that change slowly and not.
func sample(r *rand.Rand, l *tile.Layout) nd.View {
	v := nd.Make(size(l), l.Samples, l.Height, l.Width)
	for i := range v.Data {
		v.Data[i] = byte(i / 7)
		if r.IntN(4) == 0 {
			v.Data[i] = byte(r.Uint32())
		}
	}
	if bits := l.Packed; bits != 0 || l.BitsPerSample == 1 {
		if bits == 0 {
			bits = 1
		}
		n := size(l)
		for i := range v.Data {
			v.Data[i] &= byte((uint64(1)<<bits - 1) >> (8 * (i % n)))
		}
	}
	return v
}

// strange is a view of the shape whose axes lie the other way round, with gaps.
func strange(size int, shape ...int) nd.View {
	v := nd.View{Size: size, Shape: shape, Strides: make([]int, len(shape)), Offset: 3}
	step := size + 1
	for i := range shape {
		v.Strides[i] = step
		step *= shape[i]
	}
	v.Data = bytes.Repeat([]byte{0xa5}, step+6)
	last := len(shape) - 1
	v.Offset += (shape[last] - 1) * v.Strides[last]
	v.Strides[last] = -v.Strides[last]
	return v
}

// pixels is memory of rows, columns and samples, with a margin around each row.
func pixels(size int, shape ...int) nd.View {
	v := nd.Make(size, shape[1]+2, shape[2]+3, shape[0])
	for i := range v.Data {
		v.Data[i] = 0xa5
	}
	return v.Box(nd.Box{Start: []int{1, 2, 0}, Shape: []int{shape[1], shape[2], shape[0]}}).Permute([]int{2, 0, 1})
}

func equal(a, b nd.View) bool {
	x, y := nd.Make(a.Size, a.Shape...), nd.Make(b.Size, b.Shape...)
	nd.Copy(x, a)
	nd.Copy(y, b)
	return bytes.Equal(x.Data, y.Data)
}

func TestWhatIsEncodedIsDecoded(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, l := range layouts(13, 9) {
		want := sample(r, &l)
		data, err := l.AppendEncode([]byte("before"), want, tile.Encoding{})
		if err != nil || !bytes.HasPrefix(data, []byte("before")) {
			t.Fatalf("%+v: %v", l, err)
		}
		data = data[6:]
		turned := strange(want.Size, want.Shape...)
		nd.Copy(turned, want)
		if again, err := l.AppendEncode(nil, turned, tile.Encoding{}); err != nil || !bytes.Equal(again, data) {
			t.Fatalf("%+v: other memory is encoded differently, %v", l, err)
		}
		for _, dst := range []nd.View{nd.Make(want.Size, want.Shape...), strange(want.Size, want.Shape...), pixels(want.Size, want.Shape...)} {
			if err := l.Decode(dst, data, 0, l.Height); err != nil || !equal(dst, want) {
				t.Fatalf("%+v: %v", l, err)
			}
		}
		for range 3 {
			box := nd.Box{Start: make([]int, 3), Shape: make([]int, 3)}
			for i, n := range want.Shape {
				box.Start[i] = r.IntN(n)
				box.Shape[i] = 1 + r.IntN(n-box.Start[i])
			}
			for _, dst := range []nd.View{nd.Make(want.Size, box.Shape...), strange(want.Size, box.Shape...), pixels(want.Size, box.Shape...)} {
				if err := l.DecodeBox(dst, data, box, -1); err != nil || !equal(dst, want.Box(box)) {
					t.Fatalf("%+v, %v: %v", l, box, err)
				}
			}
		}
		// What follows does not matter, except that xz is a file of its own.
		if l.Compression == tile.LZMA {
			continue
		}
		dst := nd.Make(want.Size, want.Shape...)
		if err := l.Decode(dst, append(data, "behind"...), 0, l.Height); err != nil || !equal(dst, want) {
			t.Fatalf("%+v with more behind: %v", l, err)
		}
	}
}

// A strip with fewer rows is what the same rows of a tile are, and zeros.
func TestShortStripsEndInZeros(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, l := range layouts(13, 9) {
		if l.Planar == 2 && l.Samples > 1 {
			if _, err := l.AppendEncode(nil, nd.Make(size(&l), l.Samples, 5, l.Width), tile.Encoding{}); err == nil {
				t.Fatalf("%+v: 5 rows of planes were taken", l)
			}
			continue
		}
		const rows = 5
		want := sample(r, &l)
		top := want
		top.Shape = []int{l.Samples, rows, l.Width}
		data, err := l.AppendEncode(nil, top, tile.Encoding{})
		if err != nil {
			t.Fatal(err)
		}
		nd.Fill(want.Box(nd.Box{Start: []int{0, rows, 0}, Shape: []int{l.Samples, l.Height - rows, l.Width}}), make([]byte, want.Size))
		for _, dst := range []nd.View{nd.Make(want.Size, want.Shape...), strange(want.Size, want.Shape...), pixels(want.Size, want.Shape...)} {
			for _, n := range []int{-1, 0, rows} {
				nd.Fill(dst, bytes.Repeat([]byte{7}, dst.Size))
				if err := l.Decode(dst, data, 0, n); err != nil || !equal(dst, want) {
					t.Fatalf("%+v, %d rows wanted: %v", l, n, err)
				}
			}
			if err := l.Decode(dst, data, 0, rows+1); err == nil || !strings.Contains(err.Error(), "short: ") {
				t.Fatalf("%+v: %v", l, err)
			}
		}
	}
}

// One rule for short data, whatever the compression: whole rows are kept and the
// rest is zero; a row that ends in its middle, and no data at all, are errors. What
// lies behind the rows that must be there is not looked at.
func TestTheRuleOfShortData(t *testing.T) {
	for _, compression := range []int{tile.None, tile.LZW, tile.Deflate, tile.OldDeflate, tile.PackBits, tile.LZMA, tile.Zstd} {
		for _, c := range []struct {
			n, rows, want int
			err           string
		}{
			{12, 3, -1, ""},
			{8, 2, -1, ""},
			{4, 1, -1, ""},
			{11, 2, -1, "row 2 ends after 3 of 4 bytes"},
			{6, 1, -1, "row 1 ends after 2 of 4 bytes"},
			{1, 0, -1, "row 0 ends after 1 of 4 bytes"},
			{0, 0, -1, "empty: tile of 12 bytes, 3 rows of 4, but 0 bytes of data"},
			{0, 0, 0, ""},
			{0, 0, 1, "short"},
			{8, 2, 2, ""},
			{9, 2, 2, ""},
			{8, 2, 3, "short"},
			{11, 2, 3, "short"},
		} {
			l := plain(4, 3)
			l.Compression = compression
			raw := []byte("abcdefghijkl")[:c.n]
			data := raw
			if c.n > 0 && compression != tile.None {
				data = packed(t, &l, raw)
			}
			dst := nd.Make(1, 1, 3, 4)
			nd.Fill(dst, []byte{7})
			err := l.Decode(dst, data, 0, c.want)
			if c.err == "" {
				want := append([]byte("abcdefghijkl")[:4*c.rows:4*c.rows], make([]byte, 12-4*c.rows)...)
				if err != nil || !bytes.Equal(dst.Data, want) {
					t.Errorf("compression %d, %d bytes, %d rows: %v, got %q", compression, c.n, c.want, err, dst.Data)
				}
			} else if err == nil || !strings.Contains(err.Error(), c.err) && !(c.n == 0 && strings.Contains(err.Error(), "empty")) {
				t.Errorf("compression %d, %d bytes, %d rows: got %v, want %s", compression, c.n, c.want, err, c.err)
			}
		}
	}
}

func TestTheNumberOfRowsMatters(t *testing.T) {
	l := plain(4, 3)
	dst := nd.Make(1, 1, 3, 4)
	for _, c := range []struct {
		compression int
		data        string
		want        int
		err         string
	}{
		{tile.None, "", -1, ": empty: "},
		{tile.None, "", 0, ""},
		{tile.None, "", 1, "uncompressed: empty: tile of 12 bytes, 3 rows of 4"},
		{tile.None, "abcdefgh", 2, ""},
		{tile.None, "abcdefgh", 99, "uncompressed: short: tile of 12 bytes, 3 rows of 4, but 8 bytes of data hold at most 8"},
		{tile.PackBits, "", -1, ": empty: "},
		{tile.JPEG, "", 0, ""},
		{tile.JPEG, "", -1, ": empty: "},
		{tile.JPEG, "", 2, "JPEG: empty: tile of 12 bytes, 3 rows of 4, but 0 bytes of data"},
		{tile.LZW, "", 1, "LZW: empty: "},
		{tile.LZW, "", -1, ": empty: "},
		{tile.Deflate, "", -1, ": empty: "},
		{tile.LZMA, "", -1, ": empty: "},
		{tile.Zstd, "", -1, ": empty: "},
		{tile.Zstd, "", 1, "Zstandard: empty: "},
		{tile.Zstd, "abc", -1, "Zstandard: byte 0 of 12, in row 0"},
		{tile.LZMA, "abc", -1, "LZMA: byte 0 of 12, in row 0"},
		{tile.PackBits, "\x03abcd\xfde", 2, ""},
		{tile.PackBits, "\x03abcd\xfde", 3, "PackBits: short: 8 of 12 bytes, 2 rows, at least 12 bytes are needed"},
		{tile.PackBits, "\x03abcd\xfd", 1, "PackBits: byte 4 of 12, in row 1"},
		{tile.LZW, "\x80\x18\x4c\x46\x33\x21\x94", -1, "LZW: byte 5 of 12, in row 1: data ends without an end code"},
		{tile.LZW, "\x80\x18\x4c\x46\x33\x21\x94", 1, ""},
		{tile.LZW, "\x80\x18\x4c\x46\x33\x21\x94", 2, "LZW: byte 5 of 12, in row 1: data ends without an end code"},
		{tile.Deflate, "\x78\x9c", -1, "Deflate: byte 0 of 12, in row 0: "},
		{tile.Deflate, "x", -1, "Deflate: byte 0 of 12, in row 0: 1 bytes are too few for a header"},
		{tile.Deflate, "\x78\xbb", -1, "needs a dictionary"},
		{tile.Deflate, "\x78\x9c\x4b\x4c\x4a\x06\x00\x02\x4d\x01\x27", -1, "Deflate: short: row 0 ends after 3 of 4 bytes"},
		{tile.Deflate, "\x78\x9c\x4b\x4c\x4a\x06\x00\x02\x4d\x01\x28", -1, "Deflate: byte 3 of 12, in row 0: checksum is 024d0128, the data has 024d0127"},
		{tile.Deflate, "\x78\x9c\x4b\x4c\x4a\x06\x00\x02\x4d\x01", -1, "ends within the checksum behind 3 bytes"},
	} {
		l.Compression = c.compression
		err := l.Decode(dst, []byte(c.data), 0, c.want)
		if c.err == "" && err != nil || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("compression %d, %x, %d rows: got %v, want %s", c.compression, c.data, c.want, err, c.err)
		}
	}
}

// Little data is no large tile, which is known before memory is asked for.
func TestLittleDataIsNoLargeTile(t *testing.T) {
	l := plain(8<<10, 5<<10)
	for _, c := range []struct {
		compression, size, want int
		err                     string
	}{
		{tile.None, 100, -1, "uncompressed: short: tile of 41943040 bytes, 5120 rows of 8192, but 100 bytes of data hold at most 100"},
		{tile.None, 100, 0, ""},
		{tile.None, 100, 1, "uncompressed: short"},
		{tile.None, 8192, 1, ""},
		{tile.None, 0, -1, "uncompressed: empty"},
		{tile.PackBits, 0, -1, "PackBits: empty"},
		{tile.Deflate, 100, -1, "Deflate: short"},
		{tile.Deflate, 41000, -1, ""},
		{tile.LZW, 100, -1, "LZW: short"},
		{tile.JPEG, 100, -1, "JPEG: short"},
		{tile.JPEG, 100, 5000, "JPEG: short"},
		{tile.JPEG, 0, 0, ""},
		{tile.JPEG, 0, 1, "JPEG: empty"},
		{tile.Zstd, 1300, 5120, ""},
	} {
		l.Compression = c.compression
		err := l.Probe(make([]byte, c.size), c.want)
		if c.err == "" && err != nil || c.err != "" && (err == nil || !strings.HasPrefix(err.Error(), c.err)) {
			t.Errorf("compression %d, %d bytes, %d rows: got %v, want %s", c.compression, c.size, c.want, err, c.err)
		}
	}
}

func TestMemoryMustFit(t *testing.T) {
	l := plain(4, 3)
	data := make([]byte, 12)
	for _, c := range []struct {
		dst   nd.View
		first int
	}{
		{nd.Make(1, 3, 4), 0}, {nd.Make(1, 1, 4, 4), 0}, {nd.Make(2, 1, 3, 4), 0}, {nd.Make(1, 1, 3, 5), 0}, {nd.Make(1, 2, 3, 4), 0},
		{nd.Make(1, 1, 2, 4), 2}, {nd.Make(1, 1, 2, 4), -1},
	} {
		if err := l.Decode(c.dst, data, c.first, -1); err == nil {
			t.Errorf("%v from %d: no error", c.dst.Shape, c.first)
		}
	}
	if err := l.Decode(nd.Make(1, 1, 0, 4), data, 3, 3); err != nil {
		t.Error(err)
	}
	for _, shape := range [][]int{{3, 4}, {1, 4, 4}, {1, 0, 4}, {2, 3, 4}, {1, 3, 5}} {
		if _, err := l.AppendEncode(nil, nd.Make(1, shape...), tile.Encoding{}); err == nil {
			t.Errorf("%v was encoded", shape)
		}
	}
	l.Packed = 4
	v := nd.Make(1, 1, 3, 4)
	v.Data[6] = 16
	if _, err := l.AppendEncode(nil, v, tile.Encoding{}); err == nil || !strings.Contains(err.Error(), "sample 0 of row 1, column 2, is 16: it does not fit into 4 bits") {
		t.Error(err)
	}
}

func TestTilesAllocateNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	r := rand.New(rand.NewPCG(5, 6))
	for _, compression := range []int{tile.None, tile.LZW, tile.Deflate, tile.PackBits, tile.Zstd, tile.JPEG} {
		l := plain(64, 64)
		l.Compression, l.Samples, l.Photometric, l.Predictor = compression, 3, 2, 2
		src := sample(r, &l)
		data, err := l.AppendEncode(nil, src, tile.Encoding{})
		if err != nil {
			t.Fatal(err)
		}
		out := make([]byte, 0, 2*len(data))
		n := testing.AllocsPerRun(50, func() {
			if err := l.Decode(src, data, 0, 64); err != nil {
				t.Error(err)
			}
			if out, err = l.AppendEncode(out[:0], src, tile.Encoding{}); err != nil {
				t.Error(err)
			}
		})
		if n > 12 {
			t.Errorf("compression %d: %v allocations", compression, n)
		}
	}
}

func ExampleLayout_Decode() {
	l := tile.Layout{Compression: tile.LZW, BitsPerSample: 8, Samples: 3, Photometric: 2, Planar: 1, Predictor: 2, Width: 2, Height: 2, SampleFormat: 1}
	pixels := nd.Of([]byte{1, 2, 3, 4, 10, 20, 30, 40, 100, 101, 102, 103}, 1, 3, 2, 2)
	data, err := l.AppendEncode(nil, pixels, tile.Encoding{})
	if err != nil {
		fmt.Println(err)
		return
	}
	row := nd.Make(1, 3, 1, 2)
	err = l.Decode(row, data, 1, 2)
	fmt.Println(row.Data, err)
	// Output: [3 4 30 40 102 103] <nil>
}

// A tile that says it is less high than what is stored is the top of it.
func TestRowsThatAreTooManyAreIgnored(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, l := range layouts(13, 9) {
		if l.Compression == tile.LZMA || l.Planar == 2 && l.Samples > 1 {
			continue
		}
		want := sample(r, &l)
		data, err := l.AppendEncode(nil, want, tile.Encoding{})
		if err != nil {
			t.Fatal(err)
		}
		l.Height = 4
		dst := nd.Make(want.Size, l.Samples, 4, 13)
		if err := l.Decode(dst, data, 0, 4); err != nil || !equal(dst, want.Box(nd.Whole(dst.Shape))) {
			t.Fatalf("%+v: %v", l, err)
		}
	}
}

func TestBackwardsReversesTheBitsOfBytes(t *testing.T) {
	for _, compression := range lossless {
		l := plain(13, 9)
		l.Compression = compression
		src := sample(rand.New(rand.NewPCG(1, 2)), &l)
		want, err := l.AppendEncode(nil, src, tile.Encoding{})
		if err != nil {
			t.Fatal(err)
		}
		l.Backwards = true
		got, err := l.AppendEncode([]byte{1}, src, tile.Encoding{})
		if err != nil || got[0] != 1 || len(got) != len(want)+1 {
			t.Fatal(len(got), len(want), err)
		}
		for i, b := range want {
			if got[1+i] != bits.Reverse8(b) {
				t.Errorf("compression %d: byte %d is %08b instead of %08b", compression, i, got[1+i], bits.Reverse8(b))
				break
			}
		}
	}
}

// Rows behind the box are not decoded, so that nobody waits for them.
func TestRowsOfZstandardBehindTheBoxAreNotRead(t *testing.T) {
	l := tile.Layout{Compression: tile.Zstd, BitsPerSample: 8, Samples: 1, Width: 4, Height: 3, SampleFormat: 1, Photometric: 1, Planar: 1, Predictor: 1}
	data := []byte("\x28\xb5\x2f\xfd\x20\x0c" + "\x20\x00\x00abcd" + "\x06\x00\x00") // a stored block, and one of no known kind
	dst := nd.Make(1, 1, 1, 4)
	box := nd.Box{Start: []int{0, 0, 0}, Shape: []int{1, 1, 4}}
	if err := l.DecodeBox(dst, data, box, -1); err != nil || string(dst.Data) != "abcd" {
		t.Errorf("%q, %v", dst.Data, err)
	}
	box.Start[1] = 1
	if err := l.DecodeBox(dst, data, box, -1); err == nil || !strings.Contains(err.Error(), "Zstandard: byte 4 of 12, in row 1: ") {
		t.Error(err)
	}
}
