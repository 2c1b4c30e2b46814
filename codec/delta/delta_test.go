package delta_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/codectest"
	"github.com/omnizarr/zarr/codec/delta"
	"github.com/omnizarr/zarr/codec/internal/basic"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/fuzzlong"
	"github.com/omnizarr/zarr/nd"
)

func registry() *codec.Registry { return basic.With(delta.Parse, delta.Name) }

func chain(config, rest string) string {
	return fmt.Sprintf(`[{"name":"numcodecs.delta","configuration":%s},%s]`, config, rest)
}

const little = `{"name":"bytes","configuration":{"endian":"little"}}`

func TestDeltaPassesTheSuite(t *testing.T) {
	shard := `{"name":"sharding_indexed","configuration":{"chunk_shape":[2,3],"codecs":[` + little + `],"index_codecs":[` + little + `,"crc32c"]}}`
	for _, c := range []codectest.Case{
		{Codecs: chain(`{"dtype":"|u1"}`, `"bytes"`), Type: "uint8", Shape: []int{5, 6}, Fill: "9"},
		{Codecs: chain(`{"dtype":"|i1","astype":"<i8"}`, little), Type: "int8", Shape: []int{40}},
		{Codecs: chain(`{"dtype":"<u2","astype":"<u2"}`, little), Type: "uint16", Shape: []int{3, 4, 5}},
		{Codecs: chain(`{"dtype":">i4"}`, `{"name":"bytes","configuration":{"endian":"big"}},"crc32c"`), Type: "int32", Shape: []int{4, 1, 20}, Fill: "-5"},
		{Codecs: chain(`{"dtype":"<i4","astype":"<i8"}`, little), Type: "int32", Shape: []int{1, 1, 30}},
		{Codecs: chain(`{"dtype":"<u8","astype":"<i8"}`, little), Type: "uint64", Shape: []int{1, 9, 7}},
		{Codecs: chain(`{"dtype":"<u8"}`, little), Type: "int64", Shape: nil, Fill: "7"},
		{Codecs: chain(`{"dtype":"<i4"}`, shard), Type: "int32", Shape: []int{4, 6}, Fill: "5"},
		{Codecs: chain(`{"dtype":"<i8"}`, little), Type: `{"name":"numpy.datetime64","configuration":{"unit":"ns","scale_factor":1}}`, Shape: []int{6, 20}},
		{Codecs: `[{"name":"transpose","configuration":{"order":[1,0]}},` + chain(`{"dtype":"<i2"}`, little)[1:], Type: "int16", Shape: []int{20, 18}},
		{Codecs: chain(`{"dtype":"<i2"}`, `{"name":"numcodecs.delta","configuration":{"dtype":"<i2"}},`+little), Type: "int16", Shape: []int{20, 18}},
	} {
		c.Registry = registry()
		t.Run(c.Name(), func(t *testing.T) { codectest.Run(t, c) })
	}
}

// The vectors were made by numcodecs 0.17.1 with NumPy 2.5.4. They are met bit by
// bit, floats too: differences and sums are taken one after the other.
func TestWhatNumcodecsMade(t *testing.T) { codectest.Golden(t, "testdata/numcodecs.json.gz") }

func TestConfigurationsAreRefused(t *testing.T) {
	for _, c := range []struct{ config, typ, want string }{
		{`{}`, "int32", "lacks dtype"},
		{`{"dtype":null}`, "int32", "dtype"},
		{`{"dtype":"<f8"}`, "int32", "dtype is float64, but the elements are int32"},
		{`{"dtype":"<f4"}`, "int32", "dtype is float32, but the elements are int32"},
		{`{"dtype":"<i4"}`, "float32", "dtype is int32, but the elements are float32"},
		{`{"dtype":"<i8"}`, "int32", "dtype is int64"},
		{`{"dtype":"|b1"}`, "bool", "cannot take differences of bool"},
		{`{"dtype":"|i1"}`, "int4", "dtype is int8"},
		{`{"dtype":"<M8[ns]"}`, `{"name":"numpy.datetime64","configuration":{"unit":"ns","scale_factor":1}}`, "cannot take differences"},
		{`{"dtype":"<m8[s]","astype":"<i8"}`, `{"name":"numpy.timedelta64","configuration":{"unit":"s","scale_factor":1}}`, "as int64"},
		{`{"dtype":"<i4","astype":"|b1"}`, "int32", "as bool"},
		{`{"dtype":"<c8","astype":"<f4"}`, "complex64", "as float32"},
		{`{"dtype":"|S4"}`, `{"name":"null_terminated_bytes","configuration":{"length_bytes":4}}`, "cannot take differences"},
		{`{"dtype":"<i4","more":1}`, "int32", `unknown member "more"`},
		{`{"dtype":"nonsense"}`, "int32", "dtype"},
	} {
		codectest.Refused(t, delta.Name, c.config, c.typ, c.want)
	}
}

