package cast_test

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/cast"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/nd"
)

func TestAsTypeAgreesWithNumPy(t *testing.T) {
	text, err := os.ReadFile("testdata/astype.txt")
	if err != nil {
		t.Fatal(err)
	}
	inputs := map[string][]string{}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		switch words[0] {
		case "#":
		case "in":
			inputs[words[1]] = words[2:]
		default:
			compareAsType(t, words[0], words[1], inputs[words[0]], words[2:])
		}
	}
}

func compareAsType(t *testing.T, from, to string, in, want []string) {
	c, err := cast.ParseAsType(nil, "numcodecs.astype", json.RawMessage(`{"encode_dtype":"`+to+`","decode_dtype":"`+from+`"}`))
	if err != nil {
		t.Fatal(err)
	}
	typ := c.(cast.AsType).DecodeType
	data, err := hex.DecodeString(strings.Join(in, ""))
	if err != nil {
		t.Fatal(err)
	}
	src := nd.Of(data, typ.Size(), len(in))
	// Each second element, so that the memory is strided too.
	for _, step := range []int{1, 2} {
		part := src
		part.Shape, part.Strides = []int{(len(in) + step - 1) / step}, []int{step * typ.Size()}
		f, err := c.(codec.ArrayToArray).BindArray(codec.Spec{Type: typ, Shape: part.Shape, Fill: make([]byte, typ.Size())})
		if err != nil {
			t.Fatalf("%s to %s: %v", from, to, err)
		}
		dst := nd.Make(f.Out().Type.Size(), part.Shape...)
		if err := f.(codec.Transform).Encode(nil, dst, part); err != nil {
			t.Fatal(err)
		}
		for i := range part.Shape[0] {
			if got := hex.EncodeToString(dst.At(i)); got != want[i*step] && !bothNaN(f.Out().Type, got, want[i*step]) {
				t.Errorf("%s to %s: %s became %s, want %s", from, to, in[i*step], got, want[i*step])
			}
		}
	}
}

// bothNaN compares the parts of two elements, where any NaN is as good as
// another.
func bothNaN(t dtype.Type, a, b string) bool {
	x, _ := hex.DecodeString(a)
	y, _ := hex.DecodeString(b)
	vx, _ := t.AppendValue(nil, x, nil)
	vy, _ := t.AppendValue(nil, y, nil)
	return strings.Contains(string(vx), "NaN") && string(vx) == string(vy)
}

func TestAsTypeMetadata(t *testing.T) {
	for in, want := range map[string]string{
		`{"encode_dtype":">i2","decode_dtype":"<i4"}`:   `{"encode_dtype":">i2","decode_dtype":"<i4"}`,
		`{"encode_dtype":"|u1","decode_dtype":"int32"}`: `{"encode_dtype":"|u1","decode_dtype":"<i4"}`,
		`{"encode_dtype":"<f4","decode_dtype":null}`:    `{"encode_dtype":"<f4"}`,
		`{"encode_dtype":"<m8[s]"}`:                     `{"encode_dtype":"<m8[s]"}`,
	} {
		c, err := cast.ParseAsType(nil, "numcodecs.astype", json.RawMessage(in))
		if err != nil {
			t.Errorf("%s: %v", in, err)
			continue
		}
		if raw, err := c.MarshalJSON(); err != nil || string(raw) != `{"name":"numcodecs.astype","configuration":`+want+`}` {
			t.Errorf("%s became %s, %v", in, raw, err)
		}
	}
	for in, want := range map[string]string{
		`{}`:                     "lacks encode_dtype",
		`{"encode_dtype":"<x4"}`: "encode_dtype",
		`{"encode_dtype":"<i4","decode_dtype":7}`: "decode_dtype",
		`{"encode_dtype":"<i4","astype":"<i4"}`:   "unknown member",
	} {
		if _, err := cast.ParseAsType(nil, "", json.RawMessage(in)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", in, err)
		}
	}
}

func TestWhatAsTypeCannotCast(t *testing.T) {
	const days, seconds = `{"name":"numpy.datetime64","configuration":{"unit":"D","scale_factor":1}}`, `"<M8[s]"`
	for _, c := range []struct{ typ, config string }{
		{"string", `{"encode_dtype":"|u1"}`},
		{"int32", `{"encode_dtype":"<i2","decode_dtype":"<i8"}`},
		{"int32", `{"encode_dtype":"<U4"}`},
		{days, `{"encode_dtype":` + seconds + `}`},
		{days, `{"encode_dtype":"<f8"}`},
		{"int4", `{"encode_dtype":"<i2"}`},
	} {
		k, err := cast.ParseAsType(nil, "", json.RawMessage(c.config))
		if err != nil {
			t.Fatal(err)
		}
		in := dtype.MustParse(c.typ)
		_, err = k.(codec.ArrayToArray).BindArray(codec.Spec{Type: in, Shape: []int{1}, Fill: make([]byte, in.Size())})
		if err == nil {
			t.Errorf("%s was cast with %s", c.typ, c.config)
		}
	}
}
