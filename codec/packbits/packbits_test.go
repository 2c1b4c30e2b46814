package packbits_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/codectest"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/fuzzlong"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/nd"
)

const (
	plain = `["packbits"]`
	first = `[{"name":"packbits","configuration":{"padding_encoding":"first_byte"}}]`
	last  = `[{"name":"packbits","configuration":{"padding_encoding":"last_byte"}}]`
	older = `["numcodecs.packbits","bytes"]`
)

func TestPackbitsPassesTheSuite(t *testing.T) {
	for _, c := range []codectest.Case{
		{Codecs: plain, Type: "bool", Shape: []int{33}, Fill: "true"},
		{Codecs: first, Type: "bool", Shape: []int{5, 7, 3}},
		{Codecs: last, Type: "bool", Shape: []int{2, 1100}},
		{Codecs: plain, Type: "int2", Shape: []int{5, 6, 7}, Fill: "-2"},
		{Codecs: first, Type: "uint2", Shape: []int{70}},
		{Codecs: last, Type: "int4", Shape: []int{4, 5}, Fill: "-3"},
		{Codecs: plain, Type: "uint4", Shape: []int{13, 17}},
		{Codecs: plain, Type: "float4_e2m1fn", Shape: []int{21}},
		{Codecs: first, Type: "float6_e2m3fn", Shape: []int{3, 5, 7}},
		{Codecs: last, Type: "float6_e3m2fn", Shape: []int{8, 9}},
		{Codecs: plain, Type: "complex_float4_e2m1fn", Shape: []int{11}},
		{Codecs: first, Type: "complex_float6_e2m3fn", Shape: []int{5, 5}},
		{Codecs: plain, Type: "complex_float6_e3m2fn", Shape: []int{7}},
		{Codecs: plain, Type: "int8", Shape: []int{9, 9}, Fill: "-7"},
		{Codecs: first, Type: "uint8", Shape: []int{129}},
		{Codecs: plain, Type: "int16", Shape: []int{9, 11}, Fill: "513"},
		{Codecs: last, Type: "uint16", Shape: []int{97}},
		{Codecs: plain, Type: "bfloat16", Shape: []int{9}},
		{Codecs: plain, Type: "float16", Shape: []int{9}},
		{Codecs: plain, Type: "float32", Shape: []int{3, 1, 5}, Fill: `"NaN"`},
		{Codecs: plain, Type: "float64", Shape: []int{2, 2, 2, 2}},
		{Codecs: plain, Type: "complex_bfloat16", Shape: []int{6}},
		{Codecs: plain, Type: "complex128", Shape: []int{3, 3}},
		{Codecs: plain, Type: "float8_e4m3", Shape: []int{7}},
		{Codecs: plain, Type: "int32", Shape: nil, Fill: "4"},
		{Codecs: first, Type: "bool", Shape: nil},
		{Codecs: plain, Type: `{"name":"numpy.datetime64","configuration":{"unit":"s","scale_factor":1}}`, Shape: []int{5}},
		{Codecs: `["packbits","crc32c"]`, Type: "int4", Shape: []int{6, 7}},
		{Codecs: `["packbits","gzip"]`, Type: "float6_e2m3fn", Shape: []int{6, 7}},
		{Codecs: `[{"name":"transpose","configuration":{"order":[1,0]}},"packbits"]`, Type: "int2", Shape: []int{6, 7}},
		{Codecs: sharded(plain, `["packbits"]`), Type: "int4", Shape: []int{8, 12}},
		{Codecs: sharded(last, `["packbits","crc32c"]`), Type: "bool", Shape: []int{8, 12}, Fill: "true"},
		{Codecs: older, Type: "bool", Shape: []int{3, 4}},
		{Codecs: older, Type: "bool", Shape: []int{9, 33}, Fill: "true"},
		{Codecs: `["numcodecs.packbits","bytes","crc32c"]`, Type: "bool", Shape: []int{4, 9}},
	} {
		c.Registry = registry()
		t.Run(c.Name(), func(t *testing.T) { codectest.Run(t, c) })
	}
}

