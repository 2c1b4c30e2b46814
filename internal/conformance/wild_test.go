package conformance_test

import (
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

const (
	wild2 = `{"zarr_format":2,"shape":[2,2],"chunks":[2,2],"order":"C","compressor":null,`
	wild3 = `{"zarr_format":3,"node_type":"array","shape":[2,2],"chunk_grid":{"name":"regular","configuration":{"chunk_shape":[2,2]}},` +
		`"chunk_key_encoding":{"name":"default"},`
)

// Documents as some programs have written them, and others read them. What is
// spelled in its own way stays so when the document is written again.
func TestDocumentsOfRealFilesAreRead(t *testing.T) {
	for _, c := range []struct{ name, doc, chunk, want string }{
		{"number in quotes", wild2 + `"filters":null,"dtype":"<u2","fill_value":"0"}`, "", `[0,0,0,0]`},
		{"largest number in quotes", wild2 + `"filters":null,"dtype":"<u8","fill_value":"18446744073709551615"}`, "", `[18446744073709551615,18446744073709551615,18446744073709551615,18446744073709551615]`},
		{"negative number in quotes", wild2 + `"filters":null,"dtype":"<i4","fill_value":"-7"}`, "", `[-7,-7,-7,-7]`},
		{"float in quotes", wild2 + `"filters":null,"dtype":"<f4","fill_value":"0.5"}`, "", `[0.5,0.5,0.5,0.5]`},
		{"integer in quotes for floats", wild2 + `"filters":null,"dtype":"<f8","fill_value":"1"}`, "", `[1.0,1.0,1.0,1.0]`},
		{"zero for strings of Zarr v2", wild2 + `"filters":[{"id":"vlen-utf8"}],"dtype":"|O","fill_value":0}`, "", `["0","0","0","0"]`},
		{"null for strings of Zarr v2", wild2 + `"filters":[{"id":"vlen-utf8"}],"dtype":"|O","fill_value":null}`, "", `["","","",""]`},
		{"zero for texts of fixed length", wild2 + `"filters":null,"dtype":"<U3","fill_value":0}`, "", `["0","0","0","0"]`},
		{"zero for strings", wild3 + `"data_type":"string","codecs":["vlen-utf8"],"fill_value":0}`, "", `["0","0","0","0"]`},
		{"zero for bools", wild3 + `"data_type":"bool","codecs":["bytes"],"fill_value":0}`, "", `[false,false,false,false]`},
		{"order F", wild3 + `"data_type":"uint8","codecs":[{"name":"transpose","configuration":{"order":"F"}},"bytes"],"fill_value":0}`, "\x01\x02\x03\x04", `[1,3,2,4]`},
		{"order C", wild3 + `"data_type":"uint8","codecs":[{"name":"transpose","configuration":{"order":"C"}},"bytes"],"fill_value":0}`, "\x01\x02\x03\x04", `[1,2,3,4]`},
		{"delta of u1", wild2 + `"filters":[{"id":"delta","dtype":"u1"}],"dtype":"|u1","fill_value":0}`, "\x01\x02\x03\x04", `[1,3,6,10]`},
		{"delta of uint8", wild3 + `"data_type":"uint8","codecs":[{"name":"numcodecs.delta","configuration":{"dtype":"u1","astype":"uint8"}},"bytes"],"fill_value":0}`, "\x01\x02\x03\x04", `[1,3,6,10]`},
		{"delta of i2 as int8", wild2 + `"filters":[{"id":"delta","dtype":"i2","astype":"int8"}],"dtype":"<i2","fill_value":0}`, "\x01\x02\x03\xfc", `[1,3,6,2]`},
		{"scaled f8 as u1", wild2 + `"filters":[{"id":"fixedscaleoffset","scale":2,"offset":0,"dtype":"f8","astype":"u1"}],"dtype":"<f8","fill_value":0}`, "\x01\x02\x03\x04", `[0.5,1.0,1.5,2.0]`},
		{"f8 as i1", wild2 + `"filters":[{"id":"astype","encode_dtype":"i1","decode_dtype":"f8"}],"dtype":"<f8","fill_value":0}`, "\x01\x02\x03\x04", `[1.0,2.0,3.0,4.0]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, name, key := mem.New(), ".zarray", "0.0"
			if strings.HasPrefix(c.doc, wild3) {
				name, key = "zarr.json", "c/0/0"
			}
			put(t, s, name, c.doc)
			if c.chunk != "" {
				put(t, s, key, c.chunk)
			}
			a := must[zarr.Node](t)(zarr.OpenStore(ctx, s, "")).(*zarr.Array)
			v, err := readAny(a, zarr.All())
			check(t, err)
			var got []byte
			v.Each(func(elem []byte) {
				got = append(got, ",["[min(len(got), 1)^1])
				got, err = a.DataType().AppendValue(got, elem, v.Heap.Blobs())
				check(t, err)
			})
			if got := string(got) + "]"; got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}

			attrs := &meta.Attributes{}
			check(t, attrs.Set("x", 1))
			check(t, a.SetAttributes(ctx, attrs))
			now := readKey(s, name)
			if name == ".zarray" && now != c.doc {
				t.Errorf("became %s", now)
			}
			for _, part := range []string{`"fill_value":`, `"order":"`} {
				if _, rest, ok := strings.Cut(c.doc, part); ok {
					want := part + rest[:strings.IndexAny(rest+"}", ",}")]
					if now := strings.ReplaceAll(now, ": ", ":"); !strings.Contains(now, want) {
						t.Errorf("%s is not in %s", want, now)
					}
				}
			}
		})
	}
}

