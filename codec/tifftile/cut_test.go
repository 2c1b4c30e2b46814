package tifftile_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/codectest"
	"github.com/omnizarr/zarr/nd"
)

// ramp is a chunk of the shape that is not the same anywhere.
func ramp(shape ...int) nd.View {
	v := nd.Make(1, shape...)
	for i := range v.Data {
		v.Data[i] = byte(i*7 + i/shape[len(shape)-1]*5)
	}
	return v
}

// A JPEG stream that ends early is filled up where nobody knows which rows count,
// and an error where rows that do are among those.
func TestJPEGThatEndsEarly(t *testing.T) {
	const rows = 64
	tile := entry(`"compression":7,"tile_width":64,"tile_height":%d,"photometric":6,"samples_per_pixel":3,"quality":90`, rows)
	for _, codecs := range []string{"[" + tile + "]", `["bytes",` + tile + "]"} {
		b, err := bind(codecs, "uint8", 3, rows, 64)
		if err != nil {
			t.Fatal(err)
		}
		ctx := context.Background()
		data, err := b.Encode(ctx, chunk(), nil, ramp(3, rows, 64))
		if err != nil {
			t.Fatal(err)
		}
		whole, err := decode(b, chunk(), &codec.Memory{Bytes: data})
		if err != nil {
			t.Fatal(err)
		}
		short := &codec.Memory{Bytes: data[:len(data)*2/3]}
		filled, err := decode(b, chunk(), short)
		if err != nil {
			t.Fatalf("%s: %v", codecs, err)
		}
		first := 0 // row that is another
		for first < rows && bytes.Equal(filled.Data[first*64:][:64], whole.Data[first*64:][:64]) {
			first++
		}
		if first < 16 || first >= 48 {
			t.Fatalf("%s: row %d is the first that differs", codecs, first)
		}
		for i, v := range filled.Data[(rows-1)*64:][:64] {
			if v != 128 {
				t.Fatalf("%s: the last row has %d at %d", codecs, v, i)
			}
		}
		sure := (first+1)/16*16 - 1 // the row above a unit is interpolated with it
		for inside, good := range map[int]bool{0: true, 1: true, sure: true, sure + 1: false, rows: false} {
			ck := chunk()
			ck.Extent = []int{3, inside, 64}
			v, err := decode(b, ck, short)
			if good && (err != nil || !bytes.Equal(v.Data, filled.Data)) {
				t.Errorf("%s: %d rows inside: %v", codecs, inside, err)
			}
			if !good && (err == nil || !strings.Contains(err.Error(), "JPEG: data ends in row ")) {
				t.Errorf("%s: %d rows inside: %v", codecs, inside, err)
			}
		}
		for _, n := range []int{0, 1, 20, bytes.Index(data, []byte("\xff\xda"))} {
			if _, err := decode(b, chunk(), &codec.Memory{Bytes: data[:n]}); err == nil {
				t.Errorf("%s: %d bytes are enough", codecs, n)
			}
		}
	}
}

// A part of a tile that is not compressed is read by itself: rows behind it may be missing.
func TestAPartOfATileThatEndsEarly(t *testing.T) {
	b, err := bind("["+entry(`"tile_width":4,"tile_height":3`)+"]", "uint8", 1, 3, 4)
	if err != nil {
		t.Fatal(err)
	}
	ck := chunk()
	ck.Extent = []int{1, 3, 4}
	src := &codectest.Source{Data: []byte("abcdefgh"), IsNear: true}
	read := func(rows int) (string, error) {
		v := nd.Make(1, 1, rows, 4)
		err := b.Decode(context.Background(), ck, src, nd.Box{Start: []int{0, 0, 0}, Shape: v.Shape}, v)
		return string(v.Data), err
	}
	if got, err := read(2); err != nil || got != "abcdefgh" {
		t.Errorf("two rows that are there: %q, %v", got, err)
	}
	if got, err := read(3); err == nil {
		t.Errorf("three rows of which one is missing: %q", got)
	}
}
