package pyjson

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/internal/fuzzlong"
)

// Python 3.13 spells them so.
func TestFloatsAreSpelledAsInPython(t *testing.T) {
	for want, v := range map[string]float64{
		"0.0": 0, "-0.0": math.Copysign(0, -1), "1.0": 1, "0.1": 0.1, "1e+16": 1e16, "1000000000000000.0": 1e15,
		"1.2345678901234568e+17": 123456789012345680, "0.0001": 1e-4, "1e-05": 1e-5, "1.5e-07": 1.5e-7,
		"5e-324": 5e-324, "1.7976931348623157e+308": math.MaxFloat64, "-123.25": -123.25,
		"NaN": math.NaN(), "Infinity": math.Inf(1), "-Infinity": math.Inf(-1),
	} {
		got := string(AppendFloat(nil, v))
		if got != want {
			t.Errorf("%v is %s, want %s", v, got, want)
		}
		if back := ParseFloat([]byte(got)); math.Float64bits(back) != math.Float64bits(v) && v == v {
			t.Errorf("%s is read as %v", got, back)
		}
	}
}

func TestOneFormForOneValue(t *testing.T) {
	for in, want := range map[string]string{
		" null ": "null", "[ 1 , 2.50 ]": "[1,2.50]", `{"a" : [ ] , "b":{ } }`: `{"a":[],"b":{}}`,
		`"\u0041\/\u00e9\n"`: `"A/é\n"`, `"\ud834\udd1e"`: `"𝄞"`, `"\ud834x"`: `"\ud834x"`, `"\uDD1E\ud834"`: `"\udd1e\ud834"`,
		`"\u007f\u0000\b\f"`: "\"\x7f\\u0000\\b\\f\"", "[NaN,Infinity,-Infinity]": "[NaN,Infinity,-Infinity]",
		"-0": "-0", "1E5": "1E5", "12345678901234567890123": "12345678901234567890123",
	} {
		got, err := Compact(nil, []byte(in))
		if err != nil || string(got) != want {
			t.Errorf("%s is %s, %v, want %s", in, got, err, want)
		}
		again, err := Compact(nil, got)
		if err != nil || string(again) != want {
			t.Errorf("%s is %s, %v", got, again, err)
		}
	}
}

