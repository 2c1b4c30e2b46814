package n5_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/codectest"
	"github.com/omnizarr/zarr/codec/std"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/fuzzlong"
	"github.com/omnizarr/zarr/internal/race"
	"github.com/omnizarr/zarr/nd"
)

// entry spells a codec whose blocks have only codecs of bytes.
func entry(name, codecs string) string {
	return fmt.Sprintf(`{"name":%q,"configuration":{"codecs":[%s]}}`, name, codecs)
}

// texts makes memory of strings in C order.
func texts(values []string, shape ...int) nd.View {
	v := nd.Make(nd.RefSize, shape...)
	v.Heap = &nd.Heap{}
	i := 0
	v.Each(func(elem []byte) {
		nd.PutRef(elem, v.Heap.Add([]byte(values[i])), 0, len(values[i]))
		i++
	})
	return v
}

// readTexts decodes strings, in C order.
func readTexts(b *codec.Bound, src codec.Source, box nd.Box) ([]string, error) {
	v := nd.Make(nd.RefSize, box.Shape...)
	v.Heap = &nd.Heap{}
	if err := b.Decode(context.Background(), chunk(nil), src, box, v); err != nil {
		return nil, err
	}
	out := []string{}
	v.Each(func(elem []byte) { out = append(out, string(v.Heap.Blobs().Value(elem))) })
	return out, nil
}

// bindVariable makes a chain for strings or bytes, whose fill value is in JSON.
func bindVariable(t testing.TB, codecs, typ, fill string, shape ...int) *codec.Bound {
	t.Helper()
	chain, err := std.Registry().ParseList(json.RawMessage("[" + codecs + "]"))
	if err != nil {
		t.Fatal(err)
	}
	spec := codec.Spec{Type: dtype.MustParse(typ), Shape: shape, Heap: &nd.Heap{}}
	if spec.Fill, err = spec.Type.ParseFill(json.RawMessage(fill), spec.Heap); err != nil {
		t.Fatal(err)
	}
	b, err := chain.Bind(spec)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The two blocks of a dataset that N5 4.0.0 for Java wrote.
var stringsByJava = map[string][]string{
	"00010001000000030000000d28b52ffd200d690000616c7068610000ceb265746100": {"alpha", "", "βeta"},
	"00010001000000020000000b28b52ffd200b590000d0b5d189d1910061096200":     {"ещё", "a\tb", "-"},
}

func TestStringsByJava(t *testing.T) {
	b := bindVariable(t, entry("omnizarr.n5_strings", `"zstd"`), "string", `"-"`, 3)
	for text, want := range stringsByJava {
		data := unhex(t, text)
		for _, src := range sources(data) {
			got, err := readTexts(b, src, nd.Whole([]int{3}))
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%s of %T: got %q, %v", text, src, got, err)
			}
		}
		extent := stored(data, 1)
		again, err := b.Encode(context.Background(), chunk(extent), nil, texts(want, 3))
		if err != nil || !bytes.HasPrefix(again, data[:12]) {
			t.Errorf("%s became %x, %v", text, again, err)
		}
	}
}

