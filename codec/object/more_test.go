package object_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/object"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/fuzzlong"
	"github.com/omnizarr/zarr/nd"
)

// objects is memory of JSON values.
func objects(t testing.TB, values ...string) nd.View {
	t.Helper()
	v := nd.Make(nd.RefSize, len(values))
	v.Heap = &nd.Heap{}
	for i, s := range values {
		nd.PutRef(v.At(i), v.Heap.Add([]byte(s)), 0, len(s))
	}
	return v
}

// The corpus of zarr-python 2.18.7 holds these chunks.
func TestChunksOfZarrPython(t *testing.T) {
	for _, c := range []struct{ codec, data, values string }{
		{"json2", `[{"a":1},[1,null,2.5],"s","|O",[3]]`, `[{"a":1},[1,null,2.5],"s"]`},
		{"json2", `[true,0,0,"|O",[3]]`, `[true,0,0]`},
		{"msgpack2", "\x95\xa3one\x02\x92\x03\x04\xa2|O\x91\x03", `["one",2,[3,4]]`},
		{"msgpack2", "\x95\x81\xa4five\x05\x00\x00\xa2|O\x91\x03", `[{"five":5},0,0]`},
	} {
		b := bind(t, `["numcodecs.`+c.codec+`"]`, "omnizarr.json", 3)
		v, err := decode(b, []byte(c.data))
		if err != nil {
			t.Fatal(err)
		}
		got, err := json.Marshal(values(t, b, v))
		if err != nil || string(got) != c.values {
			t.Errorf("%q is %s, %v", c.data, got, err)
		}
		if out, err := b.Encode(context.Background(), limits(), nil, v); err != nil || string(out) != c.data {
			t.Errorf("%q is written as %q, %v", c.data, out, err)
		}
	}
}

func TestConfigurationsAreThoseOfNumcodecs(t *testing.T) {
	for in, want := range map[string]string{
		`"numcodecs.json2"`: `{"encoding":"utf-8","skipkeys":false,"ensure_ascii":true,"check_circular":true,"allow_nan":true,"indent":null,"separators":[",",":"],"sort_keys":true,"strict":true}`,
		`{"name":"numcodecs.json2","configuration":{"indent":2,"separators":null,"sort_keys":false,"encoding":"UTF8"}}`: `{"encoding":"UTF8","skipkeys":false,"ensure_ascii":true,"check_circular":true,"allow_nan":true,"indent":2,"separators":[", ",": "],"sort_keys":false,"strict":true}`,
		`"numcodecs.msgpack2"`: `{"raw":false,"use_single_float":false,"use_bin_type":true}`,
		`"numcodecs.pickle"`:   `{"protocol":5}`,
		`{"name":"numcodecs.pickle","configuration":{"protocol":null}}`: `{"protocol":null}`,
	} {
		chain, err := registry().ParseList(json.RawMessage("[" + in + "]"))
		if err != nil {
			t.Errorf("%s: %v", in, err)
			continue
		}
		got, err := json.Marshal(chain)
		if err != nil || !strings.HasSuffix(string(got), `"configuration":`+want+`}]`) {
			t.Errorf("%s became %s, %v", in, got, err)
		}
	}
}

func TestRefusedConfigurations(t *testing.T) {
	for _, c := range []struct{ name, config, typ, want string }{
		{"json2", `{"encoding":"utf-16"}`, "string", `encoding is "utf-16"`},
		{"json2", `{"indent":1000}`, "string", "indent is"},
		{"json2", `{"indent":"x"}`, "string", "indent is"},
		{"json2", `{"indent":true}`, "string", "indent is"},
		{"json2", `{"separators":[";",":"]}`, "string", "separators are"},
		{"json2", `{"separators":[","]}`, "string", "separators are"},
		{"json2", `{"level":1}`, "string", `unknown member "level"`},
		{"json2", `{"strict":null}`, "string", "strict: must not be null"},
		{"json2", `{}`, "bytes", "cannot write bytes"},
		{"json2", `{}`, "complex64", "cannot write complex64"},
		{"json2", `{}`, "int4", "which NumPy does not have"},
		{"json2", `{}`, "bfloat16", "which NumPy does not have"},
		{"json2", `{}`, `{"name":"struct","configuration":{"fields":[["a","r16"]]}}`, `field "a": cannot write r16`},
		{"msgpack2", `{"raw":1}`, "string", "raw"},
		{"pickle", `{"protocol":6}`, "string", "protocol is"},
		{"pickle", `{"protocol":"5"}`, "string", "protocol is"},
		{"pickle", `{}`, "int32", "only objects are pickled"},
	} {
		_, err := tryBind(`[{"name":"numcodecs.`+c.name+`","configuration":`+c.config+`}]`, c.typ, 3)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s of %s: got %v, want %s", c.name, c.config, c.typ, err, c.want)
		}
	}
	if _, err := tryBind(`["numcodecs.json2"]`, "bool", 1<<20, 1<<20); err == nil || !strings.Contains(err.Error(), "than one document can hold") {
		t.Errorf("got %v", err)
	}
	// Codecs for values of a fixed length refuse references.
	if _, err := tryBind(`["bytes"]`, "omnizarr.json", 3); err == nil || !strings.Contains(err.Error(), "no fixed length") {
		t.Errorf("got %v", err)
	}
}

