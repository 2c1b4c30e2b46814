package reshape_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/codectest"
	"github.com/omnizarr/zarr/codec/internal/basic"
	"github.com/omnizarr/zarr/codec/reshape"
	"github.com/omnizarr/zarr/codec/zstd"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/fuzzlong"
	"github.com/omnizarr/zarr/nd"
)

func registry() *codec.Registry {
	r := basic.Registry()
	r.Register(zstd.Parse, "zstd")
	r.Register(reshape.Parse, "reshape")
	r.Register(reshape.ParseSqueeze, "zarrs.squeeze")
	return r
}

const little = `{"name":"bytes","configuration":{"endian":"little"}}`

func to(shape string) string {
	return `{"name":"reshape","configuration":{"shape":` + shape + `}}`
}

func sharded(chunk string) string {
	return `{"name":"sharding_indexed","configuration":{"chunk_shape":` + chunk + `,"codecs":[` + little + `],"index_codecs":[` + little + `,"crc32c"]}}`
}

func TestReshapePassesTheSuite(t *testing.T) {
	for _, c := range []codectest.Case{
		{Codecs: `[` + to("[-1]") + `,` + little + `]`, Type: "int32", Shape: []int{3, 4}, Fill: "9"},
		{Codecs: `[` + to("[[0,1],[2],3]") + `,` + little + `,"zstd"]`, Type: "int16", Shape: []int{10, 5, 6, 3}},
		{Codecs: `[` + to("[8,[1],3]") + `,` + little + `]`, Type: "int16", Shape: []int{8, 5, 3}, Fill: "-1"},
		{Codecs: `[` + to("[3,8]") + `,` + little + `]`, Type: "int64", Shape: []int{4, 6}},
		{Codecs: `[` + to("[2,5,2,3]") + `,` + little + `]`, Type: "uint8", Shape: []int{10, 6}},
		{Codecs: `[` + to("[1,[0],[],[1],1]") + `,` + little + `]`, Type: "uint8", Shape: []int{10, 6}},
		{Codecs: `[` + to("[]") + `,` + little + `]`, Type: "uint8", Shape: []int{1, 1}},
		{Codecs: `[` + to("[[0],[1,2]]") + `,` + sharded("[2,6]") + `]`, Type: "int32", Shape: []int{4, 3, 4}, Fill: "7"},
		{Codecs: `[` + to("[4,[1],1]") + `,` + sharded("[2,3,1]") + `]`, Type: "int32", Shape: []int{4, 3}, Fill: "7"},
		{Codecs: `[` + to("[-1,4]") + `,"vlen-utf8"]`, Type: "string", Shape: []int{6, 2}, Fill: `"-"`},
		{Codecs: `[{"name":"transpose","configuration":{"order":[1,0]}},` + to("[12]") + `,` + to("[2,6]") + `,` + little + `]`, Type: "float32", Shape: []int{3, 4}},
		{Codecs: `["zarrs.squeeze",` + little + `]`, Type: "int32", Shape: []int{1, 3, 1, 4, 1}, Fill: "9"},
		{Codecs: `["zarrs.squeeze",` + little + `]`, Type: "int32", Shape: []int{1, 1}},
		{Codecs: `["zarrs.squeeze",` + little + `]`, Type: "int32", Shape: []int{}},
		{Codecs: `["zarrs.squeeze",` + sharded("[3]") + `]`, Type: "int32", Shape: []int{1, 9}, Fill: "9"},
		{Codecs: `["zarrs.squeeze",{"name":"transpose","configuration":{"order":[1,0]}},"vlen-utf8"]`, Type: "string", Shape: []int{3, 1, 4}},
	} {
		c.Registry = registry()
		t.Run(c.Name(), func(t *testing.T) { codectest.Run(t, c) })
	}
}

// bind fits a reshape to chunks of one byte per element.
func bind(shape string, in ...int) (codec.ArrayFilter, error) {
	c, err := reshape.Parse(nil, "reshape", json.RawMessage(`{"shape":`+shape+`}`))
	if err != nil {
		return nil, err
	}
	return c.(codec.ArrayToArray).BindArray(codec.Spec{Type: dtype.MustParse("uint8"), Shape: in, Fill: []byte{0}})
}

