package categorize_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/categorize"
	"github.com/omnizarr/zarr/codec/codectest"
	"github.com/omnizarr/zarr/codec/internal/basic"
	"github.com/omnizarr/zarr/codec/zstd"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/alloctest"
	"github.com/omnizarr/zarr/internal/fuzzlong"
	"github.com/omnizarr/zarr/nd"
)

var utf6 = dtype.MustParse(`{"name":"fixed_length_utf32","configuration":{"length_bytes":24}}`)

// words is a codec for tests that writes numbers as words, so that random numbers
// become labels.
type words struct{}

func (words) Name() string                 { return "words" }
func (words) MarshalJSON() ([]byte, error) { return codec.MarshalEntry("words", nil) }

func (words) BindArray(in codec.Spec) (codec.ArrayFilter, error) {
	f := spelling{codec.Spec{Type: utf6, Shape: in.Shape, Fill: make([]byte, 24)}}
	return f, f.Encode(nil, nd.Of(f.out.Fill, 24), nd.Of(in.Fill, 1))
}

type spelling struct{ out codec.Spec }

func (f spelling) Out() codec.Spec       { return f.out }
func (f spelling) Needs(b nd.Box) nd.Box { return b }

func word(n byte) string { return fmt.Sprintf("w%dß", n) }

func (f spelling) Encode(_ *codec.Chunk, dst, src nd.View) error {
	return pairs(src, dst, func(n, elem []byte) error {
		text, err := json.Marshal(word(n[0]))
		if err != nil {
			return err
		}
		value, err := utf6.ParseFill(text, nil)
		copy(elem, value)
		return err
	})
}

func (f spelling) Decode(_ *codec.Chunk, dst nd.View, _ nd.Box, src nd.View) error {
	return pairs(dst, src, func(n, elem []byte) error {
		text, err := utf6.AppendValue(nil, elem, nil)
		if err != nil {
			return err
		}
		if _, err := fmt.Sscanf(string(text), `"w%dß"`, &n[0]); err != nil {
			return codec.Bad("%s is no word", text)
		}
		return nil
	})
}

func pairs(a, b nd.View, f func(a, b []byte) error) error {
	idx := make([]int, len(a.Shape))
	for {
		if err := f(a.At(idx...), b.At(idx...)); err != nil || !nd.Next(idx, a.Shape) {
			return err
		}
	}
}

func registry() *codec.Registry {
	r := basic.Registry()
	r.Register(zstd.Parse, "zstd")
	r.Register(categorize.Parse, "numcodecs.categorize")
	r.Register(func(*codec.Registry, string, json.RawMessage) (codec.Codec, error) { return words{}, nil }, "words")
	return r
}

const little = `{"name":"bytes","configuration":{"endian":"little"}}`

func entry(typ, as string) string {
	var labels []string
	for n := range 256 {
		labels = append(labels, word(byte(n)))
	}
	list, _ := json.Marshal(labels)
	return `{"name":"numcodecs.categorize","configuration":{"labels":` + string(list) + `,"dtype":"` + typ + `","astype":"` + as + `"}}`
}

func sharded(chunk string) string {
	return `{"name":"sharding_indexed","configuration":{"chunk_shape":` + chunk + `,"codecs":[` + little + `],"index_codecs":[` + little + `,"crc32c"]}}`
}

func TestCategorizePassesTheSuite(t *testing.T) {
	for name, c := range map[string]codectest.Case{
		"two bytes":   {Codecs: `["words",` + entry("<U6", "<u2") + `,` + little + `]`, Type: "uint8", Shape: []int{5, 6}, Fill: "9"},
		"eight bytes": {Codecs: `["words",` + entry("<U6", ">i8") + `,` + little + `,"zstd"]`, Type: "uint8", Shape: []int{5, 6}},
		"shard":       {Codecs: `["words",` + entry("<U6", "<i4") + `,` + sharded("[2,3]") + `]`, Type: "uint8", Shape: []int{4, 6}, Fill: "7"},
	} {
		c.Registry = registry()
		t.Run(name, func(t *testing.T) { codectest.Run(t, c) })
	}
}

