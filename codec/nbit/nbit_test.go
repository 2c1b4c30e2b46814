package nbit_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/codectest"
	"github.com/omnizarr/zarr/codec/nbit"
	"github.com/omnizarr/zarr/internal/fuzzlong"
)

func vectors(t testing.TB) []codectest.Vector {
	t.Helper()
	return codectest.Vectors(t, "testdata/vectors.json")
}

func filter(t testing.TB, values ...uint32) codec.BytesFilter {
	t.Helper()
	f, err := nbit.Codec{Values: values}.BindBytes(codec.Spec{}, codec.Size{})
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
		if v.Values[1] != 0 {
			continue
		}
		if out, err := f.Decode(nil, nil, v.Chunk[:len(v.Chunk)-2], v.Size); err == nil {
			t.Errorf("%s: a chunk that is cut gives %d bytes", v.Name, len(out))
		}
	}
	huge := filter(t, 8, 0, math.MaxUint32, 1, math.MaxUint32, 0, 1, 0)
	ck := &codec.Chunk{Limits: &codec.Limits{MaxChunk: 1 << 20}}
	if _, err := huge.Decode(ck, nil, make([]byte, 100), 1<<20); !errors.Is(err, codec.ErrTooLarge) {
		t.Error(err)
	}
}

func TestConfigurations(t *testing.T) {
	deep := strings.Repeat("2,8,", 100) + "1,8,0,8,0"
	for config, want := range map[string]string{
		`{"values":[8,0,4,1,2,0,9,1]}`:             "",
		`{"values":[8,0,4,4,3]}`:                   "",
		``:                                         "at least 5 parameters",
		`{"values":[8,0,4,1,2,0,9]}`:               "end within a type",
		`{"values":[8,0,4,1,2,0,999,999]}`:         "precision: 999 bits at bit 999 are not in 2 bytes",
		`{"values":[8,0,4,1,2,0,0,1]}`:             "precision: 0 bits",
		`{"values":[8,0,4,1,2,2,9,1]}`:             "byte order 2",
		`{"values":[8,0,4,1,0,0,9,1]}`:             "has no bytes",
		`{"values":[8,0,4,5,2,0,9,1]}`:             "class 5 is not known",
		`{"values":[8,0,4,2,5,1,2,0,9,1]}`:         "array of 5 bytes has elements of 2",
		`{"values":[8,0,4,3,8,0]}`:                 "has 0 members",
		`{"values":[8,0,4,3,8,4000000000]}`:        "has 4000000000 members",
		`{"values":[8,0,4,3,8,1,7,4,2]}`:           "a member of 2 bytes at 7 is not in an nbit compound of 8",
		`{"values":[8,0,4,3,8,2,0,4,8,0,4,8]}`:     "is not in an nbit compound of 8",
		`{"values":[8,0,4,` + deep + `]}`:          "nested more than 64 deep",
		`{"values":[-1]}`:                          "values: -1 is out of range",
		`{"bits":[1]}`:                             `unknown member "bits"`,
		`{"values":[8,0,4,2,8,3,4,1,0,1,4,0,9,1]}`: "",
	} {
		c, err := nbit.Parse(nil, nbit.Name, json.RawMessage(config))
		if err != nil || want != "" {
			if err == nil || want == "" || !strings.Contains(err.Error(), want) {
				t.Errorf("%.60s: got %v, want %q", config, err, want)
			}
			continue
		}
		if text, err := c.MarshalJSON(); err != nil || string(text) != `{"name":"`+nbit.Name+`","configuration":`+config+`}` {
			t.Errorf("%s became %s, %v", config, text, err)
		}
	}
}

func TestNothingIsWritten(t *testing.T) {
	if _, err := filter(t, 8, 0, 4, 1, 2, 0, 9, 1).Encode(nil, nil, make([]byte, 8)); err == nil || !strings.Contains(err.Error(), "only read") {
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
		c, err := nbit.Parse(nil, nbit.Name, fmt.Appendf(nil, `{"values":%s}`, values))
		if err != nil {
			return
		}
		b, err := c.(nbit.Codec).BindBytes(codec.Spec{}, codec.Exactly(1<<16))
		if err != nil {
			t.Fatal(err)
		}
		if out, err := b.Decode(nil, []byte("pre"), data, 1<<16); err == nil && (len(out) > 3+1<<16 || string(out[:3]) != "pre") {
			t.Errorf("%d bytes", len(out))
		}
	})
}

// Two numbers of 12 bits, in 16 bits each.
func ExampleCodec() {
	f, err := nbit.Codec{Values: []uint32{8, 0, 2, 1, 2, 1, 12, 0}}.BindBytes(codec.Spec{}, codec.Exactly(4))
	if err != nil {
		fmt.Println(err)
		return
	}
	out, err := f.Decode(nil, nil, []byte{0xab, 0xc1, 0x23}, 4)
	fmt.Printf("%x %v\n", out, err)
	// Output: 0abc0123 <nil>
}
