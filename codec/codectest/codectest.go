// Package codectest checks that a codec does what package codec promises. Each
// codec runs it in its own tests, in chains as metadata spells them:
//
//	func TestCodec(t *testing.T) {
//		codectest.Run(t, codectest.Case{
//			Codecs: `["bytes", "crc32c"]`, Type: "uint8", Shape: []int{4, 5}, Fill: "7",
//		})
//	}
package codectest

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/internal/basic"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/par"
	"github.com/omnizarr/zarr/nd"
)

// Case is a chain of codecs and what flows through it.
type Case struct {
	Codecs string // the codecs member of metadata
	Type   string // as dtype.Lookup takes it
	Shape  []int  // of a chunk
	Fill   string // the fill value in JSON; "" is zero

	// Registry knows the codecs; nil stands for a few that many chains have: bytes,
	// vlen-utf8, vlen-bytes, transpose, gzip, crc32c and sharding_indexed.
	Registry *codec.Registry
	// MaxChunk bounds what the chain may allocate at once; 0 stands for a mebibyte.
	MaxChunk int
	// Sparse says that chunks may hold less than their shape, and that what is not
	// there has a value all the same.
	Sparse bool
}

// Name is how the case is called in the output of tests.
func (c Case) Name() string { return fmt.Sprintf("%s of %s %v", c.Codecs, c.Type, c.Shape) }

// Run checks one chain. Random data is the same in every run.
func Run(t *testing.T, c Case) {
	t.Helper()
	s := newSubject(t, c)
	for _, check := range []struct {
		name string
		run  func(*testing.T, *subject)
	}{
		{"what is encoded is decoded", testRoundTrip},
		{"a box is a slice of the whole", testBoxes},
		{"memory may be strided in any way", testViews},
		{"encoding appends", testAppend},
		{"the size is what it is said to be", testSize},
		{"metadata is stable", testMetadata},
		{"an update changes its box only", testUpdate},
		{"an update of a missing chunk starts from the fill value", testUpdateMissing},
		{"nothing but fill values is empty", testEmpty},
		{"a cache changes nothing", testCache},
		{"goroutines may share a chain", testConcurrent},
		{"damaged bytes do no harm", testDamage},
		{"a chunk that metadata makes huge is an error", testHuge},
		{"a cancelled context ends the work", testCancelled},
	} {
		t.Run(check.name, func(t *testing.T) { check.run(t, s) })
	}
}

// subject is a bound chain under test.
type subject struct {
	Case
	registry *codec.Registry
	typ      dtype.Type
	spec     codec.Spec
	chain    *codec.Chain
	bound    *codec.Bound
	limits   *codec.Limits
}

func newSubject(t *testing.T, c Case) *subject {
	t.Helper()
	s := &subject{Case: c, registry: c.Registry}
	if s.registry == nil {
		s.registry = basic.Registry()
	}
	var err error
	if s.typ, err = dtype.Lookup(c.Type); err != nil {
		t.Fatal(err)
	}
	heap := &nd.Heap{}
	fill := make([]byte, s.typ.Size())
	if c.Fill != "" {
		if fill, err = s.typ.ParseFill(json.RawMessage(c.Fill), heap); err != nil {
			t.Fatal(err)
		}
	}
	s.spec = codec.Spec{Type: s.typ, Shape: slices.Clone(c.Shape), Fill: fill, Heap: heap}
	if s.chain, err = s.registry.ParseList(json.RawMessage(c.Codecs)); err != nil {
		t.Fatal(err)
	}
	if s.bound, err = s.chain.Bind(s.spec); err != nil {
		t.Fatal(err)
	}
	most := c.MaxChunk
	if most == 0 {
		most = 1 << 20
	}
	s.limits = &codec.Limits{Workers: par.NewLimiter(3, 1<<30), MaxChunk: most}
	return s
}

func (s *subject) chunk() *codec.Chunk {
	return &codec.Chunk{Index: make([]int, len(s.Shape)), Limits: s.limits}
}

// keeping is chunk with empty parts stored too.
func (s *subject) keeping() *codec.Chunk {
	ck := s.chunk()
	own := *s.limits
	own.KeepEmpty = true
	ck.Limits = &own
	return ck
}

// random is a source of numbers that depends on the case and the check only.
func (s *subject) random(t *testing.T) *rand.Rand {
	h := fnv.New64a()
	fmt.Fprint(h, s.Name(), t.Name())
	return rand.New(rand.NewPCG(h.Sum64(), 1))
}

func (s *subject) encode(t *testing.T, src nd.View) []byte {
	t.Helper()
	out, err := s.bound.Encode(context.Background(), s.chunk(), nil, src)
	if err != nil {
		t.Fatalf("encode: %v", err)
	}
	return out
}

// decode reads a box into new memory.
func (s *subject) decode(t *testing.T, ck *codec.Chunk, src codec.Source, box nd.Box) nd.View {
	t.Helper()
	dst := s.empty(box.Shape)
	if err := s.bound.Decode(context.Background(), ck, src, box, dst); err != nil {
		t.Fatalf("decode %v of %T: %v", box, src, err)
	}
	return dst
}

func (s *subject) whole() nd.Box { return nd.Whole(s.Shape) }
