package scaleoffset_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/codectest"
	"github.com/omnizarr/zarr/codec/scaleoffset"
	"github.com/omnizarr/zarr/internal/fuzzlong"
)

func vectors(t testing.TB) []codectest.Vector {
	t.Helper()
	return codectest.Vectors(t, "testdata/vectors.json")
}

func filter(t testing.TB, values ...uint32) codec.BytesFilter {
	t.Helper()
	f, err := scaleoffset.Codec{Values: values}.BindBytes(codec.Spec{}, codec.Size{})
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
		if v.Values[0] == 2 && v.Values[1] == 8*v.Values[4] {
			continue // has no header
		}
		for _, n := range []int{0, 4, 20, len(v.Chunk) - 2} {
			if out, err := f.Decode(nil, nil, v.Chunk[:n], v.Size); err == nil {
				t.Errorf("%s: %d of %d bytes give %d", v.Name, n, len(v.Chunk), len(out))
			}
		}
		bad := append([]byte{255, 0, 0, 0}, v.Chunk[4:]...)
		if _, err := f.Decode(nil, nil, bad, v.Size); err == nil || !strings.Contains(err.Error(), "255 bits are more") {
			t.Errorf("%s: 255 bits: %v", v.Name, err)
		}
	}
	huge := filter(t, 2, 0, math.MaxUint32, 0, 8, 0, 0, 0)
	ck := &codec.Chunk{Limits: &codec.Limits{MaxChunk: 1 << 20}}
	if _, err := huge.Decode(ck, nil, make([]byte, 100), 1<<20); !errors.Is(err, codec.ErrTooLarge) {
		t.Error(err)
	}
}

// Without a fill value all ones are a number, and no bits at all are the smallest.
func TestWithoutAFillValue(t *testing.T) {
	chunk := make([]byte, 21, 24)
	chunk[0], chunk[4], chunk[5] = 4, 8, 100
	chunk = append(chunk, 0xf0, 0x10)
	out, err := filter(t, 2, 0, 4, 0, 2, 0, 1, 0).Decode(nil, nil, chunk, 8)
	if err != nil || fmt.Sprint(out) != "[0 115 0 100 0 101 0 100]" {
		t.Error(out, err)
	}
	chunk[0] = 0
	out, err = filter(t, 2, 0, 4, 0, 1, 1, 0, 0).Decode(nil, nil, chunk[:21], 8)
	if err != nil || fmt.Sprint(out) != "[100 100 100 100]" {
		t.Error(out, err)
	}
	if out, err = filter(t, 2, 0, 2, 0, 1, 1, 0, 1, 9).Decode(nil, nil, chunk[:21], 8); err != nil || fmt.Sprint(out) != "[9 9]" {
		t.Error(out, err)
	}
}

func TestConfigurations(t *testing.T) {
	for config, want := range map[string]string{
		`{"values":[2,0,4,0,2,0,0,0]}`:     "",
		`{"values":[0,3,4,1,8,0,1,1,5,6]}`: "",
		``:                                 "at least 8 parameters",
		`{"values":[1,0,4,1,4,0,0,0]}`:     "by exponents was never made",
		`{"values":[3,0,4,1,4,0,0,0]}`:     "no way 3 of scaling",
		`{"values":[2,0,4,2,4,0,0,0]}`:     "must be 0 or 1",
		`{"values":[2,0,4,0,4,0,0,7]}`:     "must be 0 or 1",
		`{"values":[2,0,4,1,4,0,0,0]}`:     "class 1 is not by way 2",
		`{"values":[0,0,4,1,2,0,0,0]}`:     "a fraction of 2 bytes",
		`{"values":[2,0,4,0,3,0,0,0]}`:     "no integers of 3 bytes",
		`{"bits":[1]}`:                     `unknown member "bits"`,
	} {
		c, err := scaleoffset.Parse(nil, scaleoffset.Name, json.RawMessage(config))
		if err != nil || want != "" {
			if err == nil || want == "" || !strings.Contains(err.Error(), want) {
				t.Errorf("%.60s: got %v, want %q", config, err, want)
			}
			continue
		}
		if text, err := c.MarshalJSON(); err != nil || string(text) != `{"name":"`+scaleoffset.Name+`","configuration":`+config+`}` {
			t.Errorf("%s became %s, %v", config, text, err)
		}
	}
}

func TestNothingIsWritten(t *testing.T) {
	if _, err := filter(t, 2, 0, 4, 0, 2, 0, 0, 0).Encode(nil, nil, make([]byte, 8)); err == nil || !strings.Contains(err.Error(), "only read") {
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
		c, err := scaleoffset.Parse(nil, scaleoffset.Name, fmt.Appendf(nil, `{"values":%s}`, values))
		if err != nil {
			return
		}
		b, err := c.(scaleoffset.Codec).BindBytes(codec.Spec{}, codec.Exactly(1<<16))
		if err != nil {
			t.Fatal(err)
		}
		if out, err := b.Decode(nil, []byte("pre"), data, 1<<16); err == nil && (len(out) > 3+1<<16 || string(out[:3]) != "pre") {
			t.Errorf("%d bytes", len(out))
		}
	})
}

// Four numbers in 3 bits each, the smallest of which is 1000.
func ExampleCodec() {
	f, err := scaleoffset.Codec{Values: []uint32{2, 0, 4, 0, 2, 0, 1, 0}}.BindBytes(codec.Spec{}, codec.Exactly(8))
	if err != nil {
		fmt.Println(err)
		return
	}
	chunk := append([]byte{3, 0, 0, 0, 8, 0xe8, 3, 20: 0}, 0b00000101, 0b00110000)
	out, err := f.Decode(nil, nil, chunk, 8)
	for i := 0; i < len(out); i += 2 {
		fmt.Print(int(out[i])<<8|int(out[i+1]), " ")
	}
	fmt.Println(err)
	// Output: 1000 1001 1002 1003 <nil>
}
