package zfp_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/codectest"
	"github.com/omnizarr/zarr/codec/zfp"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/nd"
)

const (
	reversible = `[{"name":"zfp","configuration":{"mode":"reversible"}}]`
	withHeader = `[{"name":"zarrs.zfp","configuration":{"mode":"reversible","write_header":true}}]`
	expert     = `[{"name":"zfp","configuration":{"mode":"expert","minbits":300,"maxbits":17000,"maxprec":64,"minexp":-1075}}]`
	numcodecs  = `[{"name":"numcodecs.zfpy","configuration":{"mode":5,"tolerance":-1,"rate":-1,"precision":-1}}]`
)

func registry() *codec.Registry {
	r := codec.NewRegistry()
	r.Register(zfp.Parse, "zfp", "zarrs.zfp")
	r.Register(zfp.ParseNumcodecs, "numcodecs.zfpy")
	return r
}

func TestZfpPassesTheSuite(t *testing.T) {
	for _, c := range []codectest.Case{
		{Codecs: reversible, Type: "float32", Shape: []int{9, 10}, Fill: `"NaN"`},
		{Codecs: reversible, Type: "float64", Shape: []int{3, 4, 5}, Fill: "1.5"},
		{Codecs: reversible, Type: "int32", Shape: []int{37}, Fill: "-7"},
		{Codecs: reversible, Type: "int64", Shape: []int{3, 2, 5, 4}},
		{Codecs: reversible, Type: "int8", Shape: []int{6, 7}},
		{Codecs: reversible, Type: "uint8", Shape: []int{5, 5, 5}, Fill: "255"},
		{Codecs: reversible, Type: "int16", Shape: []int{11}},
		{Codecs: reversible, Type: "uint16", Shape: []int{4, 4}, Fill: "513"},
		{Codecs: reversible, Type: "int4", Shape: []int{5, 6}},
		{Codecs: reversible, Type: "uint2", Shape: []int{13}},
		{Codecs: reversible, Type: "float32", Shape: nil},
		{Codecs: reversible, Type: `{"name":"numpy.datetime64","configuration":{"unit":"s","scale_factor":1}}`, Shape: []int{6, 5}},
		{Codecs: withHeader, Type: "float64", Shape: []int{5, 9}},
		{Codecs: expert, Type: "float32", Shape: []int{4, 9}},
		{Codecs: numcodecs, Type: "float32", Shape: []int{9, 10}},
		{Codecs: numcodecs, Type: "int64", Shape: []int{2, 3, 3, 3}},
		{Codecs: numcodecs, Type: "float64", Shape: []int{5}},
	} {
		c.Registry = registry()
		t.Run(c.Name(), func(t *testing.T) { codectest.Run(t, c) })
	}
}

func bind(t testing.TB, codecs, typ string, shape ...int) (*codec.Bound, error) {
	t.Helper()
	chain, err := registry().ParseList(json.RawMessage(codecs))
	if err != nil {
		return nil, err
	}
	dt := dtype.MustParse(typ)
	return chain.Bind(codec.Spec{Type: dt, Shape: shape, Fill: make([]byte, dt.Size())})
}

func mustBind(t testing.TB, codecs, typ string, shape ...int) *codec.Bound {
	t.Helper()
	b, err := bind(t, codecs, typ, shape...)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func limits() *codec.Chunk {
	return &codec.Chunk{Limits: &codec.Limits{MaxChunk: 1 << 20, Strict: true}}
}

func decode(t testing.TB, b *codec.Bound, data []byte) ([]byte, error) {
	t.Helper()
	dst := nd.Make(b.Spec().Type.Size(), b.Spec().Shape...)
	err := b.Decode(context.Background(), limits(), &codec.Memory{Bytes: data}, nd.Whole(b.Spec().Shape), dst)
	return dst.Data, err
}

func encode(t testing.TB, b *codec.Bound, data []byte) ([]byte, error) {
	t.Helper()
	return b.Encode(context.Background(), limits(), nil, nd.Of(data, b.Spec().Type.Size(), b.Spec().Shape...))
}

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	out, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// ramp is the numbers (i-7)/4.
func ramp(typ string, n int) []byte {
	var out []byte
	for i := range n {
		if x := float64(i-7) / 4; typ == "float32" {
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(float32(x)))
		} else {
			out = binary.LittleEndian.AppendUint64(out, math.Float64bits(x))
		}
	}
	return out
}