func sharded(codecs, index string) string {
	return fmt.Sprintf(`[{"name":"sharding_indexed","configuration":{"chunk_shape":[4,3],"codecs":%s,"index_codecs":%s}}]`, codecs, index)
}

// model packs and unpacks bit by bit, as the text describes it.
type model struct {
	unit        dtype.Unit
	first, last int
}

func (m model) encode(mem []byte) []byte {
	var bits []byte
	for ; len(mem) > 0; mem = mem[m.unit.Width:] {
		for b := m.first; b <= m.last; b++ {
			bits = append(bits, mem[b/8]>>(b%8)&1)
		}
	}
	out := make([]byte, (len(bits)+7)/8)
	for i, b := range bits {
		out[i/8] |= b << (i % 8)
	}
	return out
}

func (m model) decode(packed []byte, n int) []byte {
	out := make([]byte, n*m.unit.Width)
	at := 0
	for i := range n {
		mem := out[i*m.unit.Width:][:m.unit.Width]
		for b := range 8 * m.unit.Width {
			switch {
			case b >= m.first && b <= m.last:
				mem[b/8] |= packed[at/8] >> (at % 8) & 1 << (b % 8)
				at++
			case b > m.last && m.unit.Signed:
				mem[b/8] |= mem[m.last/8] >> (m.last % 8) & 1 << (b % 8)
			}
		}
	}
	return out
}

// Chunks of any shape, fields of any bits, and boxes of them in memory of any
// order are what the text says, bit by bit.
func TestBoxesAreWhatTheTextSays(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 1))
	types := []string{"bool", "int2", "uint2", "int4", "uint4", "float6_e2m3fn", "complex_float4_e2m1fn", "int8", "uint8", "int16", "uint16",
		"int32", "uint32", "int64", "uint64", "float32", "float64", "bfloat16", "complex64", "complex128", "complex_bfloat16"}
	for i := range thorough.Least(100, 210, 1500) {
		typ := dtype.MustParse(types[i%len(types)])
		unit := typ.Units()[0]
		m := model{unit: unit, first: r.IntN(unit.Bits)}
		m.last = m.first + r.IntN(unit.Bits-m.first)
		shape := make([]int, 1+r.IntN(4))
		n := 1
		for k := range shape {
			shape[k] = 1 + r.IntN([]int{3, 9, 40}[r.IntN(3)])
			if n*shape[k] > 5000 {
				shape[k] = 1
			}
			n *= shape[k]
		}
		padding := []string{"none", "first_byte", "last_byte"}[r.IntN(3)]
		config := fmt.Sprintf(`{"padding_encoding":%q,"first_bit":%d,"last_bit":%d}`, padding, m.first, m.last)
		name := fmt.Sprintf("%s %s %v", typ.Name(), config, shape)
		b, err := bind(packed(config), typ.Name(), shape...)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		src := nd.Make(typ.Size(), shape...)
		for k := range src.Data {
			src.Data[k] = byte(r.Uint32())
			if unit.Bits == 1 {
				src.Data[k] &= 1
			}
		}
		want := m.encode(src.Data)
		whole := nd.Of(m.decode(want, n*unit.Count), typ.Size(), shape...)
		pad := byte(-n * unit.Count * (m.last - m.first + 1) & 7)
		switch padding {
		case "first_byte":
			want = append([]byte{pad}, want...)
		case "last_byte":
			want = append(want, pad)
		}
		strange := scattered(r, typ.Size(), shape)
		nd.Copy(strange, src)
		for _, v := range []nd.View{src, strange} {
			if got, err := b.Encode(context.Background(), limits(), nil, v); err != nil || !bytes.Equal(got, want) {
				t.Fatalf("%s: encoded %x, %v, want %x", name, got, err, want)
			}
		}
		if pad > 0 && padding != "last_byte" { // bits that no element has
			want[len(want)-1] |= 0xff << (8 - pad)
		}
		for range 3 {
			box := randomBox(r, shape)
			for _, from := range []codec.Source{&codec.Memory{Bytes: want}, &codectest.Source{Data: want}, &codectest.Source{Data: want, IsNear: true, Unsized: true}} {
				dst := scattered(r, typ.Size(), box.Shape)
				if err := b.Decode(context.Background(), limits(), from, box, dst); err != nil {
					t.Fatalf("%s %v: %v", name, box, err)
				}
				if got, want := flat(dst), flat(whole.Box(box)); !bytes.Equal(got, want) {
					t.Fatalf("%s %v: decoded %x, want %x", name, box, got, want)
				}
			}
		}
	}
}

