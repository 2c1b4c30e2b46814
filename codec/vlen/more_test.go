package vlen_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/vlen"
	"github.com/omnizarr/zarr/internal/fuzzlong"
	"github.com/omnizarr/zarr/nd"
)

// indexed is a list with nothing but zarrs.vlen.
func indexed(data, typ, where string) string {
	return `[{"name":"zarrs.vlen","configuration":{"data_codecs":` + data +
		`,"index_codecs":[{"name":"bytes","configuration":{"endian":"little"}}],"index_data_type":"` + typ + `","index_location":"` + where + `"}}]`
}

const listOf = `{"name":"omnizarr.list","configuration":{"data_type":`

// vector is a chunk that zarrs 0.23.14 wrote.
type vector struct {
	Codecs, Type json.RawMessage
	Shape        []int
	Data         []byte
	Values       []any
}

func TestWhatZarrsWroteIsReadAndWrittenAlike(t *testing.T) {
	f, err := os.Open("testdata/zarrs.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var vectors map[string]vector
	if err := json.NewDecoder(z).Decode(&vectors); err != nil {
		t.Fatal(err)
	}
	for name, vec := range vectors {
		t.Run(name, func(t *testing.T) {
			typ := strings.Trim(string(vec.Type), `"`)
			v, again := roundTrip(t, string(vec.Codecs), typ, vec.Data, vec.Shape...)
			if !reflect.DeepEqual(v, vec.Values) {
				t.Errorf("got %v, want %v", v, vec.Values)
			}
			if !strings.Contains(name, "gzip") && !bytes.Equal(again, vec.Data) {
				t.Errorf("written as %x, not as %x", again, vec.Data)
			}
		})
	}
}

// roundTrip decodes a chunk, and encodes what it holds again.
func roundTrip(t *testing.T, codecs, typ string, data []byte, shape ...int) (values []any, again []byte) {
	t.Helper()
	b, err := bind(codecs, typ, shape...)
	if err != nil {
		t.Fatal(err)
	}
	v := nd.Make(nd.RefSize, shape...)
	v.Heap = &nd.Heap{}
	if err := b.Decode(context.Background(), limits(), &codec.Memory{Bytes: bytes.Clone(data)}, nd.Whole(shape), v); err != nil {
		t.Fatal(err)
	}
	blobs := v.Heap.Blobs()
	v.Each(func(elem []byte) {
		text, err := b.Spec().Type.AppendValue(nil, elem, blobs)
		var x any
		if err == nil {
			err = json.Unmarshal(text, &x)
		}
		if err != nil {
			t.Fatal(err)
		}
		values = append(values, x)
	})
	if again, err = b.Encode(context.Background(), limits(), nil, v); err != nil {
		t.Fatal(err)
	}
	return values, again
}

// numcodecs 0.15.2 wrote the first two, as parts of an array of zarr-python
// 2.18.7, and 0.17.1 the others.
func TestListsAreReadAndWrittenAsNumcodecsDoes(t *testing.T) {
	for _, c := range []struct{ dtype, item, data, values string }{
		{"<i4", `"int32"`, "\x02\x00\x00\x00\x0c\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00", "[[0,1,2],[]]"},
		{"<i4", `"int32"`, "\x02\x00\x00\x00\x14\x00\x00\x00\x00\x00\x00\x00\xf9\xff\xff\xff\xf2\xff\xff\xff\xeb\xff\xff\xff\xe4\xff\xff\xff\x04\x00\x00\x00\x00\x00\x00\x00", "[[0,-7,-14,-21,-28],[0]]"},
		{">f4", `"float32"`, "\x02\x00\x00\x00\x08\x00\x00\x00?\xc0\x00\x00\xc0\x00\x00\x00\x00\x00\x00\x00", "[[1.5,-2],[]]"},
		{"|b1", `"bool"`, "\x02\x00\x00\x00\x02\x00\x00\x00\x01\x00\x01\x00\x00\x00\x01", "[[true,false],[true]]"},
	} {
		for _, name := range []string{"vlen-array", "numcodecs.vlen-array"} {
			codecs := `[{"name":"` + name + `","configuration":{"dtype":"` + c.dtype + `"}}]`
			values, again := roundTrip(t, codecs, listOf+c.item+`}}`, []byte(c.data), 2)
			var want []any
			if err := json.Unmarshal([]byte(c.values), &want); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(values, want) {
				t.Errorf("%s: got %v, want %v", c.dtype, values, want)
			}
			if string(again) != c.data {
				t.Errorf("%s: written as %q", c.dtype, again)
			}
		}
	}
}

func TestBytesOfTheCallerStayAsTheyAre(t *testing.T) {
	b, err := bind(`[{"name":"vlen-array","configuration":{"dtype":">i2"}}]`, listOf+`"int16"}}`, 1)
	if err != nil {
		t.Fatal(err)
	}
	data := append(u32(1, 2), 0, 1)
	v := nd.Make(nd.RefSize, 1)
	v.Heap = &nd.Heap{}
	if err := b.Decode(context.Background(), limits(), &codec.Memory{Bytes: data}, nd.Whole([]int{1}), v); err != nil {
		t.Fatal(err)
	}
	if got := v.Heap.Blobs().Value(v.Data); data[9] != 1 || !bytes.Equal(got, []byte{1, 0}) {
		t.Errorf("%x became %x", data, got)
	}
}

func TestMoreConfigurations(t *testing.T) {
	list := listOf + `"int32"}}`
	for _, c := range []struct{ codecs, typ, want string }{
		{`["vlen-array"]`, list, ""},
		{`["zarrs.vlen_v2"]`, "bytes", ""},
		{`["zarrs.vlen_v2"]`, list, "cannot write omnizarr.list"},
		{`["vlen-array"]`, "bytes", "cannot write bytes"},
		{`[{"name":"vlen-array","configuration":{"dtype":"<i2"}}]`, list, "lists of int16, the array has lists of int32"},
		{`[{"name":"vlen-array","configuration":{"dtype":"|O"}}]`, list, "no fixed length"},
		{`[{"name":"vlen-array","configuration":{"dtype":"?"}}]`, list, "must begin with the byte order"},
		{`["zarrs.vlen"]`, "string", "lacks data_codecs"},
		{`[{"name":"zarrs.vlen","configuration":{"data_codecs":["bytes"]}}]`, "string", "lacks index_codecs"},
		{`[{"name":"zarrs.vlen","configuration":{"data_codecs":["bytes"],"index_codecs":["bytes"]}}]`, "string", "lacks index_data_type"},
		{indexed(`["bytes"]`, "uint16", "end"), "string", `index_data_type is "uint16"`},
		{indexed(`["bytes"]`, "uint32", "middle"), "string", `index_location is "middle"`},
		{indexed(`["bytes"]`, "uint32", "end"), "int32", "cannot write int32"},
		{indexed(`["vlen-utf8"]`, "uint32", "end"), "string", "data_codecs: codec vlen-utf8: cannot write uint8"},
		{indexed(`[]`, "uint32", "end"), "string", "data_codecs: no codec"},
	} {
		_, err := bind(c.codecs, c.typ, 3)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: got %v, want %s", c.codecs, err, c.want)
		}
	}
}