// What stands in quotes is a number only as JSON spells numbers, and 1 is no bool.
func TestWhatIsNoFillValueIsRefused(t *testing.T) {
	for _, doc := range []string{
		wild2 + `"filters":null,"dtype":"<u2","fill_value":"007"}`,
		wild2 + `"filters":null,"dtype":"<u2","fill_value":"+1"}`,
		wild2 + `"filters":null,"dtype":"<u2","fill_value":"1.0"}`,
		wild2 + `"filters":null,"dtype":"<u2","fill_value":" 1"}`,
		wild2 + `"filters":null,"dtype":"<u2","fill_value":""}`,
		wild2 + `"filters":null,"dtype":"|u1","fill_value":"256"}`,
		wild2 + `"filters":null,"dtype":"<f4","fill_value":"0x10"}`,
		wild3 + `"data_type":"uint16","codecs":["bytes"],"fill_value":"0"}`,
		wild3 + `"data_type":"bool","codecs":["bytes"],"fill_value":1}`,
		wild3 + `"data_type":"bool","codecs":["bytes"],"fill_value":"0"}`,
		wild3 + `"data_type":"string","codecs":["vlen-utf8"],"fill_value":1.5}`,
	} {
		s, name := mem.New(), ".zarray"
		if strings.HasPrefix(doc, wild3) {
			name = "zarr.json"
		}
		put(t, s, name, doc)
		_, err := zarr.OpenStore(ctx, s, "")
		wantError(t, err, "fill_value")
	}
}

// An array that is made with an order by name has it spelled out, for readers that
// do not know the names.
func TestNamesOfOrdersAreSpelledOut(t *testing.T) {
	a := newArray(t, zarr.ArraySpec{Shape: []int{2, 3}, Chunks: []int{2, 3}, DataType: "uint8",
		Codecs: []byte(`[{"name":"transpose","configuration":{"order":"F"}},"bytes"]`)})
	if doc := readKey(a.Store(), "a/zarr.json"); !strings.Contains(strings.Join(strings.Fields(doc), ""), `"order":[1,0]`) {
		t.Errorf("became %s", doc)
	}
}

func put(t testing.TB, s store.Store, key, value string) {
	t.Helper()
	_, err := s.Put(ctx, key, []byte(value), store.PutOptions{})
	check(t, err)
}

func TestAShardWhoseIndexLosesBitsIsNotMade(t *testing.T) {
	s := mem.New()
	_, err := zarr.CreateArrayIn(ctx, s, "a", zarr.ArraySpec{Shape: []int{4}, Chunks: []int{4}, DataType: "uint8",
		Codecs: []byte(`[{"name":"sharding_indexed","configuration":{"chunk_shape":[2],"codecs":["bytes"],"index_codecs":[{"name":"packbits","configuration":{"last_bit":7}}]}}]`)})
	wantError(t, err, "codec sharding_indexed: index_codecs: they lose bits of the index")
	if got := keys(t, s); len(got) > 0 {
		t.Errorf("left behind: %v", got)
	}
}

// "{ "name": "gzip" }, { "name": "pad", ... }": the second example of both texts
// has nothing that turns an array into bytes.
func TestTheSecondExampleSaysWhatToPutInFront(t *testing.T) {
	for _, behind := range []string{
		`{"name":"pad","configuration":{"location":"start","nbytes":16,"padding":"TVlfQ1VTVE9NX0hFQURFUg=="}}`,
		`{"name":"offset","configuration":{"offset":16,"prefix":"TVlfQ1VTVE9NX0hFQURFUg=="}}`,
	} {
		spec := zarr.ArraySpec{Shape: []int{4}, Chunks: []int{4}, DataType: "uint16", Codecs: []byte(`[{"name":"gzip"},` + behind + `]`)}
		_, err := zarr.CreateArrayIn(ctx, mem.New(), "a", spec)
		const front = `{"name": "bytes", "configuration": {"endian": "little"}}`
		wantError(t, err, "codec gzip works on bytes", "put one in front of it, such as "+front)
		spec.Codecs = []byte(`[` + front + `,{"name":"gzip"},` + behind + `]`)
		newArray(t, spec)
	}
}