// TestTextOfAnyLength reads and changes parts of chunks whose elements refer to
// labels. The suite would draw text that is none.
func TestTextOfAnyLength(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	typ, ctx := dtype.MustParse("string"), context.Background()
	ck := &codec.Chunk{Limits: &codec.Limits{MaxChunk: 1 << 20, KeepEmpty: true}}
	for _, last := range []string{little, sharded("[2,3]")} {
		chain, err := registry().ParseList(json.RawMessage(`[` + entry("|O", "<u2") + `,` + last + `]`))
		if err != nil {
			t.Fatal(err)
		}
		shape, heap := []int{4, 6}, &nd.Heap{}
		fill, _ := typ.ParseFill(json.RawMessage(`"w7ß"`), heap)
		b, err := chain.Bind(codec.Spec{Type: typ, Shape: shape, Fill: fill, Heap: heap})
		if err != nil {
			t.Fatal(err)
		}
		var data []byte
		model := slices.Repeat([]string{"w7ß"}, 24)
		for range 50 {
			box := nd.Box{Start: []int{r.IntN(4), r.IntN(6)}, Shape: []int{1, 1}}
			box.Shape = []int{1 + r.IntN(4-box.Start[0]), 1 + r.IntN(6-box.Start[1])}
			part := nd.Make(nd.RefSize, box.Shape...)
			part.Heap = &nd.Heap{}
			for i := range part.Len() {
				row, col := i/box.Shape[1], i%box.Shape[1]
				text := word(byte(r.Uint32()))
				model[(box.Start[0]+row)*6+box.Start[1]+col] = text
				nd.PutRef(part.At(row, col), part.Heap.Add([]byte(text)), 0, len(text))
			}
			var old codec.Source
			if data != nil {
				old = &codec.Memory{Bytes: data}
			}
			if data, err = b.Update(ctx, ck, nil, old, box, part); err != nil {
				t.Fatal(err)
			}
			got := nd.View{Data: make([]byte, 2*24*nd.RefSize), Size: nd.RefSize, Shape: shape, Strides: []int{nd.RefSize, 8 * nd.RefSize}, Heap: &nd.Heap{}}
			if err := b.Decode(ctx, ck, &codectest.Source{Data: data}, nd.Whole(shape), got); err != nil {
				t.Fatal(err)
			}
			var text []string
			got.Each(func(elem []byte) { text = append(text, string(got.Heap.Blobs().Value(elem))) })
			if !slices.Equal(text, model) {
				t.Fatalf("got %q, want %q", text, model)
			}
		}
	}
}

func bind(t testing.TB, config, typ, fill string) (codec.Transform, dtype.Type, error) {
	t.Helper()
	c, err := categorize.Parse(nil, "numcodecs.categorize", json.RawMessage(config))
	if err != nil {
		t.Fatal(err)
	}
	in := dtype.MustParse(typ)
	heap := &nd.Heap{}
	elem, err := in.ParseFill(json.RawMessage(fill), heap)
	if err != nil {
		t.Fatal(err)
	}
	f, err := c.(codec.ArrayToArray).BindArray(codec.Spec{Type: in, Shape: []int{1}, Fill: elem, Heap: heap})
	if err != nil {
		return nil, nil, err
	}
	return f.(codec.Transform), in, nil
}

const utf5 = `{"name":"fixed_length_utf32","configuration":{"length_bytes":20}}`