// A chunk of 3 by 4 normally distributed numbers that zarrs 0.23.14 wrote.
func TestAChunkOfZarrs(t *testing.T) {
	data := unhex(t, "01fa666c3c2a41230b0017e38e94050d9aed790113823a3e7944a584f72efa22315ae6c8dbc57c78da4034fc409e0e8b588a355839966ec78895ac08001002900200000000000000")
	want := unhex(t, "a3cce23ff54f7cbe5e81e03e6b1d56bded26423feb5b8dbf20cb30be620ad3be5a99ff3e3edf413f8786a1beb895d03e")
	b := mustBind(t, reversible, "float32", 3, 4)
	if got, err := decode(t, b, data); err != nil || !bytes.Equal(got, want) {
		t.Errorf("got %x, %v", got, err)
	}
	if got, err := encode(t, b, want); err != nil || !bytes.Equal(got, data) {
		t.Errorf("encoded as %x, %v", got, err)
	}
}

// Chunks that libzfp 1.0.1 wrote, in which integers of eight bits were promoted
// as it promotes them.
func TestChunksOfTheLibrary(t *testing.T) {
	for _, c := range []struct {
		codecs, typ string
		shape       []int
		values      []byte
		chunk       string
	}{
		{reversible, "uint8", []int{7}, []byte{0, 1, 127, 128, 255, 7, 9}, "e8140020bba12e00d881030000000000"},
		{withHeader, "float32", []int{3, 5}, ramp("float32", 15), "7a66700546000020000000880192035400021ce8400192002240010a54200000"},
		{`[{"name":"zfp","configuration":{"mode":"fixed_rate","rate":6}}]`, "float32", []int{3, 5}, ramp("float32", 15), "010585518004108012008800010581518002008012008800"},
	} {
		b := mustBind(t, c.codecs, c.typ, c.shape...)
		got, err := encode(t, b, c.values)
		if err != nil || hex.EncodeToString(got) != c.chunk {
			t.Errorf("%s: encoded as %x, %v", c.codecs, got, err)
		}
		back, err := decode(t, b, unhex(t, c.chunk))
		if err != nil || !bytes.Equal(back, c.values) {
			t.Errorf("%s: decoded to %x, %v", c.codecs, back, err)
		}
	}
}