func TestTheTypeOfItemsIsTold(t *testing.T) {
	c, err := vlen.ParseArray(nil, "vlen-array", json.RawMessage(`{"dtype":"<i4"}`))
	if err != nil || c.(vlen.Array).Item().Name() != "int32" {
		t.Errorf("got %v, %v", c, err)
	}
}

// The first draft of zarrs.vlen had no index_location.
func TestWithoutLocationTheIndexComesFirst(t *testing.T) {
	codecs := `[{"name":"zarrs.vlen","configuration":{"data_codecs":["bytes"],"index_codecs":[{"name":"bytes","configuration":{"endian":"little"}}],"index_data_type":"uint32"}}]`
	data := append(append([]byte{12, 0, 0, 0, 0, 0, 0, 0}, u32(0, 1, 3)...), "abc"...)
	values, again := roundTrip(t, codecs, "string", data, 2)
	if !reflect.DeepEqual(values, []any{"a", "bc"}) || !bytes.Equal(again, data) {
		t.Errorf("got %v, %q", values, again)
	}
}

func TestDamageOfAnIndexIsNamed(t *testing.T) {
	b, err := bind(indexed(`["bytes"]`, "uint32", "start"), "string", 2)
	if err != nil {
		t.Fatal(err)
	}
	length := func(n uint64) []byte { return binary.LittleEndian.AppendUint64(nil, n) }
	chunk := func(data string, offsets ...uint32) []byte {
		return append(append(length(uint64(4*len(offsets))), u32(offsets...)...), data...)
	}
	for want, data := range map[string][]byte{
		"7 bytes are too few":                                           make([]byte, 7),
		"the index has 13 bytes, 12 are left":                           append(length(13), u32(0, 1, 2)...),
		"index_codecs: codec bytes: got 8 bytes":                        chunk("ab", 0, 1),
		"values of 5 bytes in 2":                                        chunk("ab", 0, 1, 5),
		"needs 2000000 bytes of memory, the limit of a chunk is 104857": chunk("ab", 0, 1, 2_000_000),
		"value 0 lies at bytes 1 to 0 of 2":                             chunk("ab", 1, 0, 2),
		"value 0 lies at bytes 0 to 9 of 2":                             chunk("ab", 0, 9, 2),
		"value 1 is not UTF-8":                                          chunk("a\xff", 0, 1, 2),
		"2 bytes for values that are all empty":                         chunk("ab", 0, 0, 0),
	} {
		v := nd.Make(nd.RefSize, 2)
		v.Heap = &nd.Heap{}
		err := b.Decode(context.Background(), limits(), &codec.Memory{Bytes: data}, nd.Whole([]int{2}), v)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestDamageOfListsIsNamed(t *testing.T) {
	for want, c := range map[string]struct {
		item string
		data []byte
	}{
		"value 0 is 3 bytes, which is no list of items of 4": {`"int32"`, append(u32(1, 3), 1, 2, 3)},
		"value 0 is no list: value 2 for bool":               {`"bool"`, append(u32(1, 1), 2)},
		"value 0 has 9 bytes, 1 are left":                    {`"bool"`, append(u32(1, 9), 2)},
	} {
		b, err := bind(`["vlen-array"]`, listOf+c.item+`}}`, 1)
		if err != nil {
			t.Fatal(err)
		}
		v := nd.Make(nd.RefSize, 1)
		v.Heap = &nd.Heap{}
		err = b.Decode(context.Background(), limits(), &codec.Memory{Bytes: c.data}, nd.Whole([]int{1}), v)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// Other chunks than these are decoded to what is encoded as they were.
func fuzz(f *testing.F, codecs, typ string, n int) {
	b, err := bind(codecs, typ, n)
	if err != nil {
		f.Fatal(err)
	}
	fuzzlong.Fuzz(f, func(t *testing.T, data []byte) {
		v := nd.Make(nd.RefSize, n)
		v.Heap = &nd.Heap{}
		if err := b.Decode(context.Background(), limits(), &codec.Memory{Bytes: data}, nd.Whole([]int{n}), v); err != nil {
			return
		}
		if out, err := b.Encode(context.Background(), limits(), nil, v); err != nil || len(out) > len(data) {
			t.Errorf("%q became %q, %v", data, out, err)
		}
	})
}

func FuzzLists(f *testing.F) {
	f.Add(append(u32(2, 4, 7, 0), "x"...))
	f.Add(u32(2, 4, 1<<32-1, 0))
	fuzz(f, `[{"name":"vlen-array","configuration":{"dtype":">i4"}}]`, listOf+`"int32"}}`, 2)
}

func FuzzIndexed(f *testing.F) {
	f.Add(append(append([]byte{12, 0, 0, 0, 0, 0, 0, 0}, u32(0, 1, 3)...), "abc"...))
	f.Add(append([]byte{12, 0, 0, 0, 0, 0, 0, 0}, u32(0, 1, 1<<31)...))
	fuzz(f, indexed(`["bytes"]`, "uint32", "start"), "string", 2)
}
