package pixel

import (
	"bytes"
	"testing"

	"github.com/omnizarr/zarr/format/tiff/tiletest"
	"github.com/omnizarr/zarr/internal/fuzzlong"
)

// The fuzz targets hold the kernels to the definitions and to what undoes them. Any
// data is a row; a and b choose among what the functions take.

func seed(f *testing.F) {
	for i, n := range []int{0, 1, 7, 32, 33, 96, 300} {
		f.Add(bytes.Repeat([]byte{1, 200, byte(i), 9}, n), byte(i), byte(n))
	}
	for i, tile := range tiletest.Compressed(1) { // samples as they are
		f.Add(tile[:min(len(tile), 500)], byte(i%4), byte(i))
	}
}

func choose(sizes []int, b byte) int { return sizes[int(b)%len(sizes)] }

func FuzzDelta(f *testing.F) {
	seed(f)
	fuzzlong.Fuzz(f, func(t *testing.T, row []byte, a, b byte) {
		samples, size := 1+int(a), choose([]int{1, 2, 4, 8}, b)
		got, want := bytes.Clone(row), bytes.Clone(row)
		Undelta(got, samples, size)
		modelUndelta(want, samples, size)
		if !bytes.Equal(got, want) {
			t.Errorf("Undelta of %d samples of %d bytes: at byte %d", samples, size, difference(got, want))
		}
		Delta(got, samples, size)
		if !bytes.Equal(got, row) {
			t.Errorf("Delta of %d samples of %d bytes: at byte %d", samples, size, difference(got, row))
		}
	})
}

func FuzzFloat(f *testing.F) {
	seed(f)
	fuzzlong.Fuzz(f, func(t *testing.T, row []byte, a, b byte) {
		samples, size := 1+int(a), choose([]int{2, 3, 4, 8}, b)
		row = row[:len(row)/size*size]
		got, want := make([]byte, len(row)), make([]byte, len(row))
		Unfloat(got, bytes.Clone(row), samples, size)
		modelUnfloat(want, bytes.Clone(row), samples, size)
		if !bytes.Equal(got, want) {
			t.Errorf("Unfloat of %d samples of %d bytes: at byte %d", samples, size, difference(got, want))
		}
		Float(want, got, samples, size)
		if !bytes.Equal(want, row) {
			t.Errorf("Float of %d samples of %d bytes: at byte %d", samples, size, difference(want, row))
		}
	})
}

func FuzzSplit(f *testing.F) {
	seed(f)
	fuzzlong.Fuzz(f, func(t *testing.T, row []byte, a, b byte) {
		planes, size := 1+int(a), choose([]int{1, 2, 4, 8, 16}, b)
		n := len(row) / planes / size * size
		row = row[:n*planes]
		got, want := make([][]byte, planes), make([][]byte, planes)
		for c := range got {
			got[c], want[c] = make([]byte, n), make([]byte, n)
		}
		Split(got, row, size)
		modelSplit(want, row, size)
		for c := range got {
			if !bytes.Equal(got[c], want[c]) {
				t.Errorf("%d planes of samples of %d bytes: plane %d at byte %d", planes, size, c, difference(got[c], want[c]))
			}
		}
		back := make([]byte, len(row))
		Join(back, got, size)
		if !bytes.Equal(back, row) {
			t.Errorf("Join of %d planes of samples of %d bytes: at byte %d", planes, size, difference(back, row))
		}
	})
}

func FuzzSwap(f *testing.F) {
	seed(f)
	fuzzlong.Fuzz(f, func(t *testing.T, row []byte, a, _ byte) {
		size := choose([]int{1, 2, 4, 8}, a)
		got, want := bytes.Clone(row), bytes.Clone(row)
		Swap(got, size)
		modelSwap(want, size)
		if !bytes.Equal(got, want) {
			t.Errorf("numbers of %d bytes: at byte %d", size, difference(got, want))
		}
	})
}

func FuzzPack(f *testing.F) {
	seed(f)
	fuzzlong.Fuzz(f, func(t *testing.T, row []byte, a, b byte) {
		size := choose([]int{1, 2, 4}, a)
		bits := 1 + int(b)%min(31, 8*size)
		n := len(row) * 8 / bits
		got, want := make([]byte, n*size), make([]byte, n*size)
		Unpack(got, row, bits, size)
		modelUnpack(want, row, bits, size)
		if !bytes.Equal(got, want) {
			t.Errorf("Unpack of %d bits to %d bytes: at byte %d", bits, size, difference(got, want))
		}
		back, packed := make([]byte, (n*bits+7)/8), make([]byte, (n*bits+7)/8)
		Pack(back, got, bits, size)
		modelPack(packed, got, bits, size)
		if !bytes.Equal(back, packed) {
			t.Errorf("Pack of %d bits from %d bytes: at byte %d", bits, size, difference(back, packed))
		}
	})
}
