package codec_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/internal/par"
	"github.com/omnizarr/zarr/nd"
)

// sizes takes bytes, and remembers how many came at once.
type sizes struct {
	bytes.Buffer
	largest int
}

func (s *sizes) Write(p []byte) (int, error) {
	s.largest = max(s.largest, len(p))
	return s.Buffer.Write(p)
}

// TestRowsAreTheEncodedChunk writes chunks that lie apart in memory in pieces of whatever
// rank, byte order and order of axes.
func TestRowsAreTheEncodedChunk(t *testing.T) {
	const little, big = `{"name":"bytes","configuration":{"endian":"little"}}`, `{"name":"bytes","configuration":{"endian":"big"}}`
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		codecs, typ string
		shape       []int
	}{
		{`[` + little + `]`, "uint16", []int{81, 82, 83}},
		{`[` + big + `]`, "float64", []int{1, 150000}},
		{`[` + big + `]`, "complex64", []int{3, 2, 70001}},
		{`[` + little + `]`, "uint32", []int{400000}},
		{`[` + little + `]`, "r8388608", []int{2, 2}},
		{`[` + little + `]`, "int64", []int{2, 1, 3, 5, 1, 7001}},
		{`[{"name":"transpose","configuration":{"order":[2,0,1]}},` + little + `]`, "uint16", []int{90, 70, 100}},
		{`[{"name":"transpose","configuration":{"order":[1,0]}},` + big + `]`, "int32", []int{1000, 301}},
	} {
		b := bind(t, c.codecs, c.typ, c.shape...)
		size := b.Spec().Type.Size()
		// The chunk is every element of a larger array but the first and last along each axis.
		start, larger := make([]int, len(c.shape)), make([]int, len(c.shape))
		for i, n := range c.shape {
			start[i], larger[i] = 1, n+2
		}
		all := nd.Make(size, larger...)
		some := make([]byte, 9973) // again and again, at another place in every row
		for i := range some {
			some[i] = byte(r.Uint32())
		}
		for i := 0; i < len(all.Data); i += copy(all.Data[i:], some) {
		}
		src := all.Box(nd.Box{Start: start, Shape: c.shape})
		ck := &codec.Chunk{Limits: &codec.Limits{MaxChunk: 1 << 30}}
		want, err := b.Encode(ctx, ck, nil, src)
		if err != nil {
			t.Fatal(err)
		}
		var got sizes
		if !b.InRows() {
			t.Errorf("%s %v: is not written in pieces", c.codecs, c.shape)
			continue
		}
		if err := b.EncodeRows(ck, &got, src); err != nil || !bytes.Equal(got.Bytes(), want) {
			t.Errorf("%s %v: %d bytes, want %d: %v", c.codecs, c.shape, got.Len(), len(want), err)
		}
		if got.largest > max(256<<10, size) {
			t.Errorf("%s %v: a piece of %d bytes", c.codecs, c.shape, got.largest)
		}
	}
}

// TestRowsAreForLargePlainChunks leaves all else to Encode.
func TestRowsAreForLargePlainChunks(t *testing.T) {
	for _, c := range []struct {
		codecs, typ string
		shape       []int
	}{
		{`["bytes"]`, "uint8", []int{100, 100}},
		{`["bytes","crc32c"]`, "uint8", []int{2000, 1000}},
		{`["packbits"]`, "bool", []int{10000, 1000}},
		{`[{"name":"numcodecs.delta","configuration":{"dtype":"|u1"}},"bytes"]`, "uint8", []int{2000, 1000}},
		{`["bytes"]`, "r16777216", nil},
	} {
		if bind(t, c.codecs, c.typ, c.shape...).InRows() {
			t.Errorf("%s %v is written in pieces", c.codecs, c.shape)
		}
	}
}

// failing takes some bytes.
type failing struct{ left int }

var errFull = errors.New("no space left")

func (f *failing) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, errFull
	}
	return len(p), nil
}

// TestRowsEndWhereTheyCannotBeWritten tells what is wrong, and takes no more memory than
// is allowed.
func TestRowsEndWhereTheyCannotBeWritten(t *testing.T) {
	b := bind(t, `["bytes"]`, "uint8", 2000, 1000)
	src := nd.Make(1, 2000, 1000)
	if err := b.EncodeRows(limits(), &failing{500_000}, src); !errors.Is(err, errFull) {
		t.Error(err)
	}
	small := &codec.Chunk{Limits: &codec.Limits{MaxChunk: 100_000}}
	if err := b.EncodeRows(small, &sizes{}, src); !errors.Is(err, codec.ErrTooLarge) {
		t.Error(err)
	}
	src.Data = src.Data[:1000:1000] // shorter than its shape says, which panics
	if err := b.EncodeRows(limits(), &sizes{}, src); err == nil || !strings.Contains(err.Error(), "codec bytes") || par.Panics() != 1 {
		t.Error(err)
	}
}