func randomBox(r *rand.Rand, shape []int) nd.Box {
	b := nd.Box{Start: make([]int, len(shape)), Shape: make([]int, len(shape))}
	for i, n := range shape {
		b.Start[i] = r.IntN(n)
		b.Shape[i] = 1 + r.IntN(n-b.Start[i])
	}
	return b
}

// scattered is memory with axes in any order, some with gaps.
func scattered(r *rand.Rand, size int, shape []int) nd.View {
	v := nd.View{Size: size, Shape: shape, Strides: make([]int, len(shape))}
	order := r.Perm(len(shape))
	if r.IntN(2) == 0 {
		slices.Sort(order)
		slices.Reverse(order)
	}
	step := size
	for _, k := range order {
		if r.IntN(4) == 0 {
			step += 1 + r.IntN(5)
		}
		v.Strides[k] = step
		step *= shape[k]
	}
	v.Data = make([]byte, step)
	return v
}

func flat(v nd.View) []byte {
	out := nd.Make(v.Size, v.Shape...)
	nd.Copy(out, v)
	return out.Data
}

// A part of a chunk costs the bytes that hold it, and a little more.
func TestAPartIsReadAsJustItsBytes(t *testing.T) {
	for _, c := range []struct {
		codecs, typ     string
		near            bool
		box             nd.Box
		requests, bytes int64
	}{
		{plain, "bool", true, nd.Box{Start: []int{3, 0}, Shape: []int{1, 1 << 17}}, 1, 1 << 14},
		{plain, "bool", true, nd.Box{Start: []int{3, 9}, Shape: []int{4, 8}}, 4, 8},
		{first, "bool", true, nd.Box{Start: []int{3, 8}, Shape: []int{4, 8}}, 4, 4},
		{last, "int4", true, nd.Box{Start: []int{3, 5}, Shape: []int{1, 3}}, 1, 2},
		{plain, "bool", false, nd.Box{Start: []int{3, 8}, Shape: []int{4, 8}}, 1, 3<<14 + 1},
		{plain, "bool", true, nd.Box{Start: []int{2, 0}, Shape: []int{8, 1 << 17}}, 1, 8 << 14},
		{packed(`{"first_bit":2,"last_bit":13}`), "int16", true, nd.Box{Start: []int{0, 1}, Shape: []int{1, 2}}, 1, 4},
		{older, "bool", true, nd.Box{Start: []int{3, 9}, Shape: []int{1, 8}}, 1, 2},
	} {
		b, err := bind(c.codecs, c.typ, 16, 1<<17)
		if err != nil {
			t.Fatal(err)
		}
		if !b.Ranges(c.box) {
			t.Errorf("%v is not read by ranges", c.box)
		}
		src := &codectest.Source{Data: make([]byte, b.Size().N), IsNear: c.near}
		if err := b.Decode(context.Background(), limits(), src, c.box, nd.Make(b.Spec().Type.Size(), c.box.Shape...)); err != nil {
			t.Fatal(err)
		}
		if src.Requests.Load() != c.requests || src.Bytes.Load() != c.bytes {
			t.Errorf("%s %v near %v: %d requests of %d bytes, want %d of %d", c.typ, c.box, c.near, src.Requests.Load(), src.Bytes.Load(), c.requests, c.bytes)
		}
	}
}

