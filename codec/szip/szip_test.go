package szip_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/codectest"
	"github.com/omnizarr/zarr/codec/szip"
	"github.com/omnizarr/zarr/internal/fuzzlong"
)

func vectors(t testing.TB) []codectest.Vector {
	t.Helper()
	return codectest.Vectors(t, "testdata/vectors.json")
}

func filter(t testing.TB, values ...uint32) codec.BytesFilter {
	t.Helper()
	f, err := szip.Codec{Values: values}.BindBytes(codec.Spec{}, codec.Size{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestChunksOfHDF5AreRead(t *testing.T) {
	codectest.RunVectors(t, vectors(t), func(values ...uint32) codec.BytesFilter { return filter(t, values...) })
}

// Chunks that are cut, or hold more than there may be, are errors, and take no memory.
func TestWhatDoesNotFitIsAnError(t *testing.T) {
	for _, v := range vectors(t) {
		f := filter(t, v.Values...)
		for _, n := range []int{0, 3, 4, len(v.Chunk) / 2} { // the last bytes may be what fills up a line
			if out, err := f.Decode(nil, nil, v.Chunk[:n], v.Size); err == nil {
				t.Errorf("%s: %d of %d bytes give %d", v.Name, n, len(v.Chunk), len(out))
			}
		}
	}
	f := filter(t, 32, 8, 16, 8)
	ck := &codec.Chunk{Limits: &codec.Limits{MaxChunk: 1 << 20}}
	if _, err := f.Decode(ck, nil, []byte{255, 255, 255, 255, 0, 0}, 1<<20); !errors.Is(err, codec.ErrTooLarge) {
		t.Error(err)
	}
	for text, src := range map[string][]byte{
		"none of whole pixels":        {3, 0, 0, 0, 1},
		"the pair 91":                 append(append([]byte{16, 0, 0, 0, 0b00001000}, make([]byte, 13)...), 0x80, 0xff, 0xff), // behind 4 + 1 + 16 bits
		"blocks of zeros, with 1":     {16, 0, 0, 0, 0, 0, 0x03, 0xff},
		"a sample of more than 16":    append(append([]byte{16, 0, 0, 0, 0xe0}, make([]byte, 40)...), 0xff, 0xff),
		"ends before the data do":     {16, 0, 0, 0},
		"too short for the size in f": {16, 0, 0},
	} {
		if out, err := f.Decode(nil, nil, src, 16); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%s: %x, %v", text, out, err)
		}
	}
}

func TestConfigurations(t *testing.T) {
	for config, want := range map[string]string{
		`{"values":[169,8,16,11]}`:    "",
		`{"values":[141,32,64,928]}`:  "",
		``:                            "szip has 4 parameters",
		`{"values":[169,0,16,11]}`:    "blocks of 0 pixels",
		`{"values":[169,7,16,11]}`:    "blocks of 7 pixels: must be an even number up to 64",
		`{"values":[169,66,16,11]}`:   "blocks of 66 pixels",
		`{"values":[169,8,16,0]}`:     "lines of 0 pixels",
		`{"values":[1,8,16,1000000]}`: "lines of 1000000 pixels",
		`{"values":[169,8,0,8]}`:      "pixels of 0 bits",
		`{"values":[169,8,33,8]}`:     "pixels of 33 bits: must be from 1 to 32, or 64",
		`{"bits":[1]}`:                `unknown member "bits"`,
	} {
		c, err := szip.Parse(nil, szip.Name, json.RawMessage(config))
		if err != nil || want != "" {
			if err == nil || want == "" || !strings.Contains(err.Error(), want) {
				t.Errorf("%.60s: got %v, want %q", config, err, want)
			}
			continue
		}
		if text, err := c.MarshalJSON(); err != nil || string(text) != `{"name":"`+szip.Name+`","configuration":`+config+`}` {
			t.Errorf("%s became %s, %v", config, text, err)
		}
	}
}

func TestNothingIsWritten(t *testing.T) {
	if _, err := filter(t, 32, 8, 16, 8).Encode(nil, nil, make([]byte, 8)); err == nil || !strings.Contains(err.Error(), "only read") {
		t.Error(err)
	}
}

func FuzzDecode(f *testing.F) {
	for _, v := range vectors(f) {
		raw, err := json.Marshal(v.Values)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw, v.Chunk)
	}
	fuzzlong.Fuzz(f, func(t *testing.T, values, data []byte) {
		c, err := szip.Parse(nil, szip.Name, fmt.Appendf(nil, `{"values":%s}`, values))
		if err != nil {
			return
		}
		b, err := c.(szip.Codec).BindBytes(codec.Spec{}, codec.Exactly(1<<16))
		if err != nil {
			t.Fatal(err)
		}
		if out, err := b.Decode(nil, []byte("pre"), data, 1<<16); err == nil && (len(out) > 3+1<<16 || string(out[:3]) != "pre") {
			t.Errorf("%d bytes", len(out))
		}
	})
}

// Eight samples of 8 bits, stored as they are.
func ExampleCodec() {
	f, err := szip.Codec{Values: []uint32{4, 8, 8, 8}}.BindBytes(codec.Spec{}, codec.Exactly(8))
	if err != nil {
		fmt.Println(err)
		return
	}
	chunk := []byte{8, 0, 0, 0, 0b11101100, 0b00101100, 0b01001100, 0b01101100, 0b10001100, 0b10101100, 0b11001100, 0b11101101, 0b00000000}
	out, err := f.Decode(nil, nil, chunk, 8)
	fmt.Printf("%s %v\n", out, err)
	// Output: abcdefgh <nil>
}
