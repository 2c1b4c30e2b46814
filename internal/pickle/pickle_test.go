package pickle

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/internal/fuzzlong"
	"github.com/omnizarr/zarr/internal/pyjson"
	"github.com/omnizarr/zarr/internal/thorough"
)

// text is the JSON of the value that a pickle holds.
func text(data string) (string, error) {
	d, err := Load([]byte(data), 1<<20)
	if err != nil {
		return "", err
	}
	w := pyjson.Writer{Limit: 1 << 16}
	err = d.Value(&w)
	return string(w.B), err
}

// Python 3.13 wrote these.
func TestPlainValues(t *testing.T) {
	for data, want := range map[string]string{
		"\x80\x05K\x00.": "0",
		"\x80\x05N.":     "null",
		"\x80\x05\x88.":  "true",
		"\x80\x05\x89.":  "false",
		"\x80\x04\x95\x0a\x00\x00\x00\x00\x00\x00\x00G?\xb9\x99\x99\x99\x99\x99\x9a.": "0.1",
		"\x80\x04M\xff\xff.":                                                    "65535",
		"\x80\x04J\xff\xff\xff\xff.":                                            "-1",
		"\x80\x04\x8a\x05\x00\x00\x00\x00\x01.":                                 "4294967296",
		"\x80\x04\x8a\x01\x80.":                                                 "-128",
		"\x80\x04\x8a\x00.":                                                     "0",
		"\x80\x04\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x80\x00.":                 "9223372036854775808",
		"\x80\x04\x95\x08\x00\x00\x00\x00\x00\x00\x00\x8c\x04na\xc3\xaf\x94.":   `"naï"`,
		"\x80\x03X\x02\x00\x00\x00abq\x00.":                                     `"ab"`,
		"\x80\x04\x95\x07\x00\x00\x00\x00\x00\x00\x00\x8c\x03\xed\xa0\x80\x94.": `"\ud800"`,
		"\x80\x03C\x02\x00\xffq\x00.":                                           `"AP8="`,
		"\x80\x05).":                                                            "[]",
		"\x80\x05]\x94.":                                                        "[]",
		"\x80\x05}\x94.":                                                        "{}",
		"\x80\x05]\x94K\x01a.":                                                  "[1]",
		"\x80\x05]\x94(K\x01K\x02e.":                                            "[1,2]",
		"\x80\x05K\x01K\x02\x86\x94.":                                           "[1,2]",
		"\x80\x05(K\x01K\x02K\x03K\x04t\x94.":                                   "[1,2,3,4]",
		"\x80\x05}\x94\x8c\x01a\x94K\x01s.":                                     `{"a":1}`,
		"\x80\x05}\x94(\x8c\x01a\x94K\x01\x8c\x01b\x94]\x94h\x02au.":            `{"a":1,"b":["b"]}`,
		"\x80\x02]q\x00(K\x01j\x00\x00\x00\x000.":                               "opcode POP",
		"\x80\x02}r\x00\x00\x00\x00.":                                           "{}",
	} {
		got, err := text(data)
		if err != nil {
			got = err.Error()
		}
		if got != want && !(err != nil && strings.Contains(got, want)) {
			t.Errorf("%q is %s, want %s", data, got, want)
		}
	}
}

