package msgpack

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/internal/fuzzlong"
	"github.com/omnizarr/zarr/internal/pyjson"
)

func text(r Reader) (string, error) {
	w := pyjson.Writer{Limit: 1 << 16}
	end, err := r.Value(0, &w)
	if err == nil && end != len(r.Src) {
		err = fmt.Errorf("ends at byte %d", end)
	}
	return string(w.B), err
}

// The examples of the specification, and the borders between its forms.
func TestValues(t *testing.T) {
	for data, want := range map[string]string{
		"\xc0": "null", "\xc2": "false", "\xc3": "true", "\x00": "0", "\x7f": "127", "\xff": "-1", "\xe0": "-32",
		"\xcc\x80": "128", "\xcd\x01\x00": "256", "\xce\x00\x01\x00\x00": "65536", "\xcf\xff\xff\xff\xff\xff\xff\xff\xff": "18446744073709551615",
		"\xd0\x80": "-128", "\xd1\x80\x00": "-32768", "\xd2\x80\x00\x00\x00": "-2147483648", "\xd3\x80\x00\x00\x00\x00\x00\x00\x00": "-9223372036854775808",
		"\xcb?\xf8\x00\x00\x00\x00\x00\x00": "1.5", "\xcb\x7f\xf8\x00\x00\x00\x00\x00\x00": "NaN",
		"\xa0": `""`, "\xa2ab": `"ab"`, "\x90": "[]", "\x80": "{}", "\x92\x01\x02": "[1,2]", "\x82\xa7compact\xc3\xa6schema\x00": `{"compact":true,"schema":0}`,
	} {
		got, err := text(Reader{Src: []byte(data)})
		if err != nil || got != want {
			t.Errorf("%q is %s, %v, want %s", data, got, err, want)
		}
		var w Writer
		var r pyjson.Reader
		if err := r.All([]byte(want), &w); err != nil || string(w.B) != data {
			t.Errorf("%s is written as %q, %v", want, w.B, err)
		}
	}
}

func TestOtherForms(t *testing.T) {
	for data, want := range map[string]string{
		"\xca?\xc0\x00\x00": "1.5", "\xd9\x01a": `"a"`, "\xda\x00\x01a": `"a"`, "\xdb\x00\x00\x00\x01a": `"a"`,
		"\xdc\x00\x01\x05": "[5]", "\xdd\x00\x00\x00\x01\x05": "[5]", "\xde\x00\x01\xa1a\x05": `{"a":5}`, "\xdf\x00\x00\x00\x01\xa1a\x05": `{"a":5}`,
		"\xc4\x02\x00\xff": `"AP8="`, "\xc5\x00\x01\x00": `"AA=="`, "\xc6\x00\x00\x00\x01\x00": `"AA=="`, "\xd0\x05": "5",
	} {
		if got, err := text(Reader{Src: []byte(data)}); err != nil || got != want {
			t.Errorf("%q is %s, %v, want %s", data, got, err, want)
		}
	}
	if got, err := text(Reader{Src: []byte("\x92\xa1\xff\xa1a"), Raw: true}); err != nil || got != `["/w==","a"]` {
		t.Errorf("got %s, %v", got, err)
	}
	w := Writer{Single: true, Old: true}
	for _, err := range []error{w.Float(1.5), w.Text([]byte(strings.Repeat("x", 32))), w.Bytes([]byte{255})} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if string(w.B) != "\xca?\xc0\x00\x00\xda\x00 "+strings.Repeat("x", 32)+"\xa1\xff" {
		t.Errorf("got %q", w.B)
	}
}

func TestLongListsAndMaps(t *testing.T) {
	for _, n := range []int{0, 15, 16, 65535, 65536} {
		var w Writer
		for _, open := range []func() error{w.List, w.Map} {
			if err := open(); err != nil {
				t.Fatal(err)
			}
			for i := range n {
				_ = w.Text(fmt.Append(nil, i))
				if len(w.open) == 2 {
					_ = w.Number([]byte("7"))
				}
			}
		}
		_, _ = w.End(), w.End()
		got, err := text(Reader{Src: w.B})
		if n > 10_000 { // more than the sink takes
			if err != pyjson.ErrLimit {
				t.Errorf("%d: %v", n, err)
			}
		} else if !json.Valid([]byte(got)) || err != nil {
			t.Errorf("%d: %s, %v", n, got, err)
		}
		r := Reader{Src: w.B}
		count, _, err := r.List(0)
		end, skipped := r.Skip(0)
		if count != n+1 || err != nil || end != len(w.B) || skipped != nil {
			t.Errorf("%d: %d items, %v; skipped to %d of %d, %v", n, count, err, end, len(w.B), skipped)
		}
	}
}

func TestDamageIsNamed(t *testing.T) {
	for want, data := range map[string]string{
		"the data ends where a value":     "",
		"the data ends inside a value":    "\xcd\x01",
		"0xc1, which MessagePack":         "\xc1",
		"an extension type (0xd4)":        "\xd4\x01\x02",
		"an extension type (0xc7)":        "\xc7\x00\x01",
		"a length of 4294967295, 0 bytes": "\xdb\xff\xff\xff\xff",
		"a length of 4294967295, 1 bytes": "\xdd\xff\xff\xff\xff\x00",
		"a map of 4294967295, 0 bytes":    "\xdf\xff\xff\xff\xff",
		"text is not UTF-8":               "\xa1\xff",
		"a name in a map is not text":     "\x81\x01\x01",
		"values are nested too deeply":    strings.Repeat("\x91", 300) + "\x00",
	} {
		if got, err := text(Reader{Src: []byte(data)}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is %s, %v, want %s", data, got, err, want)
		}
	}
	var w Writer
	for value, want := range map[string]string{"18446744073709551616": "64 bits", "-9223372036854775809": "64 bits", `"\ud800"`: "UTF-8"} {
		var r pyjson.Reader
		if err := r.All([]byte(value), &w); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", value, err)
		}
	}
}

func FuzzValue(f *testing.F) {
	f.Add([]byte("\x82\xa7compact\xc3\xa6schema\x92\x00\xcb?\xf8\x00\x00\x00\x00\x00\x00"))
	f.Add([]byte("\xdd\xff\xff\xff\xff\x00"))
	fuzzlong.Fuzz(f, func(t *testing.T, data []byte) {
		r := Reader{Src: data}
		skipped, skipErr := r.Skip(0)
		w := pyjson.Writer{Limit: 1 << 16}
		end, err := r.Value(0, &w)
		if err != nil {
			return
		}
		if skipErr != nil || skipped != end {
			t.Errorf("%q ends at %d, skipped to %d, %v", data, end, skipped, skipErr)
		}
		var again Writer
		var back pyjson.Reader
		if err := back.All(w.B, &again); err != nil {
			t.Fatalf("%s: %v", w.B, err)
		}
		if got, err := text(Reader{Src: again.B}); err != nil || got != string(w.B) {
			t.Errorf("%s became %s, %v", w.B, got, err)
		}
	})
}

func Example() {
	r := Reader{Src: []byte("\x82\xa7compact\xc3\xa6schema\x00")}
	var w pyjson.Writer
	_, err := r.Value(0, &w)
	fmt.Println(string(w.B), err)
	// Output: {"compact":true,"schema":0} <nil>
}
