package copying_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/codec/pad"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

func padSource(t *testing.T) *zarr.Group {
	t.Helper()
	ctx := context.Background()
	g, err := zarr.CreateGroupIn(ctx, mem.New(), "")
	if err != nil {
		t.Fatal(err)
	}
	image, err := g.CreateArray(ctx, "image", zarr.ArraySpec{Shape: []int{5, 7}, Chunks: []int{3, 4}, DataType: "uint16"})
	if err != nil {
		t.Fatal(err)
	}
	data := make([]uint16, 35)
	for i := range data {
		data[i] = uint16(i + 1)
	}
	if err := zarr.Write(ctx, image, zarr.All(), data); err != nil {
		t.Fatal(err)
	}
	text, err := g.CreateArray(ctx, "text", zarr.ArraySpec{Shape: []int{2}, Chunks: []int{2}, DataType: "string"})
	if err != nil {
		t.Fatal(err)
	}
	if err := zarr.Write(ctx, text, zarr.All(), []string{"a", "b"}); err != nil {
		t.Fatal(err)
	}
	return g
}

func TestCopiesWithHeaders(t *testing.T) {
	ctx := context.Background()
	src := padSource(t)
	for _, c := range []struct {
		opts        copying.Options
		key, header string
	}{
		{copying.Options{Pad: "tiff"}, "image/c/1/1", "II*\x00"},
		{copying.Options{Pad: "tiff", Chunks: []int{2, 2}, Shards: []int{4, 4}}, "image/c/1/1", "II*\x00"},
		{copying.Options{Pad: "n5"}, "image/1/1", "\x00\x00\x00\x02\x00\x00\x00\x03\x00\x00\x00\x04"},
		{copying.Options{Pad: "n5", Chunks: []int{5, 1}}, "image/0/6", "\x00\x00\x00\x02\x00\x00\x00\x05\x00\x00\x00\x01"},
	} {
		dst := mem.New()
		for range 2 { // the second time it goes on where nothing is left to do
			if _, err := copying.Into(ctx, src, dst, "", c.opts); err != nil {
				t.Fatal(err)
			}
		}
		chunk, _, err := dst.Get(ctx, c.key, store.All(), nil)
		if err != nil || !bytes.HasPrefix(chunk, []byte(c.header)) {
			t.Errorf("%+v: the chunk begins with %q, %v", c.opts, chunk[:min(len(chunk), 12)], err)
		}
		n, err := zarr.OpenStore(ctx, dst, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"image", "text"} {
			a, err := n.(*zarr.Group).Array(ctx, name)
			if err != nil {
				t.Fatal(err)
			}
			if padded := strings.Contains(string(document(t, a)), `"pad"`); padded != (name == "image") {
				t.Errorf("%+v: %s has a header: %v", c.opts, name, padded)
			}
			if name == "text" {
				continue
			}
			got, err := zarr.Read[uint16](ctx, a, zarr.All())
			if err != nil || len(got.Data) != 35 || !slices.IsSorted(got.Data) || got.Data[34] != 35 {
				t.Errorf("%+v: %v, %v", c.opts, got.Data, err)
			}
		}
	}
}

func document(t *testing.T, a *zarr.Array) []byte {
	t.Helper()
	text, err := a.Metadata().Marshal()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestHeadersThatCannotBeAreErrorsBeforeAnythingIsWritten(t *testing.T) {
	ctx := context.Background()
	g := padSource(t)
	text, err := g.Array(ctx, "text")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		src  zarr.Node
		opts copying.Options
		want string
	}{
		{text, copying.Options{Pad: "tiff"}, "no such data type"},
		{g, copying.Options{Pad: "png"}, `no padding is called "png"`},
		{g, copying.Options{Pad: "tiff", DataType: "bfloat16", Codecs: []byte(`[{"name":"bytes","configuration":{"endian":"little"}},"gzip"]`)}, "text"},
		{g, copying.Options{Pad: "tiff", Codecs: []byte(`[{"name":"bytes","configuration":{"endian":"little"}},"gzip"]`)}, "codec"},
	} {
		dst := mem.New()
		if _, err := copying.Into(ctx, c.src, dst, "", c.opts); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: got %v, want %s", c.opts, err, c.want)
		}
		for e := range dst.List(ctx, "", "") {
			t.Errorf("%s was written", e.Key)
		}
	}
	if _, err := copying.Into(ctx, text, mem.New(), "", copying.Options{Pad: "tiff"}); !errors.Is(err, pad.ErrType) {
		t.Error(err)
	}
}