func TestShapes(t *testing.T) {
	for _, c := range []struct {
		shape string
		in    []int
		want  string // a shape, or a part of an error
	}{
		{"[[0,1],[2],3]", []int{100, 50, 64, 3}, "[5000 64 3]"}, // the text's example
		{"[[0,1],10,[3,4]]", []int{2, 3, 10, 4, 5}, "[6 10 20]"},
		{"[-1]", []int{2, 3}, "[6]"},
		{"[2,-1]", []int{2, 1}, "[2 1]"},
		{"[[],6]", []int{2, 3}, "[1 6]"},
		{"[[0,2],3]", []int{2, 1, 4, 3}, "[8 3]"}, // what lies between is of length 1
		{"[]", []int{1}, "[]"},
		{"[3,-1]", []int{2, 4}, "do not fit shape [3 -1]"},
		{"[7]", []int{2, 3}, "has 6 elements, which do not fit shape [7]"},
		{"[-1,-1]", []int{2, 3}, "a second -1"},
		{"[0]", []int{2, 3}, "must be positive"},
		{"[-2]", []int{2, 3}, "-2 is less than -1"},
		{"[1.0]", []int{1}, "must be an integer"},
		{`["a"]`, []int{1}, "must be an integer"},
		{"[[1],[0]]", []int{2, 3}, "axis 0 behind axis 1"},
		{"[[1,0],10,[3,4]]", []int{2, 3, 10, 4, 5}, "axis 0 behind axis 1"},
		{"[[3,4],10,[0,1]]", []int{2, 3, 10, 4, 5}, "axis 0 behind axis 4"},
		{"[[0,0]]", []int{2}, "axis 0 behind axis 0"},
		{"[[2]]", []int{2, 3}, "no axis 2"},
		{"[[-1]]", []int{2, 3}, "-1 is less than 0"},
		{"[3,[0]]", []int{2, 3}, "is not made of axes [0]"},
		{"[[0],3,4]", []int{3, 2, 2, 3}, "[3 3 4]"},
		{"[[1],6]", []int{6, 6}, "is not made of axes [1]"},
		{"[4611686018427387904,4611686018427387904,4611686018427387904,4611686018427387904,-1]", []int{2, 3}, "more elements than can be counted"},
		{"[4611686018427387904,4611686018427387904]", []int{2, 3}, "more elements"},
		{`"x"`, []int{2, 3}, "must be an array"},
		{"{}", []int{2, 3}, "must be an array"},
	} {
		f, err := bind(c.shape, c.in...)
		got := fmt.Sprint(err)
		if err == nil {
			got = fmt.Sprint(f.Out().Shape)
		}
		if got != c.want && (err == nil || !strings.Contains(got, c.want)) {
			t.Errorf("%s of %v: got %s, want %s", c.shape, c.in, got, c.want)
		}
	}
	for config, want := range map[string]string{"{}": "lacks shape", `{"shape":[1],"order":"C"}`: "unknown member", "[1]": "must be an object"} {
		if _, err := reshape.Parse(nil, "reshape", json.RawMessage(config)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", config, err)
		}
	}
	if _, err := bind("[" + strings.Repeat("1,", 40) + "1]"); err == nil || !strings.Contains(err.Error(), "more than 32 axes") {
		t.Errorf("got %v", err)
	}
}

func TestOnlyAxesOfLengthOneAreMoved(t *testing.T) {
	for _, c := range []struct {
		shape string
		in    []int
		moves bool
	}{
		{"[2,3]", []int{2, 3}, true},
		{"[1,2,1,3]", []int{2, 3}, true},
		{"[[0],-1]", []int{2, 1, 3}, true},
		{"[3,2]", []int{2, 3}, false},
		{"[6]", []int{2, 3}, false},
		{"[2,3]", []int{6}, false},
	} {
		f, err := bind(c.shape, c.in...)
		if err != nil {
			t.Fatal(err)
		}
		if _, moves := f.(codec.Mover); moves != c.moves {
			t.Errorf("%s of %v: %T", c.shape, c.in, f)
		}
	}
}

