package strictjson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/internal/fuzzlong"
)

func TestValidate(t *testing.T) {
	for doc, want := range map[string]string{
		`{}`:                           "",
		" [1, -0.5e+3, \"\\u00e4\"]\n": "",
		`"\ud800"`:                     "", // half of a pair: odd, but JSON
		`{"a":{"b":[1,{"c":tru}]}}`:    "a.b[1].c: not JSON: 't' at byte 18 where a value should be",
		``:                             "not JSON: it ends at byte 0 where a value should follow",
		`{"a":1,}`:                     "not JSON: '}' at byte 7 where a member's name should be",
		`[1,]`:                         "[1]: not JSON: ']' at byte 3 where a value should be",
		`[1 2]`:                        "not JSON: '2' at byte 3 where ',' or ']' should be",
		`{"a" 1}`:                      "a: not JSON: '1' at byte 5 where ':' should be",
		`{"a":1 "b"}`:                  "not JSON: '\"' at byte 7 where ',' or '}' should be",
		`[01]`:                         "[0]: not JSON: malformed number at byte 1",
		`[1.]`:                         "[0]: not JSON: malformed number at byte 1",
		`[-]`:                          "[0]: not JSON: malformed number at byte 1",
		`[1e]`:                         "[0]: not JSON: malformed number at byte 1",
		`[.5]`:                         "[0]: not JSON: '.' at byte 1 where a value should be",
		`[NaN]`:                        "[0]: bare NaN is not JSON",
		`[-Infinity]`:                  "[0]: bare -Infinity is not JSON",
		`{} {}`:                        "not JSON: more text behind the value, at byte 3",
		`"a`:                           "not JSON: the string at byte 0 does not end",
		"\"a\nb\"":                     "not JSON: control character in a string, at byte 2",
		`"\x"`:                         "not JSON: bad escape in a string, at byte 1",
		`"\u12g4"`:                     "not JSON: bad escape in a string, at byte 1",
		"[\"\xff\"]":                   "not JSON: byte 2 is not UTF-8",
		"\ufeff{}":                     `not JSON: '\ufeff' at byte 0 where a value should be`,
		`{"x.y":{"a":1,"\u0061":1}}`:   `"x.y".a: the object has two members of this name`,
		`{"\ud800":1}`:                 `member name "\\ud800" has half of a surrogate pair`,
	} {
		got := ""
		if err := Validate([]byte(doc), Options{}); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q: got %s, want %s", doc, got, want)
		}
	}
}

func TestLimits(t *testing.T) {
	nested := strings.Repeat("[", 256) + strings.Repeat("]", 256)
	if err := Validate([]byte(nested), Options{}); err != nil {
		t.Error(err)
	}
	if err := Validate([]byte("["+nested+"]"), Options{}); err == nil {
		t.Error("257 levels accepted")
	}
	if err := Validate([]byte("[[]]"), Options{MaxDepth: 1}); err == nil || err.Error() != "[0]: nested deeper than 1 levels" {
		t.Errorf("got %v", err)
	}
	if err := Validate([]byte("[[]]"), Options{MaxBytes: 3}); err == nil || err.Error() != "4 bytes long, at most 3 are allowed" {
		t.Errorf("got %v", err)
	}
}

func TestManyNames(t *testing.T) {
	var b bytes.Buffer
	for i := range 1000 {
		fmt.Fprintf(&b, `,"%d":{"0":1}`, i)
	}
	body := b.String()[1:]
	members, err := Object([]byte("{"+body+"}"), Options{})
	if err != nil || len(members) != 1000 || members[999].Name != "999" {
		t.Errorf("%d members, %v", len(members), err)
	}
	_, err = Object([]byte("{"+body+`,"7":0}`), Options{})
	if err == nil || err.Error() != "7: the object has two members of this name" {
		t.Errorf("got %v", err)
	}
}

func TestObject(t *testing.T) {
	got, err := Object([]byte(" {\"b\" : [1, 2] ,\n\"a\\n\":NaN , \"c\":\"x\"} "), Options{NaNIn: []string{"a\n"}})
	want := []Member{{"b", json.RawMessage("[1, 2]")}, {"a\n", json.RawMessage("NaN")}, {"c", json.RawMessage(`"x"`)}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, %v", got, err)
	}
	for doc, want := range map[string]string{
		`[]`:                 "must be an object, not an array",
		`[`:                  "[0]: not JSON: it ends at byte 1 where a value should follow",
		`7`:                  "must be an object, not a number",
		`{"b":{"a":NaN}}`:    "b.a: bare NaN is not JSON",
		`{"a":{"a":{}}, "b"`: "b: not JSON: it ends at byte 18 where ':' should follow",
	} {
		if _, err := Object([]byte(doc), Options{NaNIn: []string{"a"}}); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", doc, err, want)
		}
	}
}

func TestLongNamesAreCut(t *testing.T) {
	doc := `{"` + strings.Repeat("ä", 1000) + `":{"x":x}}`
	if err := Validate([]byte(doc), Options{}); err == nil || len(err.Error()) > 300 {
		t.Errorf("got %v", err)
	}
}

