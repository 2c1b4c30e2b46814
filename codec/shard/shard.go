// Package shard is the codec "sharding_indexed": a chunk made of inner chunks,
// each encoded by itself, with an index of where they lie.
//
// Reading a part fetches the index and then only the inner chunks that are
// wanted, neighbours joined into one range. Writing a part copies the bytes of
// the inner chunks that do not change. Inner chunks are coded in parallel as
// far as the caller's limits allow. Shards may contain shards.
package shard

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/nd"
)

// Codec is a parsed entry.
type Codec struct {
	ChunkShape []int        // of the inner chunks
	Codecs     *codec.Chain // of the inner chunks
	Index      *codec.Chain // of the index
	IndexFirst bool         // the index stands before the inner chunks, not behind
}

type config struct {
	ChunkShape    []int           `json:"chunk_shape"`
	Codecs        json.RawMessage `json:"codecs"`
	IndexCodecs   json.RawMessage `json:"index_codecs"`
	IndexLocation *string         `json:"index_location"`
}

// Parse reads the configuration.
func Parse(r *codec.Registry, _ string, raw json.RawMessage) (codec.Codec, error) {
	var c config
	if err := codec.ParseConfig(raw, &c); err != nil {
		return nil, err
	}
	switch {
	case c.ChunkShape == nil:
		return nil, fmt.Errorf("configuration lacks chunk_shape")
	case c.Codecs == nil:
		return nil, fmt.Errorf("configuration lacks codecs")
	case c.IndexCodecs == nil:
		return nil, fmt.Errorf("configuration lacks index_codecs")
	}
	out := Codec{ChunkShape: c.ChunkShape}
	for _, n := range c.ChunkShape {
		if n <= 0 {
			return nil, fmt.Errorf("chunk_shape %v: lengths must be positive", c.ChunkShape)
		}
	}
	if c.IndexLocation != nil {
		switch *c.IndexLocation {
		case "start":
			out.IndexFirst = true
		case "end":
		default:
			return nil, fmt.Errorf("index_location is %q: must be \"start\" or \"end\"", *c.IndexLocation)
		}
	}
	var err error
	if out.Codecs, err = r.ParseList(c.Codecs); err != nil {
		return nil, fmt.Errorf("codecs: %w", err)
	}
	if out.Index, err = r.ParseList(c.IndexCodecs); err != nil {
		return nil, fmt.Errorf("index_codecs: %w", err)
	}
	return out, nil
}

// Name is "sharding_indexed".
func (Codec) Name() string { return "sharding_indexed" }

// MarshalJSON gives the entry for metadata.
func (c Codec) MarshalJSON() ([]byte, error) {
	codecs, err := c.Codecs.MarshalJSON()
	if err != nil {
		return nil, err
	}
	index, err := c.Index.MarshalJSON()
	if err != nil {
		return nil, err
	}
	where := "end"
	if c.IndexFirst {
		where = "start"
	}
	shape, err := json.Marshal(c.ChunkShape)
	if err != nil {
		return nil, err
	}
	// What is inside is written already, and is not looked at once more for each level.
	return fmt.Appendf(nil, `{"name":"sharding_indexed","configuration":{"chunk_shape":%s,"codecs":%s,"index_codecs":%s,"index_location":%q}}`, shape, codecs, index, where), nil
}

// Complete writes down the configurations of the inner codecs. It refuses codecs of
// the index that do not give it back as it was: such shards could not be read.
func (c Codec) Complete(in codec.Spec) (codec.Codec, error) {
	if err := c.tryIndex(len(in.Shape)); err != nil {
		return nil, err
	}
	in.Shape = c.ChunkShape
	var err error
	c.Codecs, err = c.Codecs.Complete(in)
	return c, err
}

