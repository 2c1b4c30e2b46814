package conformance_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/codec/tifftile"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

// n5Blocks is the codecs of an array whose chunks are blocks of N5.
func n5Blocks(order, serializer string) json.RawMessage {
	return json.RawMessage(`[{"name":"n5_default","configuration":{"codecs":[{"name":"transpose","configuration":{"order":` + order + `}},` + serializer + `]}}]`)
}

// A block that is longer than its chunk is read and changed in an array, and
// becomes as long as the others.
func TestArraysWithLongerBlocksOfN5(t *testing.T) {
	s := mem.New()
	a, err := zarr.CreateArrayIn(ctx, s, "", zarr.ArraySpec{
		Shape: []int{4}, Chunks: []int{2}, DataType: "uint8", Codecs: n5Blocks(`[0]`, `"bytes"`),
	})
	check(t, err)
	if _, err := s.Put(ctx, "c/0", append([]byte{0, 0, 0, 1, 0, 0, 3, 232, 7, 8}, make([]byte, 998)...), store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range [][]byte{{7, 8, 0, 0}, {7, 5, 0, 0}} {
		got, err := zarr.Read[uint8](ctx, a, zarr.All())
		if err != nil || !slices.Equal(got.Data, want) {
			t.Errorf("got %v, %v, want %v", got.Data, err, want)
		}
		if err := zarr.Write(ctx, a, zarr.Slice("1:2"), []uint8{5}); err != nil {
			t.Fatal(err)
		}
	}
	if data, _, err := s.Get(ctx, "c/0", store.All(), nil); err != nil || fmt.Sprintf("%x", data) != "0000000100000002"+"0705" {
		t.Errorf("got %x, %v", data, err)
	}
}

// Arrays of a regular grid have blocks as Java's N5 writes them.
func TestBlocksOfN5AreCutAtTheEdge(t *testing.T) {
	s := mem.New()
	a, err := zarr.CreateArrayIn(ctx, s, "", zarr.ArraySpec{
		Shape: []int{11, 7}, Chunks: []int{4, 3}, DataType: "uint16",
		Codecs: n5Blocks(`[1,0]`, `{"name":"bytes","configuration":{"endian":"big"}}`),
	})
	check(t, err)
	want := make([]uint16, 77)
	for i := range want {
		want[i] = uint16(i * 99)
	}
	if err := zarr.Write(ctx, a, zarr.All(), want); err != nil {
		t.Fatal(err)
	}
	data, _, err := s.Get(ctx, "c/2/2", store.All(), nil)
	// Rows 8 to 10 of column 6.
	if text := fmt.Sprintf("%x", data); err != nil || text != "000000020000000300000001"+"17fa1aaf1d64" {
		t.Errorf("got %s, %v", text, err)
	}
	got, err := zarr.Read[uint16](ctx, a, zarr.All())
	if err != nil || !slices.Equal(got.Data, want) {
		t.Errorf("got %v, %v", got.Data, err)
	}
}

// No array has pixels that were made up, nor are they written to it.
func TestArraysRefuseJPEGThatEndsEarly(t *testing.T) {
	s := mem.New()
	a, err := zarr.CreateArrayIn(ctx, s, "", zarr.ArraySpec{
		Shape: []int{40, 64}, Chunks: []int{32, 32}, DataType: "uint8",
		Codecs: json.RawMessage(`[{"name":"` + tifftile.Name + `","configuration":{"compression":7,"tile_width":32,"tile_height":32}}]`),
	})
	check(t, err)
	pixels := make([]byte, 40*64) // the same nowhere
	for i := range pixels {
		pixels[i] = byte(i*7 + i/64*5)
	}
	if err := zarr.Write(ctx, a, zarr.All(), pixels); err != nil {
		t.Fatal(err)
	}
	whole, err := zarr.Read[uint8](ctx, a, zarr.All())
	check(t, err)
	cut := func(key string, drop int) {
		data, _, err := s.Get(ctx, key, store.All(), nil)
		check(t, err)
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