func TestDamageIsNamed(t *testing.T) {
	const array = "\x80\x05\x8c\x16numpy._core.multiarray\x8c\x0c_reconstruct\x93\x8c\x05numpy\x8c\x07ndarray\x93K\x00\x85C\x01b\x87R"
	const objects = "\x8c\x05numpy\x8c\x05dtype\x93\x8c\x02O8\x89\x88\x87R"
	for _, c := range []struct{ codec, typ, data, want string }{
		{"json2", "omnizarr.json", ``, "0 bytes are too few for 2 values"},
		{"json2", "omnizarr.json", `[1,2,3]`, "does not end with the type and the shape"},
		{"json2", "omnizarr.json", `[1,2,"|O",[x]]`, "does not end with the type and the shape"},
		{"json2", "omnizarr.json", `[1,2,|O,[2]]`, "does not end with the type and the shape"},
		{"json2", "omnizarr.json", `[1,2,"|O",[3]]`, "shape [3], the chunk has [2]"},
		{"json2", "omnizarr.json", `[1,2,"|O",[-2]]`, "shape [-2], the chunk has [2]"},
		{"json2", "omnizarr.json", `[1,2,"<i8",[2]]`, `NumPy type "<i8", want |O`},
		{"json2", "omnizarr.json", `[1,2,3,"|O",[2]]`, "the type does not stand behind 2 values"},
		{"json2", "omnizarr.json", `[1,"|O",[2]]`, "the type does not stand behind 2 values"},
		{"json2", "omnizarr.json", `[1,{"a"},"|O",[2]]`, "value 1: at byte 7"},
		{"json2", "omnizarr.json", `[[1,2],"|O",[1,2]]`, ""},
		{"json2", "omnizarr.json", `[[1,2,3],"|O",[1,2]]`, `',' where ']'`},
		{"json2", "int8", `[1,128,"|i1",[2]]`, "value 1: 128 is not an integer of 8 bits"},
		{"json2", "int8", `[1,2.0,"|i1",[2]]`, "2.0 is not an integer"},
		{"json2", "uint8", `[1,-1,"|u1",[2]]`, "-1 is not an unsigned integer of 8 bits"},
		{"json2", "bool", `[true,1,"|b1",[2]]`, "1 is not a bool"},
		{"json2", "float64", `[1,"NaN","<f8",[2]]`, `"NaN" is not a number`},
		{"json2", "string", `["a",1,"|O",[2]]`, "1 is not text"},
		{"json2", "string", `["a","\ud800","|O",[2]]`, "not UTF-8"},
		{"json2", `{"name":"fixed_length_utf32","configuration":{"length_bytes":4}}`, `["a","bc","<U1",[2]]`, "2 code points, there is room for 1"},
		{"json2", `{"name":"struct","configuration":{"fields":[["a","int8"],["s","string"]]}}`, `[[1,"a"],[1],"|V9",[2]]`, "value 1: [1] is not a list of 2 fields"},
		{"json2", `{"name":"struct","configuration":{"fields":[["a","int8"],["s","string"]]}}`, `[[1,"a"],[1,"b",3],"|V9",[2]]`, "is not a list of 2 fields"},
		{"json2", `{"name":"struct","configuration":{"fields":[["a","int8"],["s","string"]]}}`, `[[1,"a"],["b",1],"|V9",[2]]`, `field "a": "b" is not an integer`},
		{"msgpack2", "omnizarr.json", "\x94\x01\x02\xa2|O\x91\x03", "2 items before the type of an array of shape [3]"},
		{"msgpack2", "omnizarr.json", "\x94\x01\x02\x03\x91\x02", "no text where it should stand"},
		{"msgpack2", "omnizarr.json", "\x94\x01\x02\xa2|O\x02", "no list where one should stand"},
		{"msgpack2", "omnizarr.json", "\x94\x01\x02\xa2|O\x91\xff", "no length where one"},
		{"msgpack2", "omnizarr.json", "\x94\x01\x02\xa2|O\x91\x02\x00", "1 bytes follow the shape"},
		{"msgpack2", "omnizarr.json", "\x93\x93\x01\x02\x03\xa2|O\x92\x01\x02", "a list of 3 where the shape says 2"},
		{"msgpack2", "omnizarr.json", "\x94\x01\xd4\x00\x00\xa2|O\x91\x02", "an extension type (0xd4)"},
		{"msgpack2", "omnizarr.json", "\x81\xa1a\x00", "no list where one should stand"},
		{"pickle", "omnizarr.json", "\x80\x05K\x00.", "the pickle holds an integer, not an array"},
		{"pickle", "omnizarr.json", "\x80\x04\x8c\x02os\x8c\x06system\x93\x8c\x02ls\x85R.", "the pickle refers to os.system, which is not data"},
		{"pickle", "omnizarr.json", array + "(K\x01K\x02\x85" + objects + "\x89](K\x01K\x02etb.", ""},
		{"pickle", "omnizarr.json", array + "(K\x01K\x02\x85" + objects + "\x89](K\x01etb.", "shape [2] with 1 items"},
		{"pickle", "omnizarr.json", array + "(K\x01K\x01\x85" + objects + "\x89](K\x01etb.", "shape [1], the chunk has [2]"},
		{"pickle", "omnizarr.json", array + "(K\x01K\x02\x85" + strings.Replace(objects, "O8", "i4", 1) + "\x89](K\x01K\x02etb.", `NumPy type "i4" with 0 fields, want O8`},
		{"pickle", "omnizarr.json", array + "(K\x01K\x02\x85" + objects + "\x89C\x02\x01\x02tb.", `an array of O8 in bytes`},
		{"pickle", "string", array + "(K\x01K\x02\x85" + objects + "\x89](K\x00K\x02etb.", `value 1: 2 is not text`},
	} {
		b := bind(t, `["numcodecs.`+c.codec+`"]`, c.typ, 2)
		_, err := decode(b, []byte(c.data))
		if c.want == "" && err == nil {
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || !errors.Is(err, codec.ErrData) {
			t.Errorf("%s %q: got %v, want %s", c.codec, c.data, err, c.want)
		}
	}
}

func TestValuesThatCannotBeWritten(t *testing.T) {
	for _, c := range []struct{ name, config, value, want string }{
		{"json2", `{}`, `{"a"}`, "not a JSON value"},
		{"json2", `{}`, `1 2`, "not a JSON value"},
		{"json2", `{"allow_nan":false}`, `NaN`, "NaN and infinities are not allowed"},
		{"json2", `{"encoding":"ascii","ensure_ascii":false}`, `"é"`, "a character that the encoding ascii"},
		{"msgpack2", `{}`, `18446744073709551616`, "beyond 64 bits"},
		{"pickle", `{}`, `[`, "not a JSON value"},
	} {
		b := bind(t, `[{"name":"numcodecs.`+c.name+`","configuration":`+c.config+`}]`, "omnizarr.json", 1)
		if out, err := b.Encode(context.Background(), limits(), nil, objects(t, c.value)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %s is %q, %v, want %s", c.name, c.value, out, err, c.want)
		}
	}
}

// What is decoded may be larger than the document, but not without bound.
func TestRoomIsBounded(t *testing.T) {
	big := bytes.Repeat([]byte{0}, 1<<18) // six characters each in JSON
	data := append([]byte("\x93\xdb\x00\x04\x00\x00"), big...)
	data = append(data, "\xa2|O\x91\x01"...)
	b := bind(t, `["numcodecs.msgpack2"]`, "omnizarr.json", 1)
	if _, err := decode(b, data); err == nil || !strings.Contains(err.Error(), "more room than allowed") {
		t.Errorf("got %v", err)
	}
}

// laughs is a pickle by Python 3.11 of a list that holds a list twice, which holds
// a list twice, and so on forty times.
const laughs = "8005957d010000000000008c166e756d70792e5f636f72652e6d756c74696172726179948c0c5f7265636f6e7374727563749493948c056e756d7079948c076e6461727261799493944b0085944301629487945294284b014b01859468038c0564747970" +
	"659493948c024f3894898887945294284b038c017c944e4e4e4affffffff4affffffff4b3f749462895d945d94285d94285d94285d94285d94285d94285d94285d94285d9428" +
	"5d94285d94285d94285d94285d94285d94285d94285d94285d94285d94285d94285d94285d94285d94285d94285d94285d94285d94285d94285d94285d94285d94285d94285d" +
	"94285d94285d94285d94285d94285d94285d94285d94288c017894683b65683a65683965683865683765683665683565683465683365683265683165683065682f65682e6568" +
	"2d65682c65682b65682a65682965682865682765682665682565682465682365682265682165682065681f65681e65681d65681c65681b65681a656819656818656817656816" +
	"65681565681465617494622e"

func TestSharedValuesStayFew(t *testing.T) {
	data, err := hex.DecodeString(laughs)
	if err != nil || len(data) != 392 {
		t.Fatal(len(data), err)
	}
	k, err := object.ParsePickle(nil, "numcodecs.pickle", nil)
	if err != nil {
		t.Fatal(err)
	}
	typ := dtype.MustParse("omnizarr.json")
	b, err := k.(codec.ArrayToBytes).BindSerializer(codec.Spec{Type: typ, Shape: []int{1}, Fill: make([]byte, typ.Size())})
	if err != nil {
		t.Fatal(err)
	}
	dst := nd.Make(typ.Size(), 1)
	dst.Heap = &nd.Heap{}
	ck := &codec.Chunk{Limits: &codec.Limits{MaxChunk: 1 << 30}}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err = b.Decode(context.Background(), ck, &codec.Memory{Bytes: data}, nd.Whole([]int{1}), dst)
	runtime.ReadMemStats(&after)
	if err == nil || !strings.Contains(err.Error(), "more room than allowed") {
		t.Errorf("got %v", err)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 16<<20 {
		t.Errorf("took %d bytes", n)
	}
}

// zarr-python 2.18.7 wrote these fill values for structs with objects.
func TestFillValuesOfZarrV2(t *testing.T) {
	for _, c := range []struct{ codec, raw, want string }{
		{"pickle", `"gAVLAC4="`, "0"},
		{"json2", `"WzAsIjxpOCIsW11d"`, "0"},
	} {
		for _, name := range []string{c.codec, "numcodecs." + c.codec} {
			got, err := object.FillFromV2(name, nil, json.RawMessage(c.raw))
			if err != nil || string(got) != c.want {
				t.Errorf("%s %s is %s, %v", name, c.raw, got, err)
			}
			back, err := object.FillToV2(name, nil, got)
			if err != nil || string(back) != c.raw {
				t.Errorf("%s %s became %s, %v", name, got, back, err)
			}
		}
	}
	for _, name := range []string{"pickle", "json2", "msgpack2"} {
		for _, value := range []string{`"text"`, "1.5", "true", "null", `{"a":[1]}`, `""`} {
			raw, err := object.FillToV2(name, nil, json.RawMessage(value))
			if err != nil {
				t.Errorf("%s %s: %v", name, value, err)
				continue
			}
			if got, err := object.FillFromV2(name, nil, raw); err != nil || string(got) != value {
				t.Errorf("%s %s became %s, %v", name, value, got, err)
			}
		}
	}
	for _, c := range []struct{ codec, raw, want string }{
		{"vlen-utf8", `""`, "does not write objects"},
		{"pickle", `0`, "must be base64"},
		{"pickle", `"!"`, "must be base64"},
		{"pickle", `""`, "the pickle ends too early"},
		{"json2", `"WzFd"`, "does not end with the type"},
		{"json2", `"WzEsIjxpOCIsWzFdXQ=="`, "an array of shape [1], not one value"},
		{"msgpack2", `"AA=="`, "no list where one should stand"},
	} {
		if got, err := object.FillFromV2(c.codec, nil, json.RawMessage(c.raw)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s is %s, %v, want %s", c.codec, c.raw, got, err, c.want)
		}
	}
	if _, err := object.FillToV2("json2", nil, json.RawMessage("[1]")); err == nil {
		t.Error("a list became one value")
	}
}

func TestFewAllocationsPerChunk(t *testing.T) {
	const n = 2000
	elems := make([]string, n)
	for i := range elems {
		elems[i] = fmt.Sprintf(`{"i":%d,"s":"text"}`, i)
	}
	for _, c := range []string{"json2", "msgpack2", "pickle"} {
		b := bind(t, `["numcodecs.`+c+`"]`, "omnizarr.json", n)
		src := objects(t, elems...)
		data, err := b.Encode(context.Background(), limits(), nil, src)
		if err != nil {
			t.Fatal(err)
		}
		dst := nd.Make(nd.RefSize, n)
		got := testing.AllocsPerRun(3, func() {
			dst.Heap = &nd.Heap{}
			if err := b.Decode(context.Background(), limits(), &codec.Memory{Bytes: data}, nd.Whole([]int{n}), dst); err != nil {
				t.Fatal(err)
			}
		})
		if got > 100 {
			t.Errorf("%s: %v allocations for %d values", c, got, n)
		}
		out := make([]byte, 0, 2*len(data))
		got = testing.AllocsPerRun(3, func() {
			if _, err := b.Encode(context.Background(), limits(), out, src); err != nil {
				t.Fatal(err)
			}
		})
		if got > 100 {
			t.Errorf("%s: %v allocations to write %d values", c, got, n)
		}
	}
}

// fuzz decodes any bytes, and checks that what comes out is stable.
func fuzz(f *testing.F, name string) {
	for _, vec := range vectors(f) {
		if vec.Codec == name && len(vec.Data) < 1<<12 {
			f.Add(vec.Data)
		}
	}
	bounds := []*codec.Bound{
		bind(f, `["numcodecs.`+name+`"]`, "omnizarr.json", 3),
		bind(f, `["numcodecs.`+name+`"]`, "string", 2, 2),
		bind(f, `["numcodecs.`+name+`"]`, `{"name":"struct","configuration":{"fields":[["a","int8"],["s","string"],["j","omnizarr.json"]]}}`, 2),
	}
	fuzzlong.Fuzz(f, func(t *testing.T, data []byte) {
		for _, b := range bounds {
			v, err := decode(b, data)
			if err != nil {
				continue
			}
			first := values(t, b, v)
			out, err := b.Encode(context.Background(), limits(), nil, v)
			if err != nil {
				continue // a number or text that the format has no room for
			}
			again, err := decode(b, out)
			if err != nil {
				t.Fatalf("%q was written as %q: %v", data, out, err)
			}
			if second := values(t, b, again); fmt.Sprint(first) != fmt.Sprint(second) {
				t.Errorf("%v became %v", first, second)
			}
		}
	})
}

func FuzzJSON(f *testing.F) {
	f.Add([]byte(`[1,{"a":NaN},"s","|O",[3]]`))
	f.Add([]byte(`[["a","b"],["",0],"|O",[2,2]]`))
	f.Add([]byte(`[[1,"a",null],[2,"b",[]],"|V17",[2]]`))
	fuzz(f, "json2")
}

func FuzzMsgPack(f *testing.F) {
	f.Add([]byte("\x95\xa3one\x02\x92\x03\x04\xa2|O\x91\x03"))
	f.Add([]byte("\x94\x92\xa1a\xa0\x92\xa0\xa1b\xa2|O\x92\x02\x02"))
	fuzz(f, "msgpack2")
}

func FuzzPickle(f *testing.F) {
	for _, shape := range [][]int{{3}, {2, 2}} {
		b := bind(f, `["numcodecs.pickle"]`, "string", shape...)
		v := nd.Make(nd.RefSize, shape...)
		v.Heap = &nd.Heap{}
		out, err := b.Encode(context.Background(), limits(), nil, v)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(out)
	}
	fuzz(f, "pickle")
}

func Example() {
	chain, err := registry().ParseList(json.RawMessage(`["numcodecs.json2"]`))
	if err != nil {
		fmt.Println(err)
		return
	}
	typ := dtype.MustParse("omnizarr.json")
	bound, err := chain.Bind(codec.Spec{Type: typ, Shape: []int{3}, Fill: make([]byte, typ.Size())})
	if err != nil {
		fmt.Println(err)
		return
	}
	src := nd.Make(typ.Size(), 3) // all null
	src.Heap = &nd.Heap{}
	value := []byte(`{"b": 1, "a": "é"}`)
	nd.PutRef(src.At(1), src.Heap.Add(value), 0, len(value))
	ck := &codec.Chunk{Limits: &codec.Limits{MaxChunk: 1 << 20}}
	out, err := bound.Encode(context.Background(), ck, nil, src)
	fmt.Println(string(out), err)
	// Output: [null,{"a":"\u00e9","b":1},null,"|O",[3]] <nil>
}
