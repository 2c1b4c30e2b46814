package base64_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/base64"
	"github.com/omnizarr/zarr/codec/codectest"
	"github.com/omnizarr/zarr/codec/internal/basic"
	"github.com/omnizarr/zarr/internal/fuzzlong"
)

func registry() *codec.Registry { return basic.With(base64.Parse, "numcodecs.base64", "base64") }

func TestBase64PassesTheSuite(t *testing.T) {
	for _, c := range []codectest.Case{
		{Codecs: `["bytes","numcodecs.base64"]`, Type: "uint8", Shape: []int{20, 31}, Fill: "9"},
		{Codecs: `[{"name":"bytes","configuration":{"endian":"big"}},"base64","crc32c"]`, Type: "int32", Shape: []int{3, 4, 5}},
		{Codecs: `["vlen-utf8","numcodecs.base64","gzip"]`, Type: "string", Shape: []int{4, 5}},
	} {
		c.Registry = registry()
		t.Run(c.Name(), func(t *testing.T) { codectest.Run(t, c) })
	}
}

func TestTheConfigurationIsEmpty(t *testing.T) {
	for _, name := range []string{"numcodecs.base64", "base64"} {
		c, err := registry().Parse(codec.Entry{Name: name})
		if err != nil {
			t.Fatal(err)
		}
		text, err := c.MarshalJSON()
		if want := `{"name":"` + name + `","configuration":{}}`; err != nil || string(text) != want {
			t.Errorf("%s became %s, %v", name, text, err)
		}
		if _, err := registry().Parse(codec.Entry{Name: name, Config: json.RawMessage(`{"x":1}`)}); err == nil {
			t.Error("an unknown member was accepted")
		}
	}
	if name := (base64.Codec{}).Name(); name != "numcodecs.base64" {
		t.Error(name)
	}
}

func filter(t testing.TB) codec.BytesFilter {
	t.Helper()
	f, err := base64.Codec{}.BindBytes(codec.Spec{}, codec.Size{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// What numcodecs 0.17.1 writes.
func TestTextIsThatOfNumcodecs(t *testing.T) {
	for data, want := range map[string]string{
		"":                 "",
		"\xfb":             "+w==",
		"\xfb\xff":         "+/8=",
		"\xfb\xff\xbf":     "+/+/",
		"\x00\x01\x02\x03": "AAECAw==",
	} {
		out, err := filter(t).Encode(nil, []byte("pre"), []byte(data))
		if err != nil || string(out) != "pre"+want {
			t.Errorf("%q: got %q, %v", data, out, err)
		}
		for _, room := range []int{0, 3 + len(data)} {
			dst := append(make([]byte, 0, room), "pre"...)
			out, err = filter(t).Decode(nil, dst, []byte(want), len(data))
			if err != nil || string(out) != "pre"+data {
				t.Errorf("%q: got %q, %v", want, out, err)
			}
			if room > 0 && &out[0] != &dst[0] {
				t.Errorf("%q: other memory than the caller's", want)
			}
		}
	}
}

func TestBadTextIsRefused(t *testing.T) {
	for text, want := range map[string]string{
		"AAE":          "3 letters are not whole groups of four",
		"A===":         "letter 2, \"=\", cannot be there",
		"AA=A":         "letter 4, \"A\", cannot be there",
		"AA-A":         "letter 3, \"-\", cannot be there",
		"====":         "letter 1, \"=\", cannot be there",
		"AA==AAAA":     "letter 3, \"=\", cannot be there",
		"AAAA\n\n\n\n": "8 letters hold 3 bytes, not 6",
		"AAAAAAAAAAA=": "holds 8 bytes, at most 7 are possible",
	} {
		if out, err := filter(t).Decode(nil, nil, []byte(text), 7); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %q, %v, want %s", text, out, err, want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("AAECAw=="))
	f.Add([]byte("\n\n\n="))
	fuzzlong.Fuzz(f, func(t *testing.T, data []byte) {
		out, err := filter(t).Decode(nil, []byte("pre"), data, 1<<10)
		if err == nil && (len(out) > 3+1<<10 || string(out[:3]) != "pre") {
			t.Errorf("%d bytes", len(out))
		}
		enc, err := filter(t).Encode(nil, nil, data)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := filter(t).Decode(nil, nil, enc, len(data)); err != nil || !bytes.Equal(back, data) {
			t.Errorf("%d bytes became %d, %v", len(data), len(back), err)
		}
	})
}

func ExampleCodec() {
	f, err := base64.Codec{}.BindBytes(codec.Spec{}, codec.Exactly(4))
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := f.Encode(nil, nil, []byte{0, 1, 2, 3})
	fmt.Println(string(text), f.Size().N, err)
	data, err := f.Decode(nil, nil, text, 4)
	fmt.Println(data, err)
	// Output:
	// AAECAw== 8 <nil>
	// [0 1 2 3] <nil>
}