// Chunks that numcodecs 0.16.6 wrote with zfpy 1.0.1, and what it decodes them
// to.
func TestChunksOfNumcodecs(t *testing.T) {
	ints := func(size int, steps ...int) []byte {
		var out []byte
		for _, x := range steps {
			out = binary.LittleEndian.AppendUint64(out, uint64(x))[:len(out)+size]
		}
		return out
	}
	thousands := make([]int, 24)
	for i := range thousands {
		thousands[i] = 1000 * i
	}
	const lost = 8192
	coarse := slices.Concat(slices.Repeat([]int{0}, 4), slices.Repeat([]int{lost}, 8), slices.Repeat([]int{2 * lost}, 4), slices.Repeat([]int{3 * lost}, 8))
	for _, c := range []struct {
		config, typ string
		shape       []int
		from, to    []byte // to is what is left of from
		chunk       string
	}{
		{`{"mode":4,"compression_kwargs":{"tolerance":0.01},"tolerance":0.01,"rate":-1,"precision":-1}`, "float64", []int{3, 5}, ramp("float64", 15), ramp("float64", 15),
			"7a667005470000200000c0ca0128288c02248000940040040000000000000004a020300a5000005002001100000000000000000000000000"},
		{`{"mode":4,"compression_kwargs":{"tolerance":-1},"tolerance":-1,"rate":-1,"precision":-1}`, "float64", []int{3, 5}, ramp("float64", 15), ramp("float64", 15),
			"7a6670054700002000000088019038400520c0810e140089002240010a542000"},
		{`{"mode":3,"compression_kwargs":{"precision":20},"tolerance":-1,"rate":-1,"precision":20}`, "int32", []int{2, 3, 4}, ints(4, thousands...), ints(4, coarse...),
			"7a667005380020001000308100000e508002020000000000"},
		{`{"mode":2,"compression_kwargs":{"rate":6},"tolerance":-1,"rate":6,"precision":-1}`, "float32", []int{3, 5}, ramp("float32", 15), ramp("float32", 15),
			"7a667005460000200000f00501058551800410801200880001058151800200801200880000000000"},
		{`{"mode":2,"compression_kwargs":{"rate":10.5},"tolerance":-1,"rate":10.5,"precision":-1}`, "int64", []int{2, 3, 4}, ints(8, thousands...), ints(8, thousands...),
			"7a667005390020001000f0290000000000000e50800232708004028800800a0000600004024840800804c02000020088" + strings.Repeat("00", 48)},
	} {
		b := mustBind(t, `[{"name":"numcodecs.zfpy","configuration":`+c.config+`}]`, c.typ, c.shape...)
		if got, err := encode(t, b, c.from); err != nil || hex.EncodeToString(got) != c.chunk {
			t.Errorf("%s: encoded as %x, %v", c.config, got, err)
		}
		if got, err := decode(t, b, unhex(t, c.chunk)); err != nil || !bytes.Equal(got, c.to) {
			t.Errorf("%s: decoded to %x, %v", c.config, got, err)
		}
	}
}

// Filters of numcodecs make one axis of all, and zfpy compresses that.
func TestAHeaderMayHaveAnotherShape(t *testing.T) {
	flat := unhex(t, "7a667005e30000000000c0ca01b8c80200c0fff11600000210b300001080d6622c14000000000000")
	b := mustBind(t, numcodecs, "float64", 3, 5)
	want := nd.Of(ramp("float64", 15), 8, 3, 5)
	if got, err := decode(t, b, flat); err != nil || !bytes.Equal(got, want.Data) {
		t.Errorf("got %x, %v", got, err)
	}
	box := nd.Box{Start: []int{1, 2}, Shape: []int{2, 2}}
	part := nd.Make(8, 2, 2)
	if err := b.Decode(context.Background(), limits(), &codec.Memory{Bytes: flat}, box, part); err != nil {
		t.Fatal(err)
	}
	same := nd.Make(8, 2, 2)
	nd.Copy(same, want.Box(box))
	if !bytes.Equal(part.Data, same.Data) {
		t.Errorf("got %x, want %x", part.Data, same.Data)
	}
	for _, c := range []struct {
		typ   string
		shape []int
		want  string
	}{
		{"float64", []int{16}, "holds an array of shape [15], the chunk has shape [16]"},
		{"float32", []int{15}, "holds float64, the chunk is of float32"},
		{"int64", []int{15}, "holds float64, the chunk is of int64"},
	} {
		if _, err := decode(t, mustBind(t, numcodecs, c.typ, c.shape...), flat); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %v: got %v", c.typ, c.shape, err)
		}
	}
}

// zarrs computes the size of blocks as if there were always three dimensions.
// Chunks of that length are read too.
func TestFixedRateAsZarrsComputesIt(t *testing.T) {
	codecs := `[{"name":"zfp","configuration":{"mode":"fixed_rate","rate":6}}]`
	b := mustBind(t, codecs, "float32", 3, 5)
	want := ramp("float32", 15)
	for _, chunk := range []string{
		"010585518004108012008800010581518002008012008800",
		"010585518004108012008800000000000000000000000000000000000000000000000000000000000000000000000000010581518002008012008800000000000000000000000000000000000000000000000000000000000000000000000000",
	} {
		if got, err := decode(t, b, unhex(t, chunk)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d bytes: got %x, %v", len(chunk)/2, got, err)
		}
	}
}

