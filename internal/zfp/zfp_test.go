package zfp_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/internal/zfp"
)

var types = map[string]zfp.Type{"int32": zfp.Int32, "int64": zfp.Int64, "float32": zfp.Float32, "float64": zfp.Float64}

func width(t zfp.Type) int {
	if t == zfp.Int32 || t == zfp.Float32 {
		return 4
	}
	return 8
}

// array is C-ordered memory; nil data stands for zeros.
func array(t zfp.Type, data []byte, shape ...int) zfp.Array {
	a := zfp.Array{Elem: zfp.Elem{Type: t, Width: width(t)}, Data: data, Shape: shape, Strides: make([]int, len(shape))}
	n := width(t)
	for i := len(shape) - 1; i >= 0; i-- {
		a.Strides[i] = n
		n *= shape[i]
	}
	if data == nil {
		a.Data = make([]byte, n)
	}
	return a
}

// values are numbers of several kinds that any language can compute.
func values(t zfp.Type, kind string, n int) []byte {
	var out []byte
	state, walk := uint64(0x9e3779b97f4a7c15), int64(0)
	for range n {
		state = state*6364136223846793005 + 1442695040888963407
		r := int64(state >> 33)
		walk += r%201 - 100
		x, f := uint64(walk), float64(walk)/16
		switch kind {
		case "sparse":
			if r%5 != 0 {
				x, f = 0, 0
			}
		case "noise":
			x, f = state, float64(r-1<<30)/(1<<20)
		case "large":
			x = uint64(r-1<<30) << 31
		}
		switch {
		case t == zfp.Float32 && kind == "large" || t == zfp.Float64 && kind == "large":
			x = uint64(r) & 0xffff // too small to be normal
		case kind == "bits":
			x = state
			if width(t) == 4 {
				x >>= 32
			}
		case t == zfp.Float32:
			x = uint64(math.Float32bits(float32(f)))
		case t == zfp.Float64:
			x = math.Float64bits(f)
		case t == zfp.Int32 && (kind == "noise" || kind == "large"):
			x >>= 32
		}
		if width(t) == 4 {
			out = binary.LittleEndian.AppendUint32(out, uint32(x))
		} else {
			out = binary.LittleEndian.AppendUint64(out, x)
		}
	}
	return out
}

func count(shape []int) int {
	n := 1
	for _, k := range shape {
		n *= k
	}
	return n
}

type golden struct {
	Type, Values string
	Shape        []int
	Params       [4]int
	Header       bool
	Stream       []byte
	Decoded      string
}

func (g golden) params() zfp.Params {
	return zfp.Params{MinBits: g.Params[0], MaxBits: g.Params[1], MaxPrec: g.Params[2], MinExp: g.Params[3]}
}

