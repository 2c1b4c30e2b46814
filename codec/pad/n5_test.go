package pad_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/codec/pad"
	"github.com/omnizarr/zarr/dtype"
)

// Reversed axes and big-endian order are what N5 is; the list gets them.
func TestN5PutsTheCodecsInFrontRight(t *testing.T) {
	const reversed = `{"name":"transpose","configuration":{"order":[1,0]}}`
	for _, c := range []struct{ codecs, typ, want string }{
		{`[` + little + `]`, "uint16", `[` + reversed + `,` + bigOrder + `]`},
		{`["bytes"]`, "uint8", `[` + reversed + `,{"name":"bytes"}]`},
		{`[` + reversed + `,` + bigOrder + `,"gzip"]`, "float64", `[` + reversed + `,` + bigOrder + `,{"name":"gzip","configuration":{"level":5}}]`},
		{`[` + bigOrder + `,"zstd"]`, "int32", `[` + reversed + `,` + bigOrder + `,{"name":"zstd","configuration":{"level":3,"checksum":false}}]`},
	} {
		got, err := pad.N5().Codecs(registry(), json.RawMessage(c.codecs), dtype.MustParse(c.typ), []int{64, 32})
		if err != nil {
			t.Fatal(err)
		}
		want := strings.TrimSuffix(c.want, "]") + `,{"name":"pad","configuration":{"location":"start","nbytes":12,"padding":"AAAAAgAAAEAAAAAg"}}]`
		if string(got) != want {
			t.Errorf("%s became\n%s, want\n%s", c.codecs, got, want)
		}
	}
}

func TestWhatN5CannotHoldIsRefused(t *testing.T) {
	for _, c := range []struct {
		codecs, typ string
		shape       []int
		want        string
	}{
		{`[` + little + `]`, "complex64", []int{6}, "N5 and complex64: no such data type"},
		{`[` + little + `]`, "uint16", []int{}, "N5 has no blocks of 0 dimensions"},
		{`[` + little + `,"crc32c"]`, "uint16", []int{6}, "codec crc32c is no compression of N5"},
		{`[` + little + `,"gzip","gzip"]`, "uint16", []int{6}, "follow each other"},
		{`[{"name":"transpose","configuration":{"order":[0,1]}},` + little + `]`, "uint16", []int{6, 7}, "N5 reverses the axes"},
		{`[{"name":"transpose","configuration":{"order":[1,0]}},{"name":"transpose","configuration":{"order":[1,0]}},` + little + `]`, "uint16", []int{6, 7}, "N5 only reverses the axes"},
		{`["bytes"]`, "uint8", []int{1 << 31}, "not longer than"},
	} {
		_, err := pad.N5().Codecs(registry(), json.RawMessage(c.codecs), dtype.MustParse(c.typ), c.shape)
		if err == nil || !strings.HasPrefix(err.Error(), "padding n5: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s %v: got %v, want %s", c.codecs, c.typ, c.shape, err, c.want)
		}
	}
}

// The datasets of the examples, written again: every block but its compressed
// bytes is what Java and tensorstore wrote.
func TestBlocksHaveTheHeadersOfOtherWriters(t *testing.T) {
	files := archive(t)
	src := openArray(t, exampleStore(t, files, "n5", files["n5_java_pad_transposed/zarr.json"]), registry())
	r := registry()
	list, err := pad.N5().Codecs(r, json.RawMessage(`[`+little+`,"zstd"]`), dtype.MustParse("uint16"), []int{64, 64})
	if err != nil {
		t.Fatal(err)
	}
	pad.N5().Register(r)
	s, a := create(t, zarr.ArraySpec{Shape: []int{192, 192}, Chunks: []int{64, 64}, DataType: "uint16", Codecs: list,
		Keys: json.RawMessage(`{"name":"v2","configuration":{"separator":"/"}}`)}, r)
	part, err := zarr.Read[uint16](context.Background(), src, zarr.Select(zarr.Span(0, 192), zarr.Span(0, 192)))
	if err != nil {
		t.Fatal(err)
	}
	if err := zarr.Write(context.Background(), a, zarr.All(), part.Data); err != nil {
		t.Fatal(err)
	}
	for c := range a.Grid() {
		if got, want := get(t, s, c.Key), files["chunks-n5/"+c.Key]; !bytes.Equal(got[:12], want[:12]) {
			t.Errorf("block %s begins with %x, that of Java with %x", c.Key, got[:12], want[:12])
		}
	}
}