// FuzzStrictJSON compares with encoding/json: what Validate accepts is valid
// there too, what it refuses is either invalid or refused for a reason that
// encoding/json does not have, and all that takes values apart agrees.
func FuzzStrictJSON(f *testing.F) {
	for _, doc := range []string{
		`{"a":[1,2.5e3,"x\u00e4",null,true],"b":{}}`, `[NaN]`, `{"a":1,"a":2}`, `"\ud83d\ude00\ud800"`,
		`[-0,[[]],"\\\""]`, "{\"\\n\":\"\x7f\"}", ` [ 1 , { "k" : [ ] } ] `, `[Infinity,{"x":-Infinity}]`,
	} {
		f.Add([]byte(doc))
	}
	fuzzlong.Fuzz(f, func(t *testing.T, doc []byte) {
		err := Validate(doc, Options{})
		if valid := json.Valid(doc); (err == nil) != valid {
			if err == nil {
				t.Fatalf("%q is not JSON", doc)
			}
			known := []string{"two members", "surrogate", "nested deeper", "not UTF-8"}
			for _, reason := range known {
				if strings.Contains(err.Error(), reason) {
					return
				}
			}
			t.Fatalf("%q: %v", doc, err)
		}
		if Validate(doc, Options{NaN: true}) != nil {
			takeApart(doc) // must not panic or hang
			return
		}
		quoted := QuoteBare(doc)
		var plain, ours, back any
		if err := json.Unmarshal(quoted, &plain); err != nil {
			if strings.Contains(err.Error(), "cannot unmarshal number") {
				return // out of range for float64
			}
			t.Fatalf("%q: %v", quoted, err)
		}
		if err := Decode(doc, &ours); err != nil {
			t.Fatalf("%q: %v", doc, err)
		}
		raw, err := Marshal(ours, true)
		if err != nil {
			t.Fatalf("%q: %v", doc, err)
		}
		if err := json.Unmarshal(QuoteBare(raw), &back); err != nil || !reflect.DeepEqual(plain, back) {
			t.Fatalf("%q: %v became %v, %v", doc, plain, back, err)
		}
		indented := Indent(nil, doc)
		if a, b := compact(doc), compact(indented); !bytes.Equal(a, b) {
			t.Fatalf("%q: indented %q", doc, indented)
		}
		checkParts(t, doc)
	})
}

// compact removes white space outside strings.
func compact(doc []byte) []byte {
	out := []byte{}
	for pos := 0; pos < len(doc); {
		end := pos + 1
		if doc[pos] == '"' {
			end = skipString(doc, pos)
		}
		if skipSpace(doc, pos) == pos {
			out = append(out, doc[pos:end]...)
		}
		pos = end
	}
	return out
}

// takeApart uses everything that is only promised to work on checked values.
func takeApart(raw []byte) {
	_, _ = Split(raw)
	_ = Each(raw, func(int, json.RawMessage) error { return nil })
	_, _ = Int(raw)
	_, _ = String(raw)
	_, _ = ParseNamed(raw)
	_ = Describe(raw)
	_ = QuoteBare(raw)
	_ = Excerpt(raw)
}

// checkParts compares Split, Each, Int and String with encoding/json.
func checkParts(t *testing.T, doc []byte) {
	takeApart(doc)
	if !json.Valid(doc) {
		return
	}
	raw := bytes.TrimSpace(doc)
	switch raw[0] {
	case '{':
		var want map[string]json.RawMessage
		members, err := Split(raw)
		if err != nil || json.Unmarshal(raw, &want) != nil || len(want) != len(members) {
			t.Fatalf("%q: %d members, want %d, %v", doc, len(members), len(want), err)
		}
		for _, m := range members {
			if !bytes.Equal(m.Raw, want[m.Name]) {
				t.Fatalf("%q: member %q is %q, want %q", doc, m.Name, m.Raw, want[m.Name])
			}
		}
	case '[':
		var want, got []json.RawMessage
		err := Each(raw, func(_ int, elem json.RawMessage) error { got = append(got, elem); return nil })
		if err != nil || json.Unmarshal(raw, &want) != nil || len(got) != len(want) {
			t.Fatalf("%q: %d elements, want %d, %v", doc, len(got), len(want), err)
		}
		for i := range got {
			if !bytes.Equal(got[i], want[i]) {
				t.Fatalf("%q: element %d is %q", doc, i, got[i])
			}
		}
	case '"':
		var want string
		if got, err := String(raw); err != nil || json.Unmarshal(raw, &want) != nil || got != want {
			t.Fatalf("%q: got %q, want %q, %v", doc, got, want, err)
		}
	default:
		var want int64
		wantErr := json.Unmarshal(raw, &want)
		if got, err := Int(raw); (err == nil) != (wantErr == nil && string(raw) != "null") || got != want {
			t.Fatalf("%q: got %d %v, want %d %v", doc, got, err, want, wantErr)
		}
	}
}