func TestNothingButDataIsRead(t *testing.T) {
	for want, data := range map[string]string{
		"the pickle refers to os.system, which is not data":     "\x80\x04\x8c\x02os\x8c\x06system\x93\x8c\x02ls\x85R.",
		"the pickle refers to posix.system, which is not data":  "\x80\x02cposix\nsystem\nU\x02ls\x85R.",
		"the pickle refers to builtins.eval, which is not data": "\x80\x04\x8c\x08builtins\x8c\x04eval\x93.",
		"the pickle refers to numpy.load, which is not data":    "\x80\x04\x8c\x05numpy\x8c\x04load\x93.",
		`the pickle refers to a\nb.\x00, which is not data`:     "\x80\x04\x8c\x03a\nb\x8c\x01\x00\x93.",
		"opcode INST":      "\x80\x02ios\nsystem\n.",
		"opcode OBJ":       "\x80\x02(o.",
		"opcode PERSID":    "\x80\x02Pabc\n.",
		"opcode EXT1":      "\x80\x02\x82\x01.",
		"opcode NEWOBJ_EX": "\x80\x04)})\x92.",
		"opcode 0xff":      "\x80\x04\xff.",
		"opcode STRING":    "S'a'\n.",
		"opcode BYTEARRAY8, which pickles of plain values do not have": "\x80\x05\x96\x00\x00\x00\x00\x00\x00\x00\x00.",
		"a call of text":                "\x80\x04\x8c\x01x)R.",
		"a call of what pickles":        "\x80\x04\x8c\x05numpy\x8c\x07ndarray\x93)R.",
		"a call with a list":            "\x80\x04\x8c\x05numpy\x8c\x05dtype\x93]R.",
		"a call of what pickles of":     "\x80\x04\x8c\x05numpy\x8c\x05dtype\x93)\x81.",
		"made of 1 arguments":           "\x80\x04\x8c\x0fhdmf_zarr.utils\x8c\x0dZarrReference\x93K\x01\x85\x81.",
		"a state for a dict":            "\x80\x04})b.",
		"a dict for a state":            "\x80\x04]}b.",
		"a name that is an integer":     "\x80\x04K\x01\x8c\x04eval\x93.",
		"a name inside a value":         "\x80\x04\x8c\x05numpy\x8c\x05dtype\x93.",
		"class than ndarray":            "\x80\x04\x8c\x16numpy._core.multiarray\x8c\x0c_reconstruct\x93K\x00K\x00K\x00\x87R.",
		"a tuple of 1 where a tuple of": "\x80\x04\x8c\x16numpy._core.multiarray\x8c\x0c_reconstruct\x93K\x00\x85R.",
	} {
		if got, err := text(data); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is %s, %v, want %s", data, got, err, want)
		}
	}
}

func TestDamageIsNamed(t *testing.T) {
	for want, data := range map[string]string{
		"the pickle ends too early":               "\x80\x05",
		"at byte 2: the pickle ends too early":    "\x80\x05J\x00",
		"protocol 6":                              "\x80\x06N.",
		"protocol 1":                              "\x80\x01N.",
		"at byte 1: protocol":                     "N\x80\x05.",
		"a frame of 9 bytes, 2 are left":          "\x80\x05\x95\x09\x00\x00\x00\x00\x00\x00\x00N.",
		"a length of 4294967295, 1 bytes are lef": "\x80\x05X\xff\xff\xff\xff.",
		"ends with 0 values":                      "\x80\x05.",
		"ends with 2 values":                      "\x80\x05NN.",
		"ends with 1 values":                      "\x80\x05(.",
		"1 bytes follow the end":                  "\x80\x05N.N",
		"a value is missing":                      "\x80\x05\x94.",
		"a value is missing ":                     "\x80\x05a.",
		"a mark is missing":                       "\x80\x05]Ne.",
		"a mark where a value should be":          "\x80\x05(N\x86.",
		"items for what is not a list":            "\x80\x05}Na.",
		"items for what is not a dict":            "\x80\x05]NNs.",
		"a name without value":                    "\x80\x05}(Nu.",
		"value 0 is asked for, 0 are remembered":  "\x80\x05h\x00.",
		"value 9 is to be remembered behind 0":    "\x80\x05Nq\x09.",
		"a name in a map is not text":             "\x80\x05}K\x01K\x01s.",
		"text is not UTF-8":                       "\x80\x05\x8c\x01\xff.",
		"nested too deeply":                       "\x80\x05" + strings.Repeat("]", 300) + strings.Repeat("a", 299) + ".",
		"an array inside a value":                 "\x80\x04\x8c\x16numpy._core.multiarray\x8c\x0c_reconstruct\x93\x8c\x05numpy\x8c\x07ndarray\x93K\x00\x85C\x01b\x87R.",
	} {
		want = strings.TrimSpace(want)
		if got, err := text(data); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is %s, %v, want %s", data, got, err, want)
		}
	}
}

// A list that holds itself, and one that would grow to 2 to the power of 100.
func TestWhatIsSharedStaysBounded(t *testing.T) {
	if got, err := text("\x80\x05]\x94h\x00a."); !errors.Is(err, pyjson.ErrDepth) {
		t.Errorf("got %.20s, %v", got, err)
	}
	bomb := []byte("\x80\x05N\x94")
	for i := range byte(100) {
		bomb = append(bomb, opBinGet, i, opBinGet, i, opTuple2, opMemoize)
	}
	for range 100 {
		bomb = append(bomb, opTuple2)
	}
	bomb = append(bomb, opStop)
	if _, err := text(string(bomb)); !errors.Is(err, pyjson.ErrLimit) {
		t.Errorf("got %v", err)
	}
}