// tryIndex writes indexes of one inner chunk and reads them again. Codecs from
// bytes to bytes lose nothing, and may be a program's own.
func (c Codec) tryIndex(rank int) error {
	shape := append(slices.Repeat([]int{1}, rank), 2)
	b, err := c.Index.ToBytes().Bind(codec.Spec{Type: dtype.MustParse("uint64"), Shape: shape, Fill: make([]byte, 8)})
	if err != nil {
		return nil // what is wrong is told of the real index; these may fit that alone
	}
	ctx, ck := context.Background(), &codec.Chunk{Limits: &codec.Limits{MaxChunk: 1 << 20}}
	src, dst := nd.Of(make([]byte, 16), 8, shape...), nd.Of(make([]byte, 16), 8, shape...)
	for _, bits := range []uint64{math.MaxUint64, 0x0123456789abcdef, 1} {
		binary.LittleEndian.PutUint64(src.Data, bits)
		binary.LittleEndian.PutUint64(src.Data[8:], ^bits)
		out, err := b.Encode(ctx, ck, nil, src)
		if err == nil {
			err = b.Decode(ctx, ck, &codec.Memory{Bytes: out}, nd.Whole(shape), dst)
		}
		if err == nil && !bytes.Equal(src.Data, dst.Data) {
			err = errors.New("they lose bits of the index, which could not be read again")
		}
		if err != nil {
			return fmt.Errorf("index_codecs: %w", err)
		}
	}
	return nil
}

// BindSerializer fits the codec to chunks.
func (c Codec) BindSerializer(in codec.Spec) (codec.Serializer, error) {
	if len(c.ChunkShape) != len(in.Shape) {
		return nil, fmt.Errorf("chunk_shape %v has %d axes, the shard has %d", c.ChunkShape, len(c.ChunkShape), len(in.Shape))
	}
	s := &shard{spec: in, inner: c.ChunkShape, first: c.IndexFirst, counts: make([]int, len(in.Shape))}
	for i, n := range in.Shape {
		if n%c.ChunkShape[i] != 0 {
			return nil, fmt.Errorf("inner chunks of shape %v do not divide a shard of shape %v", c.ChunkShape, in.Shape)
		}
		s.counts[i] = n / c.ChunkShape[i]
	}
	var ok bool
	if s.count, ok = nd.Len(s.counts); !ok || s.count > math.MaxInt/64 {
		return nil, fmt.Errorf("a shard of shape %v has more inner chunks of shape %v than can be counted", in.Shape, c.ChunkShape)
	}
	innerSpec := in
	innerSpec.Shape = c.ChunkShape
	var err error
	if s.chain, err = c.Codecs.Bind(innerSpec); err != nil {
		return nil, err
	}
	u64, err := dtype.Parse(json.RawMessage(`"uint64"`))
	if err != nil {
		return nil, err
	}
	s.indexShape = append(append([]int(nil), s.counts...), 2)
	s.index, err = c.Index.Bind(codec.Spec{Type: u64, Shape: s.indexShape, Fill: make([]byte, 8)})
	if err != nil {
		return nil, fmt.Errorf("index_codecs: %w", err)
	}
	size := s.index.Size()
	if !size.Exact {
		return nil, fmt.Errorf("index_codecs: the size of the index must not depend on its content")
	}
	s.indexSize = size.N
	return s, nil
}

// shard is the bound codec.
type shard struct {
	spec       codec.Spec
	inner      []int // shape of the inner chunks
	counts     []int // number of inner chunks along each axis
	count      int   // in all
	chain      *codec.Bound
	index      *codec.Bound
	indexShape []int
	indexSize  int
	first      bool
}

// Traits says that the inner chunks have a chain of their own, and are changed by
// themselves.
func (s *shard) Traits() codec.Traits {
	t := codec.Traits{Inner: s.chain, Update: s.update, Parts: s.partsOf}
	if !s.first { // what comes first is known last
		t.Stream = s.stream
	}
	return t
}

// Ranges is always true: the index is read before anything else.
func (s *shard) Ranges(nd.Box) bool { return true }

