package pad_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

// textHeader is the TIFF header of both texts.
const textHeader = "SUkqAAgAAAAIAAABAwABAAAAAAEAAAEBAwABAAAAAAEAAAIBAwABAAAAEAAAAAMBAwABAAAAAQAAAAYBAwABAAAAAQAAABEBBAABAAAAbgAAABYBAwABAAAAAAEAABcBBAABAAAAAAACAAAAAAA="

func create(t testing.TB, spec zarr.ArraySpec, r *codec.Registry) (*mem.Store, *zarr.Array) {
	t.Helper()
	s := mem.New()
	a, err := zarr.CreateArrayIn(context.Background(), s, "", spec, zarr.Codecs(r))
	if err != nil {
		t.Fatal(err)
	}
	return s, a
}

func get(t testing.TB, s store.Store, key string) []byte {
	t.Helper()
	out, _, err := s.Get(context.Background(), key, store.All(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// counted is n elements that count up from 1.
func counted(n int) []uint16 {
	out := make([]uint16, n)
	for i := range out {
		out[i] = uint16(i + 1)
	}
	return out
}

// "Example 1: Creating a Valid TIFF File per Chunk": "The resulting stored chunk
// is a standalone, readable TIFF file."
func TestTheTextsFirstExample(t *testing.T) {
	for _, entry := range []string{
		`{"name":"pad","configuration":{"location":"start","nbytes":110,"padding":"` + textHeader + `"}}`,
		`{"name":"offset","configuration":{"offset":110,"prefix":"` + textHeader + `"}}`,
	} {
		s, a := create(t, zarr.ArraySpec{Shape: []int{256, 256}, Chunks: []int{256, 256}, DataType: "uint16", Codecs: json.RawMessage("[" + little + "," + entry + "]")}, registry())
		want := counted(1 << 16)
		if err := zarr.Write(context.Background(), a, zarr.All(), want); err != nil {
			t.Fatal(err)
		}
		data := get(t, s, "c/0/0")
		f := parseTIFF(t, data)
		for tag, value := range map[uint16]uint64{256: 256, 257: 256, 258: 16, 259: 1, 262: 1, 273: 110, 278: 256, 279: 131072} {
			if f.one(tag) != value {
				t.Errorf("tag %d is %v, want %d", tag, f.tags[tag], value)
			}
		}
		if len(data) != 110+131072 || !bytes.Equal(f.data(t), data[110:]) {
			t.Error("the image is not the chunk")
		}
		if doc := get(t, s, "zarr.json"); !strings.Contains(strings.Join(strings.Fields(string(doc)), ""), strings.ReplaceAll(entry, " ", "")) {
			t.Errorf("metadata has another entry: %s", doc)
		}
	}
}

// "Example 2": "The data is compressed by gzip, and then the pad codec prepends
// the 16-byte custom header." The example names no codec that turns the array
// into bytes: that is added here. Its gzip has no configuration.
func TestTheTextsSecondExample(t *testing.T) {
	for _, entry := range []string{
		`{"name":"pad","configuration":{"location":"start","nbytes":16,"padding":"TVlfQ1VTVE9NX0hFQURFUg=="}}`,
		`{"name":"offset","configuration":{"offset":16,"prefix":"TVlfQ1VTVE9NX0hFQURFUg=="}}`,
	} {
		asPrinted := `[{"name":"gzip"},` + entry + `]`
		if _, err := registry().ParseList(json.RawMessage(asPrinted)); err == nil || !strings.Contains(err.Error(), "no codec before it turns arrays into bytes") {
			t.Errorf("got %v", err)
		}
		s, a := create(t, zarr.ArraySpec{Shape: []int{10, 10}, Chunks: []int{10, 10}, DataType: "uint16", Codecs: json.RawMessage("[" + little + `,{"name":"gzip"},` + entry + "]")}, registry())
		want := counted(100)
		if err := zarr.Write(context.Background(), a, zarr.All(), want); err != nil {
			t.Fatal(err)
		}
		if data := get(t, s, "c/0/0"); !bytes.HasPrefix(data, []byte("MY_CUSTOM_HEADER\x1f\x8b")) {
			t.Errorf("the chunk begins with %q", data[:18])
		}
		got, err := zarr.Read[uint16](context.Background(), openArray(t, s, registry()), zarr.All())
		if err != nil || digest(got.Data) != digest(want) {
			t.Errorf("read something else, %v", err)
		}
	}
}

// "Example 3: Reading an N5 dataset with Zarr v3": "The padding value
// AAAAAgAAAEAAAABA is the base64 encoding of the 12-byte N5 header template." The
// stores of TestExampleStores are datasets by Java and tensorstore; their headers
// are the template.
func TestTheTextsThirdExample(t *testing.T) {
	template, err := base64.StdEncoding.DecodeString("AAAAAgAAAEAAAABA")
	if err != nil || string(template) != "\x00\x00\x00\x02\x00\x00\x00\x40\x00\x00\x00\x40" {
		t.Fatalf("%x, %v", template, err)
	}
	files := archive(t)
	blocks := 0
	for name, data := range files {
		if strings.HasPrefix(name, "chunks-n5/") {
			blocks++
			if !bytes.HasPrefix(data, template) {
				t.Errorf("%s begins with %x", name, data[:12])
			}
		}
	}
	if blocks != 9 {
		t.Errorf("%d blocks", blocks)
	}
}