// Large chunks of local files are read in pieces; the padding byte is seen all
// the same.
func TestLargeChunksAreReadInPieces(t *testing.T) {
	for _, codecs := range []string{plain, first, last} {
		for _, typ := range []string{"int4", "uint16"} {
			b, err := bind(codecs, typ, 3, 300_001)
			if err != nil {
				t.Fatal(err)
			}
			size := b.Spec().Type.Size()
			src := nd.Make(size, 3, 300_001)
			for i := 0; i < len(src.Data); i += size {
				src.Data[i] = byte(int8(i/size%31) << 4 >> 4)
			}
			data, err := b.Encode(context.Background(), limits(), nil, src)
			if err != nil {
				t.Fatal(err)
			}
			for _, data := range pieces(codecs, typ, data) {
				from := &codectest.Source{Data: data, IsNear: true}
				dst := nd.Make(size, 3, 300_001)
				if err := b.Decode(context.Background(), limits(), from, nd.Whole(src.Shape), dst); err != nil || !bytes.Equal(dst.Data, src.Data) {
					t.Errorf("%s %s: differs, %v", codecs, typ, err)
				}
				box := nd.Box{Start: []int{1, 7}, Shape: []int{2, 299_990}}
				part := nd.Make(size, 299_990, 2).Permute([]int{1, 0})
				if err := b.Decode(context.Background(), limits(), from, box, part); err != nil || !bytes.Equal(flat(part), flat(src.Box(box))) {
					t.Errorf("%s %s: a part in memory of another order differs, %v", codecs, typ, err)
				}
				if _, placed := b.Place(dst); !placed && from.Requests.Load() < 2 {
					t.Errorf("%s %s: read at once", codecs, typ)
				}
			}
			if codecs == plain {
				continue
			}
			at := 0
			if codecs == last {
				at = len(data) - 1
			}
			data[at] ^= 1
			err = b.Decode(context.Background(), limits(), &codectest.Source{Data: data, IsNear: true}, nd.Whole(src.Shape), src)
			if err == nil || !strings.Contains(err.Error(), "padding") {
				t.Errorf("%s %s: a wrong padding byte went unnoticed: %v", codecs, typ, err)
			}
		}
	}
}

// pieces gives a chunk, and the form of it without padding byte if there is
// one.
func pieces(codecs, typ string, data []byte) [][]byte {
	out := [][]byte{data}
	switch {
	case typ != "uint16" || codecs == plain:
	case codecs == first:
		out = append(out, data[1:])
	case codecs == last:
		out = append(out, data[:len(data)-1])
	}
	return out
}

// The index of a shard is packed like any array of uint64.
func TestAnIndexCanBePacked(t *testing.T) {
	b, err := bind(sharded(plain, `["packbits"]`), "uint4", 8, 12)
	if err != nil {
		t.Fatal(err)
	}
	src := nd.Make(1, 8, 12)
	src.Data[0] = 5
	out, err := b.Encode(context.Background(), limits(), nil, src)
	if err != nil {
		t.Fatal(err)
	}
	index := out[len(out)-8*16:]
	if off, n := binary.LittleEndian.Uint64(index), binary.LittleEndian.Uint64(index[8:]); off != 0 || n != 6 {
		t.Errorf("the first inner chunk is said to have %d bytes at %d", n, off)
	}
	if _, err := bind(sharded(plain, first), "uint4", 8, 12); err == nil || !strings.Contains(err.Error(), "size of the index") {
		t.Errorf("an index whose size is not certain: %v", err)
	}
}