// The numbers and text are those of numcodecs 0.17.1.
func TestAgreesWithNumcodecs(t *testing.T) {
	for _, c := range []struct {
		config, typ string
		in          []string
		codes       []byte
		out         []string
	}{
		{`{"labels":["female","male"],"dtype":"|O","astype":"|u1"}`, "string",
			[]string{"male", "female", "female", "male", ""}, []byte{2, 1, 1, 2, 0}, []string{"male", "female", "female", "male", ""}},
		{`{"labels":["blue","green","red"],"dtype":"<U5","astype":"|u1"}`, utf5,
			[]string{"red", "blue", "green", ""}, []byte{3, 1, 2, 0}, []string{"red", "blue", "green", ""}},
		// Labels that are longer than the type, and equal ones.
		{`{"labels":["greenish","green","a","a"],"dtype":"<U5","astype":"|i1"}`, utf5,
			[]string{"green", "a", ""}, []byte{2, 4, 0}, []string{"green", "a", ""}},
		{`{"labels":["","x"],"dtype":"|O"}`, "string", []string{"", "x"}, []byte{1, 2}, []string{"", "x"}},
		{`{"labels":[],"dtype":"|O","astype":"|u1"}`, "string", []string{"", ""}, []byte{0, 0}, []string{"", ""}},
	} {
		f, typ, err := bind(t, c.config, c.typ, `""`)
		if err != nil {
			t.Fatal(err)
		}
		src := text(t, typ, c.in...)
		codes := nd.Make(1, len(c.in))
		if err := f.Encode(nil, codes, src); err != nil || !slices.Equal(codes.Data, c.codes) {
			t.Errorf("%s: %q became %v, %v, want %v", c.config, c.in, codes.Data, err, c.codes)
		}
		if got := decode(t, f, typ, codes); !slices.Equal(got, c.out) {
			t.Errorf("%s: %v became %q, want %q", c.config, codes.Data, got, c.out)
		}
	}
}

// text is elements of a type of text.
func text(t testing.TB, typ dtype.Type, in ...string) nd.View {
	t.Helper()
	out := nd.Make(typ.Size(), len(in))
	out.Heap = &nd.Heap{}
	for i, s := range in {
		raw, _ := json.Marshal(s)
		elem, err := typ.ParseFill(raw, out.Heap)
		if err != nil {
			t.Fatal(err)
		}
		copy(out.At(i), elem)
	}
	return out
}

// What numcodecs loses in silence is an error; a fill value that is no label does not
// keep an array from being read.
func TestTextThatIsNoLabelIsNotLost(t *testing.T) {
	long := strings.Repeat("ß", 50)
	for _, c := range []struct{ labels, dtype, typ, lost, told string }{
		{`["a"]`, "|O", "string", "b", `"b" is none of the 1 labels, and would be lost`},
		{`["a"]`, "|O", "string", long, `"` + long[:80] + `…" is none`},
		{`["a","greenish"]`, "<U5", utf5, "green", `"green" is none of the 2 labels`},
		{`["a"]`, "<U5", utf5, "b", `"b" is none`},
	} {
		f, typ, err := bind(t, `{"labels":`+c.labels+`,"dtype":"`+c.dtype+`","astype":"|u1"}`, c.typ, `"none"`)
		if err != nil {
			t.Fatal(err)
		}
		err = f.Encode(nil, nd.Make(1, 3), text(t, typ, "a", "", c.lost))
		if err == nil || !strings.Contains(err.Error(), c.told) {
			t.Errorf("%q with %s: %v", c.lost, c.labels, err)
		}
		if fill := f.Out().Fill; fill[0] != 0 {
			t.Errorf("the fill value became %v", fill)
		}
	}
}

func decode(t testing.TB, f codec.Transform, typ dtype.Type, codes nd.View) []string {
	t.Helper()
	dst := nd.Make(typ.Size(), codes.Shape...)
	for i := range dst.Data {
		dst.Data[i] = 0xa5
	}
	dst.Heap = &nd.Heap{}
	if err := f.Decode(nil, dst, nd.Whole(codes.Shape), codes); err != nil {
		t.Fatal(err)
	}
	if n := len(dst.Heap.Blobs()); n > 1 {
		t.Errorf("%d blobs", n)
	}
	out := []string{}
	dst.Each(func(elem []byte) {
		raw, err := typ.AppendValue(nil, elem, dst.Heap.Blobs())
		var s string
		if err == nil {
			err = json.Unmarshal(raw, &s)
		}
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	})
	return out
}

// In numcodecs, too, a label that is too long for the type is cut, and a number
// beyond the labels is no text.
func TestNumbersWithoutAText(t *testing.T) {
	f, typ, err := bind(t, `{"labels":["greenish","a"],"dtype":"<U5","astype":"<i4"}`, utf5, `"a"`)
	if err != nil {
		t.Fatal(err)
	}
	if fill := f.Out().Fill; binary.LittleEndian.Uint32(fill) != 2 {
		t.Errorf("the fill value is %v", fill)
	}
	codes := nd.Make(4, 6)
	for i, n := range []int32{1, 2, 3, -1, 1 << 30, -1 << 31} {
		binary.LittleEndian.PutUint32(codes.At(i), uint32(n))
	}
	if got := decode(t, f, typ, codes); !slices.Equal(got, []string{"green", "a", "", "", "", ""}) {
		t.Errorf("got %q", got)
	}
}