func TestMetadataHasBothTypes(t *testing.T) {
	for config, want := range map[string]string{
		`{"dtype":"<i4"}`:                  `{"dtype":"<i4","astype":"<i4"}`,
		`{"dtype":"<i4","astype":null}`:    `{"dtype":"<i4","astype":"<i4"}`,
		`{"dtype":">i4","astype":"i2"}`:    `{"dtype":">i4","astype":"<i2"}`,
		`{"dtype":"int32","astype":"=u1"}`: `{"dtype":"<i4","astype":"|u1"}`,
	} {
		k, err := registry().Parse(codec.Entry{Name: delta.Name, Config: json.RawMessage(config)})
		if err != nil {
			t.Fatal(err)
		}
		got, err := json.Marshal(k)
		if err != nil || plain(got) != `{"name":"numcodecs.delta","configuration":`+want+`}` {
			t.Errorf("%s became %s, %v", config, got, err)
		}
	}
}

// plain undoes the escapes that encoding/json likes.
func plain(text []byte) string {
	return strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(string(text))
}

// numcodecs refuses this too, unless the type has no sign: then what it writes
// is lost.
func TestTheFirstElementMustFit(t *testing.T) {
	f, err := codectest.Bind(delta.Name, `{"dtype":"<i4","astype":"<i2"}`, codec.Spec{Type: dtype.MustParse("int32"), Shape: []int{1}, Fill: make([]byte, 4)})
	if err != nil {
		t.Fatal(err)
	}
	err = f.Encode(nil, nd.Make(2, 1), nd.Of([]byte{0, 0, 1, 0}, 4, 1))
	if err == nil || !strings.Contains(err.Error(), "does not fit int16") {
		t.Errorf("got %v", err)
	}
}

// To decode a box takes all before its last element, and a box holds them.
func TestNeedsReachFromTheStart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shape := rapid.SliceOfN(rapid.IntRange(1, 4), 0, 4).Draw(t, "shape")
		f, err := codectest.Bind(delta.Name, `{"dtype":"|u1"}`, codec.Spec{Type: dtype.MustParse("uint8"), Shape: shape, Fill: []byte{0}})
		if err != nil {
			t.Fatal(err)
		}
		b := nd.Box{Start: make([]int, len(shape)), Shape: make([]int, len(shape))}
		last := make([]int, len(shape))
		for i, n := range shape {
			b.Start[i] = rapid.IntRange(0, n-1).Draw(t, "start")
			b.Shape[i] = rapid.IntRange(1, n-b.Start[i]).Draw(t, "length")
			last[i] = b.Start[i] + b.Shape[i] - 1
		}
		need := f.Needs(b)
		if err := need.Check(shape); err != nil {
			t.Fatal(err)
		}
		idx := make([]int, len(shape))
		for {
			for i, k := range idx {
				if k < need.Start[i] || k >= need.Start[i]+need.Shape[i] {
					t.Fatalf("%v+%v of %v needs %v, which lacks %v", b.Start, b.Shape, shape, need, idx)
				}
			}
			if slices.Equal(idx, last) || !nd.Next(idx, shape) {
				break
			}
		}
	})
}

