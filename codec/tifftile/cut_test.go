package tifftile_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/std"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
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

// No array has pixels that were made up, nor are they written to it.
func TestArraysRefuseJPEGThatEndsEarly(t *testing.T) {
	ctx := context.Background()
	s := mem.New()
	a, err := zarr.CreateArrayIn(ctx, s, "", zarr.ArraySpec{
		Shape: []int{40, 64}, Chunks: []int{32, 32}, DataType: "uint8",
		Codecs: json.RawMessage("[" + entry(`"compression":7,"tile_width":32,"tile_height":32`) + "]"),
	}, zarr.Codecs(std.Registry()))
	if err != nil {
		t.Fatal(err)
	}
	if err := zarr.Write(ctx, a, zarr.All(), ramp(40, 64).Data); err != nil {
		t.Fatal(err)
	}
	whole, err := zarr.Read[uint8](ctx, a, zarr.All())
	if err != nil {
		t.Fatal(err)
	}
	cut := func(key string, drop int) {
		data, _, err := s.Get(ctx, key, store.All(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Put(ctx, key, data[:len(data)-drop], store.PutOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	cut("c/1/0", 5) // of 32 rows, eight are inside; the others take few bytes
	if got, err := zarr.Read[uint8](ctx, a, zarr.All()); err != nil || !bytes.Equal(got.Data, whole.Data) {
		t.Errorf("cut outside the array: %v", err)
	}
	cut("c/0/1", 200)
	for name, try := range map[string]func() error{
		"read":  func() error { _, err := zarr.Read[uint8](ctx, a, zarr.All()); return err },
		"row":   func() error { _, err := zarr.Read[uint8](ctx, a, zarr.Slice("31:32")); return err },
		"write": func() error { return zarr.Write(ctx, a, zarr.Slice("0:1,40:41"), []uint8{1}) },
	} {
		err := try()
		if err == nil || !strings.Contains(err.Error(), "JPEG: data ends in row ") || !strings.Contains(err.Error(), "c/0/1") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got, err := zarr.Read[uint8](ctx, a, zarr.Slice("0:8")); err != nil || !bytes.Equal(got.Data, whole.Data[:8*64]) {
		t.Errorf("rows that are there: %v", err)
	}
}