func TestMetadata(t *testing.T) {
	for in, want := range map[string]string{
		`{"labels":["a"],"dtype":"|O","astype":"|u1"}`:  `{"labels":["a"],"dtype":"|O","astype":"|u1"}`,
		`{"labels":[],"dtype":"object","astype":"u2"}`:  `{"labels":[],"dtype":"|O","astype":"<u2"}`,
		`{"labels":["é"],"dtype":">U3","astype":">i4"}`: `{"labels":["é"],"dtype":">U3","astype":">i4"}`,
		`{"labels":["a"],"dtype":"<U3"}`:                `{"labels":["a"],"dtype":"<U3","astype":"|u1"}`,
	} {
		c, err := categorize.Parse(nil, "numcodecs.categorize", json.RawMessage(in))
		if err != nil {
			t.Errorf("%s: %v", in, err)
			continue
		}
		if raw, err := c.MarshalJSON(); err != nil || string(raw) != `{"name":"numcodecs.categorize","configuration":`+want+`}` {
			t.Errorf("%s became %s, %v", in, raw, err)
		}
	}
	for in, want := range map[string]string{
		`{"dtype":"|O"}`:                               "lacks labels",
		`{"labels":["a"]}`:                             "lacks dtype",
		`{"labels":["a"],"dtype":"<i4"}`:               "int32 is no type of text",
		`{"labels":["a"],"dtype":"|O","astype":"<f4"}`: "must be an integer",
		`{"labels":["a"],"dtype":"|O","astype":"|O"}`:  "astype",
		`{"labels":["a"],"dtype":"|O","as":"|O"}`:      "unknown member",
		`{"labels":"a","dtype":"|O"}`:                  "configuration",
		`{"labels":["` + strings.Repeat(`a","`, 127) + `"],"dtype":"|O","astype":"|i1"}`: "128 labels, int8 counts up to 127",
	} {
		if _, err := categorize.Parse(nil, "", json.RawMessage(in)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", in, err)
		}
	}
	for _, c := range []struct{ config, typ, fill string }{
		{`{"labels":["a"],"dtype":"|O"}`, "uint8", "0"},
		{`{"labels":["a"],"dtype":"|O"}`, utf5, `""`},
		{`{"labels":["a"],"dtype":"<U3"}`, utf5, `""`},
		{`{"labels":["a"],"dtype":"<U5"}`, "string", `""`},
	} {
		if _, _, err := bind(t, c.config, c.typ, c.fill); err == nil {
			t.Errorf("%s was taken for %s", c.typ, c.config)
		}
	}
}

// A type of many code points and many labels must not be multiplied.
func TestLabelsTakeTheMemoryOfTheirText(t *testing.T) {
	labels := strings.Repeat(`"a",`, 9999) + `"a"`
	const wide = `{"name":"fixed_length_utf32","configuration":{"length_bytes":4000000}}`
	if n := alloctest.Bytes(func() {
		if _, _, err := bind(t, `{"labels":[`+labels+`],"dtype":"<U1000000","astype":"<u2"}`, wide, `""`); err != nil {
			t.Fatal(err)
		}
	}); n > 64<<20 {
		t.Errorf("%d bytes", n)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3}, []byte("label"))
	f.Add([]byte{255, 0, 128, 1}, []byte{})
	fuzzlong.Fuzz(f, func(t *testing.T, data, text []byte) {
		label, _ := json.Marshal(string(text))
		for _, c := range []struct{ typ, name string }{{"|O", "string"}, {"<U5", utf5}} {
			fl, typ, err := bind(t, `{"labels":["x",`+string(label)+`],"dtype":"`+c.typ+`","astype":"<i2"}`, c.name, `""`)
			if err != nil {
				t.Fatal(err)
			}
			n := len(data) / 2
			decode(t, fl, typ, nd.Of(slices.Clone(data[:2*n]), 2, n))
		}
	})
}