func TestSumsOfBytesWrapAround(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := rapid.SliceOfN(rapid.Byte(), 1, 70).Draw(t, "bytes")
		f, err := codectest.Bind(delta.Name, `{"dtype":"|u1"}`, codec.Spec{Type: dtype.MustParse("uint8"), Shape: []int{len(src)}, Fill: []byte{0}})
		if err != nil {
			t.Fatal(err)
		}
		got := nd.Make(1, len(src))
		if err := f.Decode(nil, got, nd.Whole([]int{len(src)}), nd.Of(src, 1, len(src))); err != nil {
			t.Fatal(err)
		}
		sum := byte(0)
		for i, x := range src {
			if sum += x; got.Data[i] != sum {
				t.Fatalf("sum %d is %d, want %d", i, got.Data[i], sum)
			}
		}
	})
}

func FuzzDecode(f *testing.F) {
	types := []struct{ name, config string }{
		{"uint8", `{"dtype":"|u1"}`}, {"int32", `{"dtype":"<i4","astype":"<i2"}`}, {"float32", `{"dtype":"<f4","astype":"<f2"}`},
		{"uint16", `{"dtype":"<u2","astype":"<f8"}`}, {"complex64", `{"dtype":"<c8"}`}, {"float16", `{"dtype":"<f2","astype":"<u4"}`},
	}
	f.Add(uint8(0), []byte("differences of bytes"))
	f.Add(uint8(1), binary.LittleEndian.AppendUint64(nil, 0x0102030405060708))
	f.Add(uint8(3), binary.LittleEndian.AppendUint64(nil, 0x7ff8000000000000))
	fuzzlong.Fuzz(f, func(t *testing.T, kind uint8, data []byte) {
		c := types[int(kind)%len(types)]
		typ := dtype.MustParse(c.name)
		out, err := codectest.Bind(delta.Name, c.config, codec.Spec{Type: typ, Shape: []int{1}, Fill: make([]byte, typ.Size())})
		if err != nil {
			t.Fatal(err)
		}
		size := out.Out().Type.Size()
		shape := []int{len(data) / size / 2, 2}
		filter, err := codectest.Bind(delta.Name, c.config, codec.Spec{Type: typ, Shape: shape, Fill: make([]byte, typ.Size())})
		if err != nil {
			t.Fatal(err)
		}
		src := nd.Of(data[:shape[0]*2*size], size, shape...)
		if err := filter.Decode(nil, nd.Make(typ.Size(), shape...), nd.Whole(shape), src); err != nil {
			t.Fatal(err)
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	for _, c := range []struct{ name, config string }{
		{"uint8", `{"dtype":"|u1"}`}, {"int32", `{"dtype":"<i4"}`}, {"int32", `{"dtype":"<i4","astype":"<i2"}`}, {"float64", `{"dtype":"<f8"}`}, {"float16", `{"dtype":"<f2"}`},
	} {
		b.Run(c.name+c.config, func(b *testing.B) {
			typ, shape := dtype.MustParse(c.name), []int{256, 1024}
			f, err := codectest.Bind(delta.Name, c.config, codec.Spec{Type: typ, Shape: shape, Fill: make([]byte, typ.Size())})
			if err != nil {
				b.Fatal(err)
			}
			src, dst := nd.Make(f.Out().Type.Size(), shape...), nd.Make(typ.Size(), shape...)
			b.SetBytes(int64(len(dst.Data)))
			b.ReportAllocs()
			for b.Loop() {
				if err := f.Decode(nil, dst, nd.Whole(shape), src); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func Example() {
	list, err := registry().ParseList(json.RawMessage(`[{"name": "numcodecs.delta", "configuration": {"dtype": "|u1"}}, "bytes"]`))
	if err != nil {
		fmt.Println(err)
		return
	}
	bound, err := list.Bind(codec.Spec{Type: dtype.MustParse("uint8"), Shape: []int{5}, Fill: []byte{0}})
	if err != nil {
		fmt.Println(err)
		return
	}
	ck := &codec.Chunk{Limits: &codec.Limits{MaxChunk: 1 << 20}}
	out, err := bound.Encode(context.Background(), ck, nil, nd.Of([]byte{100, 102, 104, 107, 108}, 1, 5))
	fmt.Println(out, err)
	// Output: [100 2 2 3 1] <nil>
}