// hdmf_zarr 0.13.0 and 0.10.0 wrote these with NumPy 2 and 1.
func TestArraysOfHDMF(t *testing.T) {
	raw, err := os.ReadFile("testdata/hdmf.json")
	if err != nil {
		t.Fatal(err)
	}
	var samples []struct {
		Name   string
		Data   []byte
		Shape  []int
		Values []any
	}
	if err := json.Unmarshal(raw, &samples); err != nil {
		t.Fatal(err)
	}
	for _, s := range samples {
		d, err := Load(s.Data, 1<<20)
		if err != nil {
			t.Errorf("%s: %v", s.Name, err)
			continue
		}
		a, err := d.Array()
		if err != nil || !reflect.DeepEqual(a.Shape, s.Shape) || a.Fortran {
			t.Errorf("%s: %+v, %v", s.Name, a, err)
			continue
		}
		err = a.Each(func(i int, value func(pyjson.Sink) error) error {
			var w pyjson.Writer
			if err := value(&w); err != nil {
				return err
			}
			var got any
			if err := json.Unmarshal(w.B, &got); err != nil {
				return err
			}
			if !reflect.DeepEqual(got, s.Values[i]) {
				t.Errorf("%s: value %d is %s, want %v", s.Name, i, w.B, s.Values[i])
			}
			return nil
		})
		if err != nil {
			t.Errorf("%s: %v", s.Name, err)
		}
		if strings.HasSuffix(s.Name, "timeseries") {
			want := Type{Code: "V16", Fields: []Field{{"idx_start", Type{Code: "i4"}}, {"count", Type{Code: "i4"}}, {"timeseries", Type{Code: "O8"}}}}
			if !reflect.DeepEqual(a.Type, want) {
				t.Errorf("type is %+v", a.Type)
			}
		}
	}
}