// The first axis runs fastest, and blocks are cut at the edge.
func TestStringsHaveTheOrderOfN5(t *testing.T) {
	b := bindVariable(t, entry("omnizarr.n5_strings", ""), "string", `"-"`, 2, 3)
	src := texts([]string{"a", "b", "c", "d", "", "f"}, 2, 3)
	for _, c := range []struct {
		extent []int
		want   string
		back   []string
	}{
		{nil, "\x00\x01\x00\x02\x00\x00\x00\x02\x00\x00\x00\x03\x00\x00\x00\x0ba\x00d\x00b\x00\x00c\x00f\x00", []string{"a", "b", "c", "d", "", "f"}},
		{[]int{2, 2}, "\x00\x01\x00\x02\x00\x00\x00\x02\x00\x00\x00\x02\x00\x00\x00\x07a\x00d\x00b\x00\x00", []string{"a", "b", "-", "d", "", "-"}},
		{[]int{0, 1}, "\x00\x01\x00\x02\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00\x02a\x00", []string{"a", "-", "-", "-", "-", "-"}},
	} {
		data, err := b.Encode(context.Background(), chunk(c.extent), nil, src)
		if err != nil || string(data) != c.want {
			t.Errorf("extent %v: got %q, %v", c.extent, data, err)
		}
		if got, err := readTexts(b, memory(data), nd.Whole([]int{2, 3})); err != nil || !slices.Equal(got, c.back) {
			t.Errorf("extent %v: got %q, %v", c.extent, got, err)
		}
		box := nd.Box{Start: []int{1, 1}, Shape: []int{1, 2}}
		if got, err := readTexts(b, &codectest.Source{Data: data}, box); err != nil || !slices.Equal(got, c.back[4:6]) {
			t.Errorf("extent %v: got %q, %v", c.extent, got, err)
		}
	}
	// A block that is longer than the chunk.
	long := "\x00\x01\x00\x02\x00\x00\x00\x03\x00\x00\x00\x01\x00\x00\x00\x06a\x00b\x00c\x00"
	if got, err := readTexts(b, memory([]byte(long)), nd.Whole([]int{2, 3})); err != nil || !slices.Equal(got, []string{"a", "-", "-", "b", "-", "-"}) {
		t.Errorf("got %q, %v", got, err)
	}
}

// escape is a codec for tests that replaces NUL, which the suite puts into
// strings and N5 does not have.
type escape struct{ spec codec.Spec }

func (escape) Name() string                                       { return "escape" }
func (escape) MarshalJSON() ([]byte, error)                       { return codec.MarshalEntry("escape", nil) }
func (escape) BindArray(in codec.Spec) (codec.ArrayFilter, error) { return escape{in}, nil }
func (e escape) Out() codec.Spec                                  { return e.spec }
func (escape) Needs(b nd.Box) nd.Box                              { return b }
func (escape) Encode(_ *codec.Chunk, dst, src nd.View) error      { replace(dst, src, 0, 1); return nil }
func (escape) Decode(_ *codec.Chunk, d nd.View, _ nd.Box, s nd.View) error {
	replace(d, s, 1, 0)
	return nil
}

func replace(dst, src nd.View, from, to byte) {
	blobs := src.Heap.Blobs()
	var values [][]byte
	src.Each(func(elem []byte) {
		values = append(values, bytes.ReplaceAll(blobs.Value(elem), []byte{from}, []byte{to}))
	})
	dst.Each(func(elem []byte) {
		nd.PutRef(elem, dst.Heap.Add(values[0]), 0, len(values[0]))
		values = values[1:]
	})
}

func TestStringsPassTheSuite(t *testing.T) {
	r := std.Registry()
	r.Register(func(*codec.Registry, string, json.RawMessage) (codec.Codec, error) { return escape{}, nil }, "escape")
	for _, c := range []codectest.Case{
		{Codecs: `["escape",` + entry("omnizarr.n5_strings", "") + `]`, Type: "string", Shape: []int{5, 6}, Fill: `"ß"`},
		{Codecs: `["escape",` + entry("omnizarr.n5_strings", `"zstd"`) + `]`, Type: "string", Shape: []int{2, 3, 4}},
		{Codecs: `["escape",` + entry("omnizarr.n5_strings", `"gzip"`) + `,"crc32c"]`, Type: "string", Shape: []int{7}},
		{Codecs: `["escape",` + entry("omnizarr.n5_strings", `"omnizarr.lz4_block"`) + `]`, Type: "string", Shape: nil, Fill: `"x"`},
	} {
		c.Registry = r
		t.Run(c.Name(), func(t *testing.T) { codectest.Run(t, c) })
	}
}