// Padding that is no header of a block with the axes of the chunk stays as it is.
func TestPaddingThatIsNoHeaderStays(t *testing.T) {
	r := registry()
	pad.N5().Register(r)
	for _, padding := range []string{
		"\x00\x00\x00\x02\x00\x00\x00\x09\x00\x00\x00\x09tail", "\x00\x00\x00\x01\x00\x00\x00\x09", "\x00\x01\x00\x02\x00\x00\x00\x09\x00\x00\x00\x09", "padding",
	} {
		list := fmt.Sprintf(`["bytes",{"name":"pad","configuration":{"location":"start","nbytes":%d,"padding":%q}}]`, len(padding), base64.StdEncoding.EncodeToString([]byte(padding)))
		s, a := create(t, zarr.ArraySpec{Shape: []int{1, 1}, Chunks: []int{1, 1}, DataType: "uint8", Codecs: json.RawMessage(list)}, r)
		if err := zarr.Write(context.Background(), a, zarr.All(), []uint8{7}); err != nil {
			t.Fatal(err)
		}
		if got := get(t, s, "c/0/0"); string(got) != padding+"\x07" {
			t.Errorf("%q became %q", padding, got)
		}
	}
}

func TestFormatsGoIntoShards(t *testing.T) {
	const shard = `[{"name":"sharding_indexed","configuration":{"chunk_shape":[16,16],"codecs":[` + little + `,"zstd"],"index_codecs":[` + little + `,"crc32c"]}}]`
	f, err := pad.ByName("tiff")
	if err != nil {
		t.Fatal(err)
	}
	r := registry()
	list, err := f.Codecs(r, json.RawMessage(shard), dtype.MustParse("uint16"), []int{32, 32})
	if err != nil {
		t.Fatal(err)
	}
	f.Register(r)
	s, a := create(t, zarr.ArraySpec{Shape: []int{32, 32}, Chunks: []int{32, 32}, DataType: "uint16", Codecs: list}, r)
	if err := zarr.Write(context.Background(), a, zarr.All(), counted(1024)); err != nil {
		t.Fatal(err)
	}
	data := get(t, s, "c/0/0")
	parts := bytes.Split(data, []byte("II*\x00"))[1:]
	if len(parts) != 4 {
		t.Fatalf("%d inner chunks begin as TIFF", len(parts))
	}
	if image := parseTIFF(t, append([]byte("II*\x00"), parts[0]...)); image.one(256) != 16 || image.one(279)+image.one(273) != uint64(len(parts[0])+4) {
		t.Errorf("%v", image.tags)
	}
}

func TestOtherPaddingIsLeftAlone(t *testing.T) {
	for _, name := range pad.Names() {
		f, err := pad.ByName(name)
		if err != nil {
			t.Fatal(err)
		}
		r := registry()
		f.Register(r)
		const eight = `{"name":"offset","configuration":{"offset":8,"prefix":"bm90IGFuIE4="}}` // as long as the header of N5
		s, a := create(t, zarr.ArraySpec{Shape: []int{4}, Chunks: []int{4}, DataType: "uint8", Codecs: json.RawMessage(`["bytes",` + header + `,` + footer + `,` + eight + `,` + prefix + `]`)}, r)
		if err := zarr.Write(context.Background(), a, zarr.All(), []uint8("data")); err != nil {
			t.Fatal(err)
		}
		if got := string(get(t, s, "c/0")); got != "\x00\x00\x00\x00\x00\x00\x00not an Nhead:data\x00\x00\x00" {
			t.Errorf("%s: %q", name, got)
		}
	}
	if _, err := pad.ByName("png"); err == nil || err.Error() != `no padding is called "png", only n5, tiff` {
		t.Error(err)
	}
}
