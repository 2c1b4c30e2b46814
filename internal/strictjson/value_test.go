package strictjson

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
)

func TestInt(t *testing.T) {
	for raw, want := range map[string]int64{"0": 0, "-7": -7, "9223372036854775807": math.MaxInt64} {
		if got, err := Int([]byte(raw)); err != nil || got != want {
			t.Errorf("%s: got %d, %v", raw, got, err)
		}
	}
	for raw, want := range map[string]string{
		"1.0":                  "must be an integer, not 1.0",
		"1e3":                  "must be an integer, not 1e3",
		`"1"`:                  "must be an integer, not a string",
		"true":                 "must be an integer, not a boolean",
		"null":                 "must be an integer, not null",
		"NaN":                  "must be an integer, not a number",
		"9223372036854775808":  "9223372036854775808 does not fit 64 bits",
		"-9223372036854775809": "-9223372036854775809 does not fit 64 bits",
	} {
		if _, err := Int([]byte(raw)); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", raw, err, want)
		}
	}
}

func TestLengths(t *testing.T) {
	got, err := Lengths([]byte("[ 1 , 2]"), 1, 2)
	if err != nil || !reflect.DeepEqual(got, []int{1, 2}) {
		t.Errorf("got %v, %v", got, err)
	}
	for raw, want := range map[string]string{
		"[1,0]":   "[1]: 0 is less than 1",
		"[1,2,3]": "[2]: more than 2 elements",
		"{}":      "must be an array, not an object",
		"[[1]]":   "[0]: must be an integer, not an array",
	} {
		if _, err := Lengths([]byte(raw), 1, 2); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", raw, err, want)
		}
	}
}

func TestErrorPaths(t *testing.T) {
	cause := errors.New("cause")
	err := At("a", AtMember("b c", AtIndex(3, At("d", cause))))
	if err.Error() != `a."b c"[3].d: cause` || !errors.Is(err, cause) {
		t.Errorf("got %v", err)
	}
	if At("a", nil) != nil || AtIndex(1, nil) != nil || AtMember("a", nil) != nil {
		t.Error("nil became an error")
	}
}

func TestDecodeBareTokens(t *testing.T) {
	inf := math.Inf(1)
	var list []float64
	if err := Decode([]byte("[1, Infinity, -Infinity]"), &list); err != nil || !reflect.DeepEqual(list, []float64{1, inf, -inf}) {
		t.Errorf("got %v, %v", list, err)
	}
	var pair [2]float32
	if err := Decode([]byte("[-Infinity, 2, 3]"), &pair); err != nil || pair != [2]float32{float32(-inf), 2} {
		t.Errorf("got %v, %v", pair, err)
	}
	var table map[string][]*float64
	if err := Decode([]byte(`{"a": [Infinity, null], "b": []}`), &table); err != nil || *table["a"][0] != inf || table["a"][1] != nil {
		t.Errorf("got %v, %v", table, err)
	}
	var v any
	if err := Decode([]byte(`{"a": [NaN, 1, "NaN"], "b": {"c": Infinity}}`), &v); err != nil {
		t.Fatal(err)
	}
	m := v.(map[string]any)
	if a := m["a"].([]any); !math.IsNaN(a[0].(float64)) || a[1] != 1.0 || a[2] != "NaN" {
		t.Errorf("got %v", a)
	}
	if m["b"].(map[string]any)["c"] != inf {
		t.Errorf("got %v", m)
	}
	var s struct{ A float64 }
	if err := Decode([]byte(`{"a": 1}`), &s); err != nil || s.A != 1 {
		t.Errorf("got %v, %v", s, err)
	}
	for raw, into := range map[string]any{
		`{"a": NaN}`: &s, `NaN`: new(int), `[NaN]`: new(string), `[NaN,`: new(any), `[Infinity]`: list, `[1, {"a":NaN}]`: new([]float64),
	} {
		if err := Decode([]byte(raw), into); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s into %T: got %v", raw, into, err)
		}
	}
}

func TestMarshal(t *testing.T) {
	x := math.NaN()
	for _, c := range []struct {
		v    any
		want string
	}{
		{map[string]any{"b": "<&>", "a": []any{1, math.NaN(), &x}}, `{"a":[1,NaN,NaN],"b":"<&>"}`},
		{[2]float32{float32(math.Inf(1)), float32(math.Inf(-1))}, `[Infinity,-Infinity]`},
		{[]any{json.RawMessage(" [NaN] "), nil, math.Inf(1)}, `[[NaN],null,Infinity]`},
		{1.5, `1.5`},
	} {
		if got, err := Marshal(c.v, true); err != nil || string(got) != c.want {
			t.Errorf("got %s, %v, want %s", got, err, c.want)
		}
	}
	if _, err := Marshal(math.NaN(), false); err == nil {
		t.Error("NaN written without being asked for")
	}
	loop := []any{nil, math.NaN()}
	loop[0] = loop
	for _, v := range []any{make(chan int), []any{func() {}}, struct{ A float64 }{x}, json.RawMessage("{"), map[int]float64{1: x}, loop} {
		if got, err := Marshal(v, true); err == nil {
			t.Errorf("%T gave %s", v, got)
		}
	}
}

func TestIndent(t *testing.T) {
	long := "[" + strings.Repeat("1000, ", 20) + "1]"
	got := string(Indent(nil, []byte(`{"a":[1,2,[3]],"b":{},"c":[],"d":{"e":[{"f":NaN}],"g":"x y"},"h":`+long+`}`)))
	want := `{
  "a": [1, 2, [3]],
  "b": {},
  "c": [],
  "d": {
    "e": [
      {
        "f": NaN
      }
    ],
    "g": "x y"
  },
  "h": [
` + strings.Repeat("    1000,\n", 20) + `    1
  ]
}`
	if got != want {
		t.Errorf("got %s", got)
	}
}

func TestNamed(t *testing.T) {
	for raw, want := range map[string]Named{
		`"a"`:          {Name: "a"},
		`{"name":"a"}`: {Name: "a"},
		`{"must_understand":false,"configuration":{"b":1},"name":"a"}`: {"a", json.RawMessage(`{"b":1}`), true},
	} {
		got, err := ParseNamed([]byte(raw))
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v, %v", raw, got, err)
		}
		out, err := got.Append(nil)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := ParseNamed(out); err != nil || !reflect.DeepEqual(again, want) {
			t.Errorf("%s: got %v, %v", out, again, err)
		}
	}
}