func TestStringsThatN5HasNot(t *testing.T) {
	b := bindVariable(t, entry("omnizarr.n5_strings", ""), "string", `""`, 1)
	for value, want := range map[string]string{"a\x00b": "has a NUL", "\xff": "not UTF-8"} {
		if _, err := b.Encode(context.Background(), chunk(nil), nil, texts([]string{value}, 1)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v", value, err)
		}
	}
}

func TestConfigurationsOfStringsAreRefused(t *testing.T) {
	for codecs, want := range map[string]string{
		`"omnizarr.n5_strings"`: "configuration lacks codecs",
		`{"name":"omnizarr.n5_strings","configuration":{"codecs":null}}`:             "must be an array",
		`{"name":"omnizarr.n5_strings","configuration":{"codecs":[],"level":1}}`:     `unknown member "level"`,
		entry("omnizarr.n5_strings", `"gzip","crc32c"`):                              "at most one codec of bytes",
		entry("omnizarr.n5_strings", `"bytes"`):                                      "codec bytes does not turn bytes into bytes",
		entry("omnizarr.n5_strings", `"brotli"`):                                     "codec brotli: unknown codec",
		entry("omnizarr.n5_strings", `7`):                                            "must be a name or an object",
		entry("omnizarr.n5_strings", `{"name":"gzip","configuration":{"level":77}}`): "level",
	} {
		if _, err := std.Registry().ParseList(json.RawMessage("[" + codecs + "]")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", codecs, err, want)
		}
	}
	for typ, fill := range map[string]string{"uint8": "0", "bytes": `""`} {
		if _, err := bind(entry("omnizarr.n5_strings", ""), typ, fill, 2); err == nil || !strings.Contains(err.Error(), "cannot write "+typ) {
			t.Errorf("%s: got %v", typ, err)
		}
	}
}

func TestHostileStrings(t *testing.T) {
	const header = "0001 0002 00000002 00000001 "
	for _, c := range []struct{ what, data, want string }{
		{"nothing", "", "0 bytes are too few"},
		{"no count", header, "12 bytes are too few for the 16"},
		{"default", "0000 0002 00000002 00000001 61006200", "the block has mode 0 (default): strings have mode 1 (varlength)"},
		{"object", "0002 00000004 61006200", "the block has mode 2 (object): strings have mode 1 (varlength)"},
		{"unknown mode", "0007 0002 00000002 00000001 00000004 61006200", "mode 7, which N5 does not know"},
		{"dimensions", "0001 0001 00000002 00000004 61006200", "1 dimensions, the array has 2"},
		{"empty", "0001 0002 00000002 00000000 00000000", "0 long along axis 1"},
		{"count too large", header + "00000005 61006200", "has 4 bytes of strings, its header says 5"},
		{"count too small", header + "00000003 61006200", "4 bytes follow the header of the block, at most 3 are possible"},
		{"very large count", header + "ffffffff 61006200", "has 4 bytes of strings, its header says 4294967295"},
		{"a string too few", header + "00000003 616200", "the block ends in string 1 of 2"},
		{"a string too many", header + "00000003 000000", "1 bytes follow the last of 2 strings"},
		{"no NUL at the end", header + "00000003 610062", "the block ends in string 1 of 2"},
		{"not UTF-8", header + "00000004 6100ff00", "not UTF-8 from byte 2 on"},
		{"too many strings", "0001 0002 00001000 00000008 00000004 61006200", "4 bytes are too few for the 32768 strings"},
		{"far too long", "0001 0002 ffffffff ffffffff 00000004 61006200", "more than 1048576 bytes of elements are not read"},
	} {
		data := unhex(t, strings.ReplaceAll(c.data, " ", ""))
		b := bindVariable(t, entry("omnizarr.n5_strings", ""), "string", `""`, 2, 1)
		for _, src := range sources(data) {
			got, err := readTexts(b, src, nd.Whole([]int{2, 1}))
			if !errors.Is(err, codec.ErrData) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s of %T: got %q, %v, want %q", c.what, src, got, err, c.want)
			}
		}
	}
}