func TestWhatIsNoJSON(t *testing.T) {
	for in, want := range map[string]string{
		"": "at byte 0: the text ends where a value", "[1": "ends where ']'", "[1}": `'}' where ']'`, "{1:2}": "no name", `{"a"}`: `where ':'`,
		`{"a":1,}`: "no name", "[1,]": `no value begins with ']'`, "01": "not a number", "-": "not a number", "1.": "behind its point", "1e": "in its exponent",
		"nul": `no value begins with 'n'`, "NaNa": "1 bytes follow", "1 2": "1 bytes follow", `"a`: "a string without end", `"\`: "a string without end",
		`"\x"`: "an escape", `"\u12g4"`: "an escape", "\"\xff\"": "not UTF-8", "\"\xed\xa0\x80\"": "not UTF-8", "\"\n\"": "a control character",
		strings.Repeat("[", 257): "nested too deeply", "-NaN": "not a number", "\x00": "no value begins",
	} {
		if got, err := Compact(nil, []byte(in)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q is %s, %v, want %s", in, got, err, want)
		}
	}
	r := Reader{Control: true}
	var w Writer
	if err := r.All([]byte("\"\n\""), &w); err != nil || string(w.B) != `"\n"` {
		t.Errorf("got %s, %v", w.B, err)
	}
}

func TestStyles(t *testing.T) {
	two := "  "
	in := []byte(`{"b":[1,{}],"é":"☃𝄞","a":[]}`)
	for _, c := range []struct {
		style Style
		want  string
	}{
		{Style{}, `{"b":[1,{}],"é":"☃𝄞","a":[]}`},
		{Style{ASCII: true, Sort: true}, `{"a":[],"b":[1,{}],"\u00e9":"\u2603\ud834\udd1e"}`},
		{Style{Item: ", ", Name: ": "}, `{"b": [1, {}], "é": "☃𝄞", "a": []}`},
		{Style{Item: ",", Name: ": ", Indent: &two, Sort: true}, "{\n  \"a\": [],\n  \"b\": [\n    1,\n    {}\n  ],\n  \"é\": \"☃𝄞\"\n}"},
	} {
		w := Writer{Style: c.style}
		var r Reader
		if err := r.All(in, &w); err != nil || string(w.B) != c.want {
			t.Errorf("%+v: got %s, %v", c.style, w.B, err)
		}
	}
	w := Writer{Style: Style{Finite: true}}
	if err := w.Float(math.NaN()); !errors.Is(err, errFinite) {
		t.Errorf("got %v", err)
	}
}

func TestLimits(t *testing.T) {
	long := []byte(strings.Repeat("\x00", 100))
	for name, write := range map[string]func(w *Writer) error{
		"text":  func(w *Writer) error { return w.Text(long) },
		"bytes": func(w *Writer) error { return w.Bytes(long) },
		"list": func(w *Writer) error {
			for range 200 {
				if err := w.List(); err != nil {
					return err
				}
			}
			return nil
		},
	} {
		w := &Writer{Limit: 120}
		if err := write(w); !errors.Is(err, ErrLimit) || len(w.B) > 140 {
			t.Errorf("%s: %d bytes, %v", name, len(w.B), err)
		}
	}
	w := &Writer{}
	if err := errors.Join(w.Map(), w.Text([]byte("a"))); err != nil {
		t.Fatal(err)
	}
	if err := w.End(); !errors.Is(err, errOdd) {
		t.Errorf("got %v", err)
	}
	if w.Reset(); w.Null() != nil {
		t.Error("a Writer stays unfit")
	}
	if err := errors.Join(w.Map(), w.Null()); !errors.Is(err, errName) {
		t.Errorf("got %v", err)
	}
}

func TestBareWords(t *testing.T) {
	for in, want := range map[string]string{
		"NaN": `"NaN"`, "[1,-Infinity,NaN]": `[1,"-Infinity","NaN"]`, `{"NaN":Infinity}`: `{"NaN":"Infinity"}`, `"\"NaN"`: `"\"NaN"`, "-1": "-1",
	} {
		if got := string(AppendQuotingBare(nil, []byte(in))); got != want {
			t.Errorf("%s became %s, want %s", in, got, want)
		}
		if HasBare([]byte(in)) != (in != want) {
			t.Errorf("%s: %v", in, HasBare([]byte(in)))
		}
	}
}

func TestUnquote(t *testing.T) {
	for in, want := range map[string]string{`""`: "", `"abc"`: "abc", `"\n\"\u0001é"`: "\n\"\x01é"} {
		if got, err := Unquote([]byte(in)); err != nil || string(got) != want {
			t.Errorf("%s is %q, %v", in, got, err)
		}
	}
	if _, err := Unquote([]byte(`"\ud800"`)); err == nil {
		t.Error("half of a pair was decoded")
	}
}

func FuzzCompact(f *testing.F) {
	for _, s := range []string{`{"b":[1,{}],"é":"☃\ud834\udd1e\ud800","a":[NaN,-1.5e3]}`, `"\u0000"`, "[[[]]]", "-Infinity"} {
		f.Add([]byte(s))
	}
	fuzzlong.Fuzz(f, func(t *testing.T, in []byte) {
		out, err := Compact(nil, in)
		valid := json.Valid(in)
		if err != nil {
			if valid && !errors.Is(err, ErrDepth) && !errors.Is(err, errText) {
				t.Errorf("%q is valid, but %v", in, err)
			}
			return
		}
		if !json.Valid(AppendQuotingBare(nil, out)) {
			t.Errorf("%q became %q", in, out)
		}
		if again, err := Compact(nil, out); err != nil || string(again) != string(out) {
			t.Errorf("%q became %q, %v", out, again, err)
		}
	})
}

func Example() {
	w := Writer{Style: Style{Item: ", ", Name: ": ", ASCII: true, Sort: true}}
	var r Reader
	err := r.All([]byte(`{"b":NaN,"a":"é"}`), &w)
	fmt.Println(string(w.B), err)
	// Output: {"a": "\u00e9", "b": NaN} <nil>
}
