package shard

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
)

// index is a decoded index: an offset and a length for every inner chunk.
type index struct {
	data    []byte
	total   int64  // bytes in the shard, -1 if the source does not tell
	version string // of the shard, "" if the source does not tell
}

const missing = math.MaxUint64

// load reads and decodes the index, or takes it from the cache. fresh says that it is
// that of what the source gives; otherwise what the source gives next tells.
func (s *shard) load(ctx context.Context, ck *codec.Chunk, src codec.Source) (x *index, fresh bool, err error) {
	if k, ok := src.(codec.Keeper); ok && ck.Cache == nil {
		v, fresh, err := k.Keep(ctx, "#index", func() (any, string, int64, error) {
			x, err := s.read(ctx, ck, src)
			if err != nil {
				return nil, "", 0, err
			}
			return x, x.version, int64(16 * s.count), nil
		})
		if err != nil {
			return nil, false, err
		}
		return v.(*index), fresh, nil
	}
	x, err = s.cached(ctx, ck, src)
	return x, true, err
}

// cached is load for sources that keep nothing.
func (s *shard) cached(ctx context.Context, ck *codec.Chunk, src codec.Source) (*index, error) {
	if ck.Cache == nil {
		return s.read(ctx, ck, src)
	}
	v, err := ck.Cache.Get(ctx, ck.Name+"#index", func() (any, int64, error) {
		x, err := s.read(ctx, ck, src)
		return x, int64(16 * s.count), err
	})
	if err != nil {
		return nil, err
	}
	return v.(*index), nil
}

func (s *shard) read(ctx context.Context, ck *codec.Chunk, src codec.Source) (*index, error) {
	if err := s.checkIndex(ck); err != nil {
		return nil, err
	}
	r := store.Suffix(int64(s.indexSize))
	if s.first {
		r = store.Part(0, int64(s.indexSize))
	}
	x := &index{total: -1}
	var raw []byte
	if m, ok := src.(*codec.Memory); ok {
		off, n, err := r.Resolve(int64(len(m.Bytes)))
		if err != nil {
			return nil, fmt.Errorf("index: %w", codec.RangeError(err))
		}
		raw, x.total = m.Bytes[off:off+n], int64(len(m.Bytes))
	} else {
		hold, err := ck.Lend(min(s.indexSize, 1<<20))
		if err != nil {
			return nil, fmt.Errorf("index: %w", err)
		}
		defer hold.Free()
		out, info, err := src.Get(ctx, r, hold.B)
		if err != nil {
			return nil, fmt.Errorf("index: %w", codec.RangeError(err))
		}
		hold.B, raw, x.total, x.version = out, out, info.Size, info.ETag
	}
	if len(raw) != s.indexSize {
		return nil, codec.Bad("shard of %d bytes is too short for its index of %d", len(raw), s.indexSize)
	}
	x.data = make([]byte, 16*s.count)
	err := s.index.Decode(ctx, plain(ck), &codec.Memory{Bytes: raw}, nd.Whole(s.indexShape), nd.Of(x.data, 8, s.indexShape...))
	if err != nil {
		return nil, fmt.Errorf("index: %w", err)
	}
	return x, nil
}

// partsOf tells where inner chunks lie.
func (s *shard) partsOf(ctx context.Context, ck *codec.Chunk, src codec.Source) (func(at []int) (off, n int, ok bool, err error), error) {
	x, fresh, err := s.load(ctx, ck, src)
	if err == nil && !fresh {
		x, err = s.read(ctx, ck, src)
	}
	if err != nil {
		return nil, err
	}
	return func(at []int) (off, n int, ok bool, err error) {
		for i, k := range at {
			if len(at) != len(s.counts) || k < 0 || k >= s.counts[i] {
				return 0, 0, false, codec.Bad("no inner chunk %v", at)
			}
		}
		return s.find(x, s.linear(at))
	}, nil
}

// plain is what the codecs of the index get to know: it is no chunk of the array.
func plain(ck *codec.Chunk) *codec.Chunk {
	return &codec.Chunk{Limits: &codec.Limits{MaxChunk: ck.MaxChunk()}}
}

// checkIndex refuses shards whose index takes too much memory.
func (s *shard) checkIndex(ck *codec.Chunk) error {
	if err := ck.Check(max(16*s.count, s.indexSize)); err != nil {
		return fmt.Errorf("index of %d inner chunks: %w", s.count, err)
	}
	return nil
}

// find tells where inner chunk i lies; ok is false if it is missing. What it
// returns lies inside the shard and outside its index.
func (s *shard) find(x *index, i int) (off, n int, ok bool, err error) {
	o, l := binary.LittleEndian.Uint64(x.data[16*i:]), binary.LittleEndian.Uint64(x.data[16*i+8:])
	if o == missing && l == missing {
		return 0, 0, false, nil
	}
	bad := func(why string) (int, int, bool, error) {
		return 0, 0, false, codec.Bad("index entry %d (offset %d, length %d) %s", i, o, l, why)
	}
	if o == missing || l == missing {
		return bad("is half missing")
	}
	if o > math.MaxInt64 || l > math.MaxInt64-o {
		return bad("cannot be an offset and a length")
	}
	lo, hi := uint64(0), uint64(math.MaxInt64)
	if x.total >= 0 {
		hi = uint64(x.total)
	}
	if s.first {
		lo = uint64(s.indexSize)
	} else if x.total >= 0 {
		hi -= uint64(s.indexSize)
	}
	if o+l > hi {
		return bad(fmt.Sprintf("reaches past the %d bytes of inner chunks", hi))
	}
	if o < lo {
		return bad("reaches into the index")
	}
	if size := s.chain.Size(); size.Known && l > uint64(size.N) {
		return bad(fmt.Sprintf("is longer than the %d bytes that an inner chunk can have", size.N))
	}
	return int(o), int(l), true, nil
}

// newIndex is an index in which everything is missing.
func (s *shard) newIndex(ck *codec.Chunk) (*index, error) {
	if err := s.checkIndex(ck); err != nil {
		return nil, err
	}
	x := &index{data: make([]byte, 16*s.count)}
	for i := range x.data {
		x.data[i] = 0xff
	}
	return x, nil
}

func (x *index) set(i, off, n int) {
	binary.LittleEndian.PutUint64(x.data[16*i:], uint64(off))
	binary.LittleEndian.PutUint64(x.data[16*i+8:], uint64(n))
}

// append appends the encoded index to dst.
func (s *shard) append(ctx context.Context, ck *codec.Chunk, dst []byte, x *index) ([]byte, error) {
	out, err := s.index.Encode(ctx, plain(ck), dst, nd.Of(x.data, 8, s.indexShape...))
	if err != nil {
		return nil, fmt.Errorf("index: %w", err)
	}
	return out, nil
}