func TestOnlyTruthValuesGoThroughTheOlderCodec(t *testing.T) {
	if _, err := bind(older, "uint8", 4); err == nil || !strings.Contains(err.Error(), "cannot pack uint8, only bool") {
		t.Errorf("got %v", err)
	}
	if _, err := bind(`[{"name":"numcodecs.packbits","configuration":{"level":1}},"bytes"]`, "bool", 4); err == nil {
		t.Error("an unknown member was taken")
	}
	b, err := bind(older, "bool", 3, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Decode(context.Background(), limits(), &codec.Memory{Bytes: []byte{0}}, nd.Whole([]int{3, 0}), nd.Make(1, 3, 0)); err != nil {
		t.Error(err)
	}
}

// What a chunk costs does not grow with its elements or rows.
func TestNothingIsAllocatedPerElement(t *testing.T) {
	for _, codecs := range []string{plain, `["numcodecs.packbits","bytes"]`} {
		b, err := bind(codecs, "bool", 256, 300)
		if err != nil {
			t.Fatal(err)
		}
		ck, ctx := limits(), context.Background()
		box := nd.Box{Start: []int{1, 1}, Shape: []int{250, 290}}
		wide := nd.Make(1, 256, 600)
		src := wide.Box(nd.Whole([]int{256, 300}))
		data, _ := b.Encode(ctx, ck, nil, src)
		from := &codec.Memory{Bytes: data}
		dst := wide.Box(nd.Box{Start: []int{0, 0}, Shape: box.Shape})
		got := testing.AllocsPerRun(20, func() {
			data, err = b.Encode(ctx, ck, data[:0], src)
			if err == nil {
				err = b.Decode(ctx, ck, from, box, dst)
			}
		})
		if err != nil || got > 40 {
			t.Errorf("%s: %.0f allocations, %v", codecs, got, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(uint8(0), uint8(0), uint8(7), uint8(1), uint16(9), uint16(3), []byte{7, 0xff, 1})
	f.Add(uint8(8), uint8(3), uint8(9), uint8(0), uint16(33), uint16(0), bytes.Repeat([]byte{0x5a}, 64))
	types := []string{"bool", "int2", "uint4", "float6_e2m3fn", "complex_float6_e3m2fn", "int8", "uint8", "int16", "uint16", "int32", "uint64", "int64", "complex64"}
	fuzzlong.Fuzz(f, func(t *testing.T, typ, low, high, padding uint8, count, start uint16, data []byte) {
		dt := dtype.MustParse(types[int(typ)%len(types)])
		unit := dt.Units()[0]
		m := model{unit: unit, first: int(low) % unit.Bits}
		m.last = m.first + int(high)%(unit.Bits-m.first)
		n := int(count)%600 + 1
		encoding := []string{"none", "first_byte", "last_byte"}[padding%3]
		b, err := bind(packed(fmt.Sprintf(`{"padding_encoding":%q,"first_bit":%d,"last_bit":%d}`, encoding, m.first, m.last)), dt.Name(), n)
		if err != nil {
			t.Fatal(err)
		}
		got, err := decode(b, &codec.Memory{Bytes: data}, n)
		if err != nil {
			return
		}
		raw := data
		if want := (n*unit.Count*(m.last-m.first+1) + 7) / 8; len(raw) > want {
			switch encoding {
			case "first_byte":
				raw = raw[1:]
			case "last_byte":
				raw = raw[:want]
			}
		}
		if want := m.decode(raw, n*unit.Count); !bytes.Equal(got, want) {
			t.Fatalf("decoded %x, want %x", got, want)
		}
		at := int(start) % n
		box := nd.Box{Start: []int{at}, Shape: []int{n - at}}
		part := nd.Make(dt.Size(), n-at)
		if err := b.Decode(context.Background(), limits(), &codectest.Source{Data: data}, box, part); err != nil || !bytes.Equal(part.Data, got[at*dt.Size():]) {
			t.Fatalf("a part is %x, %v, want %x", part.Data, err, got[at*dt.Size():])
		}
		again, err := b.Encode(context.Background(), limits(), nil, nd.Of(got, dt.Size(), n))
		if err != nil {
			t.Fatal(err)
		}
		if back, err := decode(b, &codec.Memory{Bytes: again}, n); err != nil || !bytes.Equal(back, got) {
			t.Fatalf("%x became %x, %v", got, back, err)
		}
	})
}