func TestConfigurations(t *testing.T) {
	for _, c := range []struct{ config, want string }{
		{`{"mode":"reversible"}`, ""},
		{`{"mode":"reversible","write_header":false}`, ""},
		{`{"mode":"fixed_accuracy","tolerance":0.05}`, ""},
		{`{"mode":"fixed_accuracy","tolerance":0}`, ""},
		{`{"mode":"fixed_rate","rate":10.5}`, ""},
		{`{"mode":"fixed_precision","precision":19}`, ""},
		{`{"mode":"expert","minbits":1,"maxbits":13,"maxprec":19,"minexp":-2}`, ""},
		{`{}`, "configuration lacks mode"},
		{`{"mode":"fast"}`, `mode is "fast": must be reversible`},
		{`{"mode":4}`, "must be a string, not a number"},
		{`{"mode":"reversible","rate":1}`, "configuration has rate, which mode reversible does not use"},
		{`{"mode":"fixed_rate"}`, "configuration lacks rate, which mode fixed_rate needs"},
		{`{"mode":"fixed_rate","rate":0}`, "rate is 0: must be positive"},
		{`{"mode":"fixed_rate","rate":100000}`, "rate is 100000: must be more than"},
		{`{"mode":"fixed_accuracy","tolerance":-1}`, "tolerance is -1: must not be negative"},
		{`{"mode":"fixed_precision","precision":-1}`, "precision is -1"},
		{`{"mode":"fixed_precision","precision":1.5}`, "must be an integer, not 1.5"},
		{`{"mode":"expert","minbits":1,"maxbits":13,"maxprec":19}`, "configuration lacks minexp"},
		{`{"mode":"expert","minbits":14,"maxbits":13,"maxprec":19,"minexp":-2}`, "maxbits is 13: must not be below minbits, which is 14"},
		{`{"mode":"expert","minbits":1,"maxbits":13,"maxprec":65,"minexp":-2}`, "maxprec is 65"},
		{`{"mode":"expert","minbits":1,"maxbits":13,"maxprec":9,"minexp":-20000000000}`, "out of range"},
		{`{"mode":"reversible","write_header":null}`, "write_header: must not be null"},
		{`{"mode":"reversible","threads":2}`, `unknown member "threads"`},
	} {
		_, err := bind(t, `[{"name":"zfp","configuration":`+c.config+`}]`, "float32", 5, 5)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "codec zfp: ")) {
			t.Errorf("%s: got %v, want %q", c.config, err, c.want)
		}
	}
	for _, c := range []struct{ config, want string }{
		{`{}`, ""},
		{`{"mode":4,"tolerance":0.01}`, ""},
		{`{"mode":2,"rate":8,"compression_kwargs":null}`, ""},
		{`{"mode":5}`, ""},
		{`{"mode":1}`, "mode is 1: must be 2"},
		{`{"mode":"reversible"}`, "not a string"},
		{`{"mode":2,"rate":0}`, "rate is 0: must be more than"},
		{`{"compression_kwargs":7}`, "compression_kwargs must be an object or null"},
		{`{"level":7}`, `unknown member "level"`},
	} {
		_, err := bind(t, `[{"name":"numcodecs.zfpy","configuration":`+c.config+`}]`, "float32", 5, 5)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "codec numcodecs.zfpy: ")) {
			t.Errorf("%s: got %v, want %q", c.config, err, c.want)
		}
	}
}