func TestArraysAreReadBack(t *testing.T) {
	typ := Type{Code: "V21", Fields: []Field{{"n", Type{Code: "i4"}}, {"s", Type{Code: "O8"}}, {"u", Type{Code: "U2"}}, {"b", Type{Code: "b1"}}}}
	var w Writer
	if err := w.BeginArray([]int{2, 1}, typ); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		w.Item()
		for _, err := range []error{w.Tuple(), w.Number([]byte("70000")), w.Text([]byte("x")), w.Text([]byte("y")), w.Bool(true), w.End()} {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	w.FinishArray()
	d, err := Load(w.B, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	a, err := d.Array()
	if err != nil || !reflect.DeepEqual(a.Type, typ) || a.Count != 2 {
		t.Fatalf("%+v, %v", a, err)
	}
	err = a.Each(func(_ int, value func(pyjson.Sink) error) error {
		var out pyjson.Writer
		err := value(&out)
		if string(out.B) != `[70000,"x","y",true]` {
			t.Errorf("got %s", out.B)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestValuesAreReadBack(t *testing.T) {
	for _, value := range []string{
		"null", "true", "false", "0", "255", "256", "65536", "-1", "-2147483648", "2147483648", "9223372036854775807",
		"-9223372036854775809", "340282366920938463463374607431768211456", "0.5", "-0.0", "NaN", "-Infinity",
		`""`, `"naïve\ud800"`, `"` + strings.Repeat("x", 300) + `"`, "[]", "{}", `[1,[2,{"a":[null]}]]`, `{"b":1,"a":{"c":2}}`,
	} {
		w := Writer{}
		w.Begin()
		var r pyjson.Reader
		if err := r.All([]byte(value), &w); err != nil {
			t.Fatal(err)
		}
		w.Finish()
		if got, err := text(string(w.B)); err != nil || got != value {
			t.Errorf("%s became %s, %v", value, got, err)
		}
	}
}

func FuzzLoad(f *testing.F) {
	f.Add([]byte("\x80\x05]\x94(K\x01\x8c\x01a\x94h\x00e."))
	f.Add([]byte("\x80\x04\x8c\x16numpy._core.multiarray\x8c\x06scalar\x93\x8c\x05numpy\x8c\x05dtype\x93\x8c\x02f2\x89\x88\x87R(K\x03\x8c\x01<NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tbC\x02\x00\x3c\x86R."))
	raw, err := os.ReadFile("testdata/hdmf.json")
	if err != nil {
		f.Fatal(err)
	}
	var samples []struct{ Data []byte }
	if err := json.Unmarshal(raw, &samples); err != nil {
		f.Fatal(err)
	}
	for _, s := range samples {
		f.Add(s.Data)
	}
	fuzzlong.Fuzz(f, func(t *testing.T, data []byte) {
		d, err := Load(data, 1<<20)
		if err != nil {
			return
		}
		w := &pyjson.Writer{Limit: 1 << 16}
		if d.Value(w) == nil && !json.Valid(pyjson.AppendQuotingBare(nil, w.B)) {
			t.Errorf("%q gives %s", data, w.B)
		}
		a, err := d.Array()
		if err != nil {
			return
		}
		_ = a.Each(func(_ int, value func(pyjson.Sink) error) error {
			w := &pyjson.Writer{Limit: 1 << 16}
			return value(w)
		})
	})
}

func Example() {
	// What zarr-python stores for the fill value 0, and something that no array
	// of data holds.
	for _, data := range []string{"\x80\x05K\x00.", "\x80\x04\x8c\x02os\x8c\x06system\x93."} {
		d, err := Load([]byte(data), 1<<20)
		if err != nil {
			fmt.Println(err)
			continue
		}
		var w pyjson.Writer
		err = d.Value(&w)
		fmt.Println(string(w.B), err)
	}
	// Output:
	// 0 <nil>
	// at byte 14: the pickle refers to os.system, which is not data
}

// A dict with the four names of a reference is written as one, and nothing else
// is. hdmf_zarr 0.13.0 reads the first two as its ZarrReference.
func TestReferencesAreWrittenAsSuch(t *testing.T) {
	one := `{"object_id":null,"path":"/a","source":".","source_object_id":"id"}`
	two := `{"source":"../b.zarr","path":"/b","object_id":"x","source_object_id":"y"}`
	values := []string{
		one, two, `{"path":"/a","source":"."}`, `{"object_id":null,"path":"/a","region":[],"source":".","source_object_id":"id"}`,
		`["source","path","object_id","source_object_id"]`, `{"a":"source","b":"path","c":"object_id","d":"source_object_id"}`,
		`[` + one + `,{"source":` + two + `}]`,
	}
	w := &Writer{B: []byte("before")}
	if err := w.BeginArray([]int{len(values)}, Type{Code: "O8"}); err != nil {
		t.Fatal(err)
	}
	var r pyjson.Reader
	for _, v := range values {
		w.Item()
		if err := r.All([]byte(v), w); err != nil {
			t.Fatal(err)
		}
	}
	w.FinishArray()
	data := w.B[len("before"):]
	if n := strings.Count(string(data), "ZarrReference"); n != 1 {
		t.Errorf("the class is named %d times", n)
	}
	if n := strings.Count(string(data), ")\x81("); n != 4 {
		t.Errorf("%d references", n)
	}
	d, err := Load(data, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	a, err := d.Array()
	if err != nil {
		t.Fatal(err)
	}
	err = a.Each(func(i int, value func(pyjson.Sink) error) error {
		out := pyjson.Writer{Limit: 1 << 16}
		if err := value(&out); err != nil {
			return err
		}
		if string(out.B) != values[i] {
			t.Errorf("%s became %s", values[i], out.B)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	// The next pickle names the class anew.
	w.B = nil
	w.Begin()
	if err := r.All([]byte(one), w); err != nil {
		t.Fatal(err)
	}
	w.Finish()
	want := "\x80\x05\x8c\x0fhdmf_zarr.utils\x8c\x0dZarrReference\x93\x94)\x81(\x8c\x09object_idN\x8c\x04path\x8c\x02/a\x8c\x06source\x8c\x01.\x8c\x10source_object_id\x8c\x02idu."
	if string(w.B) != want {
		t.Errorf("got %q", w.B)
	}
}

// A byte makes a value of many bytes: what a small file can grow to is bounded by
// the elements that it says it holds.
func TestPicklesOfTooManyParts(t *testing.T) {
	if !thorough.Enabled {
		defer func(n int) { maxParts = n }(maxParts)
		maxParts = 1 << 17
	}
	n := thorough.Of(maxParts+1<<20, 20<<20)
	for name, data := range map[string][]byte{
		"nested": append([]byte("\x80\x05N"), bytes.Repeat([]byte{0x85}, n)...),
		"lists":  append([]byte("\x80\x05]("), bytes.Repeat([]byte("]"), n)...),
		"nones":  append([]byte("\x80\x05]("), bytes.Repeat([]byte("N"), n)...),
		"memo":   append([]byte("\x80\x05N"), bytes.Repeat([]byte{0x94}, n)...),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Load(data, 10)
		runtime.ReadMemStats(&after)
		if err == nil || !strings.Contains(err.Error(), "parts for 10 elements") {
			t.Errorf("%s: %v", name, err)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > uint64(200*maxParts) {
			t.Errorf("%s: %d bytes allocated", name, used)
		}
	}
}