// drawShapes draws two shapes of as many elements: factors, joined in two ways.
func drawShapes(t *rapid.T) (in, out []int) {
	factors := rapid.SliceOfN(rapid.IntRange(1, 4), 0, 6).Draw(t, "factors")
	join := func(name string) []int {
		shape := []int{}
		for i, f := range factors {
			if i > 0 && rapid.Bool().Draw(t, name) {
				shape[len(shape)-1] *= f
			} else {
				shape = append(shape, f)
			}
		}
		return shape
	}
	in = join("in")
	if rapid.Bool().Draw(t, "other factors") {
		factors = rapid.Permutation(factors).Draw(t, "order")
	}
	return in, join("out")
}

func drawBox(t *rapid.T, shape []int) nd.Box {
	b := nd.Box{Start: make([]int, len(shape)), Shape: make([]int, len(shape))}
	for i, n := range shape {
		b.Start[i] = rapid.IntRange(0, n-1).Draw(t, "start")
		b.Shape[i] = rapid.IntRange(1, n-b.Start[i]).Draw(t, "length")
	}
	return b
}

// index is the index in shape of element n in C order.
func index(n int, shape []int) []int {
	out := make([]int, len(shape))
	for i := len(shape) - 1; i >= 0; i-- {
		out[i], n = n%shape[i], n/shape[i]
	}
	return out
}

// TestABoxIsAllThatIsNeeded decodes boxes from memory in which nothing else is
// right, and sees that a box is as small as it can be where axes are only joined
// or only cut.
func TestABoxIsAllThatIsNeeded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, out := drawShapes(t)
		text, _ := json.Marshal(out)
		f, err := bind(string(text), in...)
		if err != nil {
			t.Fatal(err)
		}
		src := nd.Make(1, out...)
		for i := range src.Data {
			src.Data[i] = byte(i)
		}
		box := drawBox(t, in)
		got := nd.Make(1, box.Shape...)
		var need nd.Box
		switch f := f.(type) {
		case codec.Mover:
			need = f.Box(box)
			nd.Copy(f.View(got), src.Box(need))
		case codec.Transform:
			need = f.Needs(box)
			if err := need.Check(out); err != nil {
				t.Fatal(err)
			}
			part := nd.Make(1, need.Shape...)
			nd.Copy(part, src.Box(need))
			if err := f.Decode(nil, got, box, part); err != nil {
				t.Fatal(err)
			}
			whole := nd.Make(1, out...)
			if err := f.Encode(nil, whole, nd.Of(src.Data, 1, in...)); err != nil || !slices.Equal(whole.Data, src.Data) {
				t.Fatalf("encoded as %v, %v", whole.Data, err)
			}
		}
		want := nd.Make(1, box.Shape...)
		nd.Copy(want, nd.Of(src.Data, 1, in...).Box(box))
		if !slices.Equal(got.Data, want.Data) {
			t.Fatalf("%v of %v as %v: got %v, want %v", box, in, out, got.Data, want.Data)
		}
		if len(out) == 1 || len(in) == 1 {
			if least := hull(in, out, box); fmt.Sprint(need) != fmt.Sprint(least) {
				t.Fatalf("%v of %v as %v needs %v, not %v", box, in, out, least, need)
			}
		}
	})
}

// hull is the smallest box of out that holds the elements of a box of in.
func hull(in, out []int, box nd.Box) nd.Box {
	lo, hi := slices.Clone(out), make([]int, len(out))
	for i := range out {
		hi[i] = -1
	}
	total, _ := nd.Len(in)
	for n := range total {
		inside := true
		for i, k := range index(n, in) {
			inside = inside && k >= box.Start[i] && k < box.Start[i]+box.Shape[i]
		}
		if !inside {
			continue
		}
		for i, k := range index(n, out) {
			lo[i], hi[i] = min(lo[i], k), max(hi[i], k)
		}
	}
	for i := range hi {
		hi[i] -= lo[i] - 1
	}
	return nd.Box{Start: lo, Shape: hi}
}