func TestMetadata(t *testing.T) {
	for config, want := range map[string]string{
		`{"name":"zarrs.zfp","configuration":{"write_header":true,"mode":"fixed_rate","rate":8.0}}`:        `{"name":"zarrs.zfp","configuration":{"mode":"fixed_rate","rate":8,"write_header":true}}`,
		`{"name":"zfp","configuration":{"minexp":-5,"maxprec":9,"maxbits":8,"minbits":0,"mode":"expert"}}`: `{"name":"zfp","configuration":{"mode":"expert","minbits":0,"maxbits":8,"maxprec":9,"minexp":-5}}`,
		`{"name":"zfp","configuration":{"mode":"fixed_precision","precision":0}}`:                          `{"name":"zfp","configuration":{"mode":"fixed_precision","precision":0}}`,
		`"numcodecs.zfpy"`: `{"name":"numcodecs.zfpy","configuration":{"mode":4,"compression_kwargs":{"tolerance":-1},"tolerance":-1,"rate":-1,"precision":-1}}`,
		`{"name":"numcodecs.zfpy","configuration":{"mode":3,"precision":12}}`: `{"name":"numcodecs.zfpy","configuration":{"mode":3,"compression_kwargs":{"precision":12},"tolerance":-1,"rate":-1,"precision":12}}`,
		`{"name":"numcodecs.zfpy","configuration":{"mode":5}}`:                `{"name":"numcodecs.zfpy","configuration":{"mode":5,"tolerance":-1,"rate":-1,"precision":-1}}`,
	} {
		chain, err := registry().ParseList(json.RawMessage("[" + config + "]"))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := json.Marshal(chain); err != nil || string(got) != "["+want+"]" {
			t.Errorf("got %s, %v, want %s", got, err, want)
		}
	}
	for _, c := range []codec.Codec{zfp.Codec{Mode: zfp.Reversible}, zfp.Numcodecs{Mode: 5}} {
		if _, err := c.(codec.ArrayToBytes).BindSerializer(codec.Spec{Type: dtype.MustParse("int32"), Shape: []int{3}}); err != nil {
			t.Error(err)
		}
		if entry, err := json.Marshal(c); err != nil || !strings.Contains(string(entry), `"`+c.Name()+`"`) {
			t.Errorf("%s, %v", entry, err)
		}
	}
}

func TestValuesThatWereNotParsedAreChecked(t *testing.T) {
	for _, c := range []codec.ArrayToBytes{zfp.Codec{}, zfp.Codec{Mode: zfp.FixedRate}, zfp.Codec{Mode: zfp.Expert}, zfp.Numcodecs{}} {
		if _, err := c.BindSerializer(codec.Spec{Type: dtype.MustParse("int32"), Shape: []int{3}}); err == nil {
			t.Errorf("%+v was taken", c)
		}
	}
}

func TestWhatCannotBeWritten(t *testing.T) {
	accuracy := `[{"name":"zfp","configuration":{"mode":"fixed_accuracy","tolerance":1}}]`
	for _, c := range []struct {
		codecs, typ string
		shape       []int
		want        string
	}{
		{reversible, "bool", []int{3}, "cannot write bool, only integers, float32 and float64"},
		{reversible, "float16", []int{3}, "cannot write float16"},
		{reversible, "complex64", []int{3}, "cannot write complex64"},
		{reversible, "string", []int{3}, "cannot write string"},
		{reversible, "float32", []int{1, 2, 3, 4, 5}, "has 5 dimensions: at most 4 can be written"},
		{reversible, "float32", []int{2, 0}, "has no elements"},
		{reversible, "float32", []int{1 << 40, 1 << 40}, "more bytes than can be counted"},
		{numcodecs, "float32", []int{1 << 40, 1 << 40}, "more bytes than can be counted"},
		{accuracy, "int32", []int{3}, "mode fixed_accuracy is for floats"},
	} {
		if _, err := bind(t, c.codecs, c.typ, c.shape...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s of %v: got %v, want %s", c.typ, c.shape, err, c.want)
		}
	}
	for typ, want := range map[string]string{
		"uint32": "value 4294967295 is too large: zfp holds numbers up to 2147483647",
		"uint64": "value 18446744073709551615 is too large",
	} {
		b := mustBind(t, reversible, typ, 1)
		if _, err := encode(t, b, bytes.Repeat([]byte{0xff}, b.Spec().Type.Size())); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", typ, err)
		}
		small := make([]byte, b.Spec().Type.Size())
		small[2] = 7
		out, err := encode(t, b, small)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := decode(t, b, out); err != nil || !bytes.Equal(got, small) {
			t.Errorf("%s: got %x, %v", typ, got, err)
		}
	}
	if _, err := encode(t, mustBind(t, numcodecs, "uint8", 4), make([]byte, 4)); err == nil || !strings.Contains(err.Error(), "which numcodecs does not read back") {
		t.Errorf("got %v", err)
	}
}