// Values refer to the bytes of a block that is not compressed, which are kept then.
func TestBytesThatValuesReferToAreKept(t *testing.T) {
	for _, c := range []struct {
		name, typ, codecs string
		want              bool
	}{
		{"omnizarr.n5_strings", "string", "", true}, {"omnizarr.n5_strings", "string", `"gzip"`, false},
		{"omnizarr.n5_blocks", "bytes", "", true}, {"omnizarr.n5_blocks", "bytes", `"gzip"`, false},
	} {
		b := bindVariable(t, entry(c.name, c.codecs), c.typ, `""`, 1)
		data, err := b.Encode(context.Background(), chunk(nil), nil, texts([]string{"text"}, 1))
		if err != nil {
			t.Fatal(err)
		}
		m := memory(data)
		if got, err := readTexts(b, m, nd.Whole([]int{1})); err != nil || got[0] != "text" || m.Kept() != c.want {
			t.Errorf("%s with %s: got %q, %v, kept %v", c.name, c.codecs, got, err, m.Kept())
		}
	}
}

// A count is only a number.
func TestALargeCountAllocatesNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("counts allocations")
	}
	packed := unhex(t, "000100010000000100000000")
	for _, c := range []string{"", `"zstd"`, `"gzip"`, `"numcodecs.bz2"`, `"omnizarr.lz4_block"`, `"blosc"`} {
		b := bindVariable(t, entry("omnizarr.n5_strings", c), "string", `""`, 1)
		good, err := b.Encode(context.Background(), chunk(nil), nil, texts([]string{"a"}, 1))
		if err != nil {
			t.Fatal(err)
		}
		copy(packed[8:], "\xff\xff\xff\xff")
		copy(good, packed)
		ck := chunk(nil)
		ck.Limits.MaxChunk = 1 << 33
		var before, after runtime.MemStats
		v := nd.Make(nd.RefSize, 1)
		v.Heap = &nd.Heap{}
		runtime.ReadMemStats(&before)
		err = b.Decode(context.Background(), ck, memory(good), nd.Whole([]int{1}), v)
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; err == nil || n > 4<<20 {
			t.Errorf("%s: %d bytes allocated, %v", c, n, err)
		}
	}
}

func FuzzDecodeStrings(f *testing.F) {
	for text := range stringsByJava {
		f.Add(unhex(f, text))
	}
	f.Add([]byte("\x00\x01\x00\x01\x00\x00\x00\x03\x00\x00\x00\x06a\x00b\x00c\x00"))
	f.Add([]byte("\x00\x01\x00\x01\x00\x00\x00\x05\x00\x00\x00\x05\x00\x00\x00\x00\x00"))
	f.Add([]byte("\x00\x01\x00\x01\xff\xff\xff\xff\xff\xff\xff\xff\x00"))
	plain := bindVariable(f, entry("omnizarr.n5_strings", ""), "string", `"-"`, 3)
	packed := bindVariable(f, entry("omnizarr.n5_strings", `"zstd"`), "string", `"-"`, 3)
	fuzzlong.Fuzz(f, func(t *testing.T, data []byte) {
		_, _ = readTexts(packed, memory(data), nd.Whole([]int{3}))
		values, err := readTexts(plain, memory(data), nd.Whole([]int{3}))
		if err != nil {
			return
		}
		part, err := readTexts(plain, &codectest.Source{Data: data}, nd.Box{Start: []int{1}, Shape: []int{2}})
		if err != nil || !slices.Equal(part, values[1:]) {
			t.Fatalf("a part is not that of the whole: %q, %v", part, err)
		}
		if n := stored(data, 1); n[0] <= 3 {
			again, err := plain.Encode(context.Background(), chunk(n), nil, texts(values, 3))
			if err != nil || !bytes.Equal(again, data) {
				t.Fatalf("%x became %x, %v", data, again, err)
			}
		}
	})
}