// streams were made by libzfp 1.0.1, as was the first half of the SHA-256 of what
// it decodes them to.
func streams(t testing.TB) []golden {
	t.Helper()
	raw, err := os.ReadFile("testdata/streams.json")
	if err != nil {
		t.Fatal(err)
	}
	var out []golden
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func (g golden) stream(t testing.TB) zfp.Stream {
	t.Helper()
	s := zfp.Stream{Data: g.Stream, Shape: g.Shape, Params: g.params()}
	if !g.Header {
		return s
	}
	h, err := zfp.ReadHeader(g.Stream)
	if err != nil {
		t.Fatal(err)
	}
	if h.Type != types[g.Type] || !slices.Equal(h.Shape, g.Shape) || h.Params != g.params() {
		t.Errorf("header says %+v", h)
	}
	s.Start = h.Bits
	return s
}

func TestStreamsOfTheLibrary(t *testing.T) {
	for i, g := range streams(t) {
		typ := types[g.Type]
		name := fmt.Sprintf("%d: %s %s %v %+v", i, g.Values, g.Type, g.Shape, g.params())
		out, err := zfp.Append([]byte("xyz"), array(typ, values(typ, g.Values, count(g.Shape)), g.Shape...), g.params(), g.Header)
		if err != nil || !bytes.Equal(out, append([]byte("xyz"), g.Stream...)) {
			t.Errorf("%s: encoded differently, %v", name, err)
		}
		dst := array(typ, nil, g.Shape...)
		if err := g.stream(t).Decode(make([]int, len(g.Shape)), dst, true); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if sum := sha256.Sum256(dst.Data); hex.EncodeToString(sum[:16]) != g.Decoded {
			t.Errorf("%s: decoded differently", name)
		}
		if most, ok := zfp.MaxSize(g.Shape, typ, g.params()); !ok || len(g.Stream) > most+zfp.MaxHeader {
			t.Errorf("%s: %d bytes, at most %d were expected", name, len(g.Stream), most)
		}
	}
}

func TestABoxIsAPartOfTheWhole(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, g := range streams(t) {
		typ := types[g.Type]
		s := g.stream(t)
		whole := array(typ, nil, g.Shape...)
		if err := s.Decode(make([]int, len(g.Shape)), whole, false); err != nil {
			t.Fatal(err)
		}
		for range 6 {
			start, shape := make([]int, len(g.Shape)), make([]int, len(g.Shape))
			offset := 0
			for i, n := range g.Shape {
				start[i] = r.IntN(n)
				shape[i] = 1 + r.IntN(n-start[i])
				offset += start[i] * whole.Strides[i]
			}
			part := array(typ, nil, shape...)
			if err := s.Decode(start, part, r.IntN(2) == 0); err != nil {
				t.Fatal(err)
			}
			at := make([]int, len(shape))
			for {
				o, p := offset, 0
				for i, k := range at {
					o += k * whole.Strides[i]
					p += k * part.Strides[i]
				}
				if w := width(typ); !bytes.Equal(part.Data[p:p+w], whole.Data[o:o+w]) {
					t.Fatalf("%s %v: box %v at %v differs at %v", g.Type, g.Shape, shape, start, at)
				}
				if !next(at, shape) {
					break
				}
			}
		}
	}
}

func next(at, shape []int) bool {
	for i := len(at) - 1; i >= 0; i-- {
		if at[i]++; at[i] < shape[i] {
			return true
		}
		at[i] = 0
	}
	return false
}

func TestReversibleStreamsLoseNothing(t *testing.T) {
	for _, typ := range types {
		for _, kind := range []string{"walk", "noise", "sparse", "bits", "large"} {
			for _, shape := range [][]int{{1}, {4}, {103}, {1, 9}, {13, 8}, {5, 6, 7}, {4, 4, 4}, {3, 4, 5, 6}, {1, 1, 1, 1}} {
				data := values(typ, kind, count(shape))
				out, err := zfp.Append(nil, array(typ, data, shape...), zfp.Reversible(), false)
				if err != nil {
					t.Fatal(err)
				}
				back := array(typ, nil, shape...)
				s := zfp.Stream{Data: out, Shape: shape, Params: zfp.Reversible()}
				if err := s.Decode(make([]int, len(shape)), back, true); err != nil || !bytes.Equal(back.Data, data) {
					t.Errorf("%v %s %v came back differently, %v", typ, kind, shape, err)
				}
			}
		}
	}
}

func TestAccuracyIsKept(t *testing.T) {
	shape := []int{9, 10, 11}
	data := values(zfp.Float64, "walk", count(shape))
	for _, tolerance := range []float64{1e-6, 0.01, 1, 100} {
		p := zfp.FixedAccuracy(tolerance)
		out, err := zfp.Append(nil, array(zfp.Float64, data, shape...), p, false)
		if err != nil {
			t.Fatal(err)
		}
		back := array(zfp.Float64, nil, shape...)
		if err := (zfp.Stream{Data: out, Shape: shape, Params: p}).Decode(make([]int, 3), back, true); err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(data); i += 8 {
			a := math.Float64frombits(binary.LittleEndian.Uint64(data[i:]))
			b := math.Float64frombits(binary.LittleEndian.Uint64(back.Data[i:]))
			if math.Abs(a-b) > tolerance {
				t.Fatalf("tolerance %g: %g became %g", tolerance, a, b)
			}
		}
	}
}

// Blocks that are smaller than an exponent are taken for blocks without limit:
// zfpy 1.0.1 wrote this one, of [1.5 -2.25 3] at a rate of one bit.
func TestBlocksTooSmallForTheirExponent(t *testing.T) {
	want := []byte{0, 0, 0xc0, 0x3f, 0, 0, 0x10, 0xc0, 0, 0, 0x40, 0x40}
	p := zfp.Params{MinBits: 4, MaxBits: 4, MaxPrec: 64, MinExp: -1074}
	data, err := zfp.Append(nil, array(zfp.Float32, want, 3), p, true)
	if err != nil {
		t.Fatal(err)
	}
	if got := hex.EncodeToString(data); got != "7a6670052200000000003000038930b957010000000000000000000000000000" {
		t.Errorf("encoded as %s", got)
	}
	h, err := zfp.ReadHeader(data)
	if err != nil || h.Params != p {
		t.Fatalf("%+v, %v", h, err)
	}
	got := array(zfp.Float32, nil, 3)
	if err := (zfp.Stream{Data: data, Start: h.Bits, Shape: h.Shape, Params: h.Params}).Decode([]int{0}, got, true); err != nil || !bytes.Equal(got.Data, want) {
		t.Errorf("got %x, %v", got.Data, err)
	}
}

func TestDamagedStreams(t *testing.T) {
	for _, g := range streams(t)[:40] {
		s := g.stream(t)
		start, dst := make([]int, len(g.Shape)), array(types[g.Type], nil, g.Shape...)
		good := s.Data
		for n := 0; n < len(good); n += thorough.Least(29, 1, 1) {
			s.Data = good[:n:n]
			if err := s.Decode(start, dst, false); err == nil {
				t.Fatalf("%d of %d bytes were taken for the whole", n, len(good))
			}
		}
		s.Data = append(slices.Clone(good), make([]byte, 8)...)
		if err := s.Decode(start, dst, false); err == nil || !strings.Contains(err.Error(), "the data at byte") {
			t.Errorf("a word too many: %v", err)
		}
		s.Data = slices.Clone(good)
		if s.Params == zfp.Reversible() && s.Data[len(good)-1] == 0 {
			s.Data[len(good)-1] = 0x80
			if err := s.Decode(start, dst, true); err == nil || !strings.Contains(err.Error(), "are not zero") {
				t.Errorf("a bit behind the blocks: %v", err)
			}
		}
	}
}

// A part of an array that claims to be huge costs no more than its data.
func TestHugeArraysCostTheirData(t *testing.T) {
	rate, err := zfp.FixedRate(4, zfp.Int32, 2)
	if err != nil {
		t.Fatal(err)
	}
	shape := []int{1 << 24, 1 << 24}
	for _, p := range []zfp.Params{zfp.Reversible(), rate, {MaxBits: 1, MaxPrec: 64}} {
		s := zfp.Stream{Data: make([]byte, 1<<10), Shape: shape, Params: p}
		err := s.Decode([]int{shape[0] - 1, shape[1] - 1}, array(zfp.Int32, nil, 1, 1), false)
		if err == nil || !strings.Contains(err.Error(), "data ends in block") {
			t.Errorf("%+v: got %v", p, err)
		}
	}
}