// Size is bounded if that of the inner chunks is. A shard may hold dead bytes,
// left behind by writers that only append: as much again is accepted.
func (s *shard) Size() codec.Size {
	inner := s.chain.Size()
	if !inner.Known || inner.N > (math.MaxInt/4-s.indexSize)/max(1, s.count) {
		return codec.Size{}
	}
	return codec.AtMost(2*s.count*inner.N + s.indexSize + 1<<16)
}

// part is what a box covers of one inner chunk.
type part struct {
	at   []int  // index of the inner chunk in the shard
	box  nd.Box // inside the inner chunk
	from []int  // where that lies in the outer box
}

// whole reports whether the part is the whole inner chunk.
func (p *part) whole(inner []int) bool { return p.box.Covers(inner) }

// parts is the grid of inner chunks that a box touches.
type parts struct {
	s      *shard
	box    nd.Box
	lo     []int // first inner chunk along each axis
	counts []int
	n      int
}

func (s *shard) parts(box nd.Box) parts {
	r := len(s.inner)
	mem := make([]int, 2*r)
	p := parts{s: s, box: box, lo: mem[:r], counts: mem[r:], n: 1}
	for i, c := range s.inner {
		if box.Shape[i] == 0 {
			p.n = 0
			return p
		}
		p.lo[i] = box.Start[i] / c
		p.counts[i] = (box.Start[i]+box.Shape[i]-1)/c - p.lo[i] + 1
		p.n *= p.counts[i]
	}
	return p
}

// get computes part k.
func (p *parts) get(k int) part { return p.into(k, make([]int, 4*len(p.lo))) }

// into is get whose slices are in mem, which has room for four numbers of every axis.
func (p *parts) into(k int, mem []int) part {
	r := len(p.lo)
	out := part{at: mem[:r], box: nd.Box{Start: mem[r : 2*r], Shape: mem[2*r : 3*r]}, from: mem[3*r : 4*r]}
	for i := r - 1; i >= 0; i-- {
		c := p.s.inner[i]
		at := p.lo[i] + k%p.counts[i]
		k /= p.counts[i]
		lo := max(p.box.Start[i], at*c)
		hi := min(p.box.Start[i]+p.box.Shape[i], (at+1)*c)
		out.at[i], out.box.Start[i], out.box.Shape[i], out.from[i] = at, lo-at*c, hi-lo, lo-p.box.Start[i]
	}
	return out
}

// linear is the position of an inner chunk in the index.
func (s *shard) linear(at []int) int {
	n := 0
	for i, k := range at {
		n = n*s.counts[i] + k
	}
	return n
}

// chunk describes an inner chunk to the codecs inside.
func (s *shard) chunk(ck *codec.Chunk, at []int) *codec.Chunk {
	out := new(codec.Chunk)
	s.describe(out, make([]int, 2*len(at)), ck, at)
	return out
}

// describe is chunk into out, whose slices are in mem, which has room for two numbers of every axis.
func (s *shard) describe(out *codec.Chunk, mem []int, ck *codec.Chunk, at []int) {
	r := len(at)
	*out = codec.Chunk{Cache: ck.Cache, Limits: ck.Limits}
	if ck.Index != nil {
		out.Index = mem[:r]
	}
	if ck.Extent != nil {
		out.Extent = mem[r : 2*r]
	}
	for i, k := range at {
		if ck.Index != nil {
			out.Index[i] = ck.Index[i]*s.counts[i] + k
		}
		if ck.Extent != nil {
			out.Extent[i] = min(max(ck.Extent[i]-k*s.inner[i], 0), s.inner[i])
		}
	}
	if ck.Cache != nil {
		out.Name = s.name(ck, at)
	}
}

// name is what the cache knows an inner chunk by.
func (s *shard) name(ck *codec.Chunk, at []int) string {
	return ck.Name + "#" + strconv.Itoa(s.linear(at))
}