// A part of a chunk reads a part of the shard behind, also along axes that were
// not joined with others.
func TestPartsOfAShardBehind(t *testing.T) {
	chain, err := registry().ParseList(json.RawMessage(`[` + to("[[0,1],[2]]") + `,` + sharded("[64,64]") + `]`))
	if err != nil {
		t.Fatal(err)
	}
	b, err := chain.Bind(codec.Spec{Type: dtype.MustParse("uint8"), Shape: []int{16, 32, 1024}, Fill: []byte{0}})
	if err != nil {
		t.Fatal(err)
	}
	v := nd.Make(1, 16, 32, 1024)
	for i := range v.Data {
		v.Data[i] = byte(i*7) | 1
	}
	ck := &codec.Chunk{Limits: &codec.Limits{MaxChunk: 1 << 24}}
	data, err := b.Encode(context.Background(), ck, nil, v)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		box  nd.Box
		most int64 // bytes
	}{
		{nd.Box{Start: []int{3, 5, 70}, Shape: []int{1, 1, 2}}, 6200},
		{nd.Box{Start: []int{2, 0, 64}, Shape: []int{2, 32, 64}}, 6200},      // an inner chunk
		{nd.Box{Start: []int{0, 0, 100}, Shape: []int{16, 32, 1}}, 36000},    // a column of them
		{nd.Box{Start: []int{0, 0, 0}, Shape: []int{16, 32, 1024}}, 1 << 20}, // all
	} {
		src := &codectest.Source{Data: data, IsNear: true}
		got, want := nd.Make(1, c.box.Shape...), nd.Make(1, c.box.Shape...)
		if err := b.Decode(context.Background(), ck, src, c.box, got); err != nil {
			t.Fatal(err)
		}
		nd.Copy(want, v.Box(c.box))
		if !slices.Equal(got.Data, want.Data) || src.Bytes.Load() > c.most {
			t.Errorf("%v: %d bytes were read", c.box, src.Bytes.Load())
		}
	}
}

func TestEmptyBoxes(t *testing.T) {
	f, err := bind("[6]", 2, 3)
	if err != nil {
		t.Fatal(err)
	}
	tr := f.(codec.Transform)
	none := nd.Box{Start: []int{1, 1}, Shape: []int{0, 2}}
	if need := tr.Needs(none); need.Shape[0] != 0 {
		t.Errorf("nothing needs %v", need)
	}
	if err := tr.Decode(nil, nd.Make(1, 0, 2), none, nd.Make(1, 0)); err != nil {
		t.Error(err)
	}
	s, err := reshape.Squeeze{}.BindArray(codec.Spec{Type: dtype.MustParse("uint8"), Shape: []int{1, 4}, Fill: []byte{0}})
	if err != nil {
		t.Fatal(err)
	}
	if b := s.(codec.Mover).Box(nd.Box{Start: []int{0, 0}, Shape: []int{0, 4}}); b.Shape[0] != 0 {
		t.Errorf("nothing is %v", b)
	}
	if v := s.(codec.Mover).View(nd.Make(1, 0, 4)); v.Len() != 0 {
		t.Errorf("nothing has %d elements", v.Len())
	}
}

func FuzzParse(f *testing.F) {
	f.Add(`{"shape":[[0,1],-1,3]}`, 4, 3)
	f.Add(`{"shape":[-1]}`, 1, 1)
	f.Add(`{"shape":[[],[0],2]}`, 2, 2)
	fuzzlong.Fuzz(f, func(t *testing.T, config string, a, b int) {
		c, err := reshape.Parse(nil, "reshape", json.RawMessage(config))
		if err != nil || a < 1 || b < 1 || a > 100 || b > 100 {
			return
		}
		if _, err := c.MarshalJSON(); err != nil {
			t.Fatal(err)
		}
		fl, err := c.(codec.ArrayToArray).BindArray(codec.Spec{Type: dtype.MustParse("uint8"), Shape: []int{a, b}, Fill: []byte{0}})
		if err != nil {
			return
		}
		if n, ok := nd.Len(fl.Out().Shape); !ok || n != a*b {
			t.Errorf("%s: %v became %v", config, []int{a, b}, fl.Out().Shape)
		}
	})
}
