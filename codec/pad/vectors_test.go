package pad_test

import (
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/std"
)

// registry is what the tests parse with.
func registry() *codec.Registry { return std.Registry() }

// hexBytes is bytes as the vectors spell them.
type hexBytes []byte

func (b *hexBytes) UnmarshalJSON(raw []byte) error {
	var text string
	err := json.Unmarshal(raw, &text)
	if err == nil {
		*b, err = hex.DecodeString(text)
	}
	return err
}

// vector is an entry of any of the lists.
type vector struct {
	Name          string
	Configuration json.RawMessage
	Codecs        []struct {
		Name          string
		Configuration json.RawMessage
	}
	Decoded, Encoded hexBytes
	Exact            bool
	Expect           string
}

type vectors struct{ Vectors, Chains, Invalid, Decode []vector }

// load reads the vectors of a codec, which were made from the text by another
// implementation.
func load(t testing.TB, name string) (v vectors) {
	t.Helper()
	f, err := os.Open("testdata/" + name + ".json.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.NewDecoder(r).Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

// config is the configuration member, nil if it is absent.
func (v vector) config() json.RawMessage {
	if string(v.Configuration) == "null" {
		return nil
	}
	return v.Configuration
}

func bind(t testing.TB, name string, config json.RawMessage, size codec.Size) codec.BytesFilter {
	t.Helper()
	c, err := registry().Parse(codec.Entry{Name: name, Config: config})
	if err != nil {
		t.Fatal(err)
	}
	f, err := c.(codec.BytesToBytes).BindBytes(codec.Spec{}, size)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

var names = []string{"pad", "offset"}

func TestVectors(t *testing.T) {
	for _, name := range names {
		for _, v := range load(t, name).Vectors {
			f := bind(t, name, v.config(), codec.Exactly(len(v.Decoded)))
			out, err := f.Encode(nil, []byte("pre"), v.Decoded)
			if err != nil || string(out) != "pre"+string(v.Encoded) {
				t.Errorf("%s %s: encoded to %x, %v", name, v.Name, out, err)
			}
			if f.Size() != codec.Exactly(len(v.Encoded)) {
				t.Errorf("%s %s: size %+v, want %d", name, v.Name, f.Size(), len(v.Encoded))
			}
			back, err := f.Decode(nil, []byte("pre"), v.Encoded, len(v.Decoded))
			if err != nil || string(back) != "pre"+string(v.Decoded) {
				t.Errorf("%s %s: decoded to %x, %v", name, v.Name, back, err)
			}
			cut, err := f.(codec.Slicer).Slice(nil, v.Encoded)
			if err != nil || !bytes.Equal(cut, v.Decoded) {
				t.Errorf("%s %s: cut to %x, %v", name, v.Name, cut, err)
			}
			if len(cut) > 0 && !inside(cut, v.Encoded) {
				t.Errorf("%s %s: copied", name, v.Name)
			}
		}
	}
}

// inside reports whether part is memory of whole.
func inside(part, whole []byte) bool {
	for i := range whole {
		if &whole[i] == &part[0] {
			return true
		}
	}
	return false
}

func TestChains(t *testing.T) {
	for _, name := range names {
		for _, v := range load(t, name).Chains {
			data := []byte(v.Decoded)
			var filters []codec.BytesFilter
			for _, e := range v.Codecs {
				f := bind(t, e.Name, e.Configuration, codec.Size{})
				filters = append(filters, f)
				var err error
				if data, err = f.Encode(nil, nil, data); err != nil {
					t.Fatalf("%s %s: %v", name, v.Name, err)
				}
			}
			if v.Exact && !bytes.Equal(data, v.Encoded) {
				t.Errorf("%s %s: encoded to %x", name, v.Name, data)
			}
			data = v.Encoded
			for i := len(filters) - 1; i >= 0; i-- {
				var err error
				if data, err = filters[i].Decode(nil, nil, data, 1<<20); err != nil {
					t.Fatalf("%s %s: %v", name, v.Name, err)
				}
			}
			if !bytes.Equal(data, v.Decoded) {
				t.Errorf("%s %s: decoded to %x", name, v.Name, data)
			}
		}
	}
}

func TestInvalidConfigurationsAreRefused(t *testing.T) {
	for _, name := range names {
		for _, v := range load(t, name).Invalid {
			_, err := registry().Parse(codec.Entry{Name: name, Config: v.config()})
			if err == nil || !strings.HasPrefix(err.Error(), "codec "+name+": ") {
				t.Errorf("%s %s: %s: got %v", name, v.Name, v.Configuration, err)
			}
		}
	}
}

func TestDecodingStoredBytes(t *testing.T) {
	for _, name := range names {
		for _, v := range load(t, name).Decode {
			out, err := bind(t, name, v.config(), codec.Size{}).Decode(nil, nil, v.Encoded, 1<<20)
			if v.Expect == "decodes" {
				if err != nil || !bytes.Equal(out, v.Decoded) {
					t.Errorf("%s %s: got %x, %v", name, v.Name, out, err)
				}
			} else if !errors.Is(err, codec.ErrData) {
				t.Errorf("%s %s: got %x, %v", name, v.Name, out, err)
			}
		}
	}
}

func TestTooLittleDataIsAnErrorWithBothNumbers(t *testing.T) {
	for _, where := range []string{"start", "end"} {
		f := bind(t, "pad", json.RawMessage(`{"location":"`+where+`","nbytes":110}`), codec.Size{})
		if _, err := f.Decode(nil, nil, make([]byte, 66), 100); err == nil || !strings.Contains(err.Error(), "66 bytes are too few for the 110 of padding") {
			t.Error(err)
		}
		if _, err := f.Decode(nil, nil, make([]byte, 120), 9); err == nil {
			t.Error("limit ignored")
		}
	}
}

func TestConfigurations(t *testing.T) {
	for config, want := range map[string]string{
		`{"location":"start","nbytes":0}`:                    "",
		`{"location":"end","nbytes":3,"padding":"AAEC"}`:     "",
		`{"location":"end","nbytes":0,"padding":""}`:         "",
		`{"location":"start","nbytes":9007199254740991}`:     "",
		`{"location":"start","nbytes":9007199254740992}`:     "nbytes is 9007199254740992: must be from 0 to 9007199254740991",
		`{"location":"start","nbytes":-1}`:                   "nbytes is -1: must be from 0",
		`{"location":"start","nbytes":3,"padding":"AA\nEC"}`: `padding is not base64: letter 3, "\n", cannot be there`,
		`{"location":"start","nbytes":3,"padding":"AAEC\n"}`: "padding is not base64",
		`{"location":"start","nbytes":1,"padding":"AB=="}`:   `padding is not base64: letter 2, "B", has bits that are of no byte`,
		`{"location":"start","nbytes":2,"padding":"AAB="}`:   "padding is not base64",
		`{"location":"start","nbytes":2,"padding":"AAEC"}`:   "padding has 3 bytes: must have as many as nbytes says, 2",
		`{"location":"start","nbytes":1e1}`:                  "nbytes: must be an integer, not 1e1",
		`{"location":"start","nbytes":2,"nbytes":2}`:         "nbytes",
		`{"nbytes":2}`:                                                     "configuration lacks location",
		`{"location":"start"}`:                                             "configuration lacks nbytes",
		`{"location":"middle","nbytes":2}`:                                 `location is "middle"`,
		`{"location":"start","nbytes":2,"offset":2}`:                       `unknown member "offset"`,
		`{"location":"start","nbytes":3,"padding":null}`:                   "padding: ",
		`{"location":"start","nbytes":3,"Padding":"AAEC"}`:                 `unknown member "Padding"`,
		`{"location":"start","nbytes":3,"padding":"AAEC","prefix":"AAEC"}`: `unknown member "prefix"`,
	} {
		c, err := registry().Parse(codec.Entry{Name: "pad", Config: json.RawMessage(config)})
		if want != "" {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: got %v, want %s", config, err, want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", config, err)
			continue
		}
		text, err := c.MarshalJSON()
		if err != nil || string(text) != `{"name":"pad","configuration":`+config+`}` {
			t.Errorf("%s became %s, %v", config, text, err)
		}
	}
}

func TestPaddingBeyondMemoryIsAnError(t *testing.T) {
	const config = `{"location":"start","nbytes":9007199254740991}`
	c, err := registry().Parse(codec.Entry{Name: "pad", Config: json.RawMessage(config)})
	if err != nil {
		t.Fatal(err)
	}
	f, err := c.(codec.BytesToBytes).BindBytes(codec.Spec{}, codec.Exactly(10))
	if err != nil {
		t.Fatal(err)
	}
	for _, ck := range []*codec.Chunk{nil, {Limits: &codec.Limits{MaxChunk: 1 << 30}}} {
		if _, err := f.Encode(ck, nil, make([]byte, 10)); !errors.Is(err, codec.ErrTooLarge) {
			t.Errorf("got %v", err)
		}
	}
	if _, err := c.(codec.BytesToBytes).BindBytes(codec.Spec{}, codec.Exactly(1<<63-1)); err == nil {
		t.Error("a size that overflows was accepted")
	}
}
