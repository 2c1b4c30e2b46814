package blosc

import (
	"context"
	"errors"
	"strconv"
	"sync"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/internal/blosc"
	"github.com/omnizarr/zarr/store"
)

// ranged is a filter of chunks that have several blocks.
type ranged struct{ *filter }

// Traits says that a chunk is best taken in pieces: its blocks are made to fit the
// processor's cache.
func (*ranged) Traits() codec.Traits { return codec.Traits{Blocks: true} }

// Range gives random access to what a frame holds.
func (f *ranged) Range(ck *codec.Chunk, src codec.Source) codec.Source {
	s := &source{filter: f.filter, ck: ck, src: src, last: -1}
	if m, ok := src.(*codec.Memory); ok {
		s.all = m.Bytes
	}
	return s
}

// source decodes the blocks that are asked for. Of a block of which only a part
// was wanted the rest is kept: in the cache, if the chunk has one, and the last
// one in any case.
type source struct {
	filter *filter
	ck     *codec.Chunk
	src    codec.Source

	mu    sync.Mutex
	index *blosc.Index
	all   []byte // the frame, if it was read as a whole
	last  int
	block []byte // which is block last
}

// farWhole is the size of data up to which a frame is fetched with one request
// from far away, since the answer to three takes longer than to one with more.
const farWhole = 8 << 20

// mostBlocks is how many blocks are looked for in the first request.
const mostBlocks = 16 << 10

// Near passes on what the source is: blocks that are asked for in order are
// decoded once.
func (s *source) Near() bool {
	_, memory := s.src.(*codec.Memory)
	return memory || store.IsNear(s.src)
}

// Get appends the bytes in r of the data. Several may be under way: only what is kept is for one at a time.
func (s *source) Get(ctx context.Context, r store.Range, dst []byte) ([]byte, store.Info, error) {
	out, size, err := s.get(ctx, r, dst)
	if err != nil {
		return dst, store.Info{Size: -1}, err
	}
	return out, store.Info{Size: int64(size)}, nil
}

func (s *source) get(ctx context.Context, r store.Range, dst []byte) ([]byte, int, error) {
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	if err := s.open(ctx); err != nil {
		return nil, 0, err
	}
	x := s.index
	off, n, err := r.Resolve(int64(x.Bytes))
	if err != nil {
		return nil, 0, err
	}
	at, end := int(off), int(off+n)
	if x.Stored() {
		dst, err = s.encoded(ctx, blosc.HeaderLen+at, blosc.HeaderLen+end, dst)
		return dst, x.Bytes, err
	}
	if dst, err = s.ck.Grow(dst, end-at); err != nil {
		return nil, 0, err
	}
	for at < end {
		i := at / x.BlockSize
		lo, hi := x.Block(i)
		if at == lo && hi <= end && !s.has(i) {
			k := len(dst)
			dst = dst[:k+hi-lo]
			err = s.decode(ctx, i, dst[k:])
		} else {
			dst, err = s.part(ctx, i, at-lo, min(hi, end)-lo, dst)
		}
		if err != nil {
			return nil, 0, err
		}
		at = hi
	}
	return dst, x.Bytes, nil
}

// name is that of a part of the frame in the cache. No chain has two codecs that
// use these: a frame has no exact size, so what follows is not ranged.
func (s *source) name(part string) string { return s.ck.Name + "#blosc/" + part }

// open reads the index, once, and all of the frame where that is fetched with it: both stay as they are then.
func (s *source) open(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.index != nil {
		return nil
	}
	load := func() (any, int64, error) {
		x, err := s.readIndex(ctx)
		if err != nil {
			return nil, 0, err
		}
		return x, int64(x.Size()), nil
	}
	var v any
	var err error
	if s.ck.Cache != nil {
		v, err = s.ck.Cache.Get(ctx, s.name("index"), load)
	} else {
		v, _, err = load()
	}
	if err != nil {
		return err
	}
	s.index = v.(*blosc.Index)
	return nil
}

func (s *source) readIndex(ctx context.Context) (*blosc.Index, error) {
	// Most frames have as many blocks as this codec would make, so that one
	// request is enough. Those with fewer may be shorter.
	guess := min(s.filter.options.Blocks(s.filter.in.N), mostBlocks)
	head, err := s.encoded(ctx, 0, blosc.HeaderLen+4*guess, nil)
	if errors.Is(err, codec.ErrData) {
		head, err = s.encoded(ctx, 0, blosc.HeaderLen, nil)
	}
	if err != nil {
		return nil, err
	}
	h, err := blosc.ParseHeader(head)
	if err != nil {
		return nil, codec.Bad("%v", err)
	}
	if h.Bytes != s.filter.in.N {
		return nil, codec.Bad("holds %d bytes, want %d", h.Bytes, s.filter.in.N)
	}
	if err := s.ck.Check(h.BlockSize); err != nil {
		return nil, err
	}
	if n := h.IndexLen(); n > len(head) {
		if head, err = s.encoded(ctx, len(head), n, head); err != nil {
			return nil, err
		}
	}
	x, err := blosc.ParseIndex(h, head)
	if err != nil {
		return nil, codec.Bad("%v", err)
	}
	return x, nil
}

// encoded appends a part of the frame to dst.
func (s *source) encoded(ctx context.Context, start, end int, dst []byte) ([]byte, error) {
	if s.all == nil && s.filter.in.N <= farWhole && !s.Near() {
		all, err := s.ck.ReadAll(ctx, s.src, s.filter.size, nil)
		if err != nil {
			return nil, err
		}
		s.all = all
	}
	if s.all == nil {
		return s.ck.ReadRange(ctx, s.src, start, end-start, dst)
	}
	if end > len(s.all) {
		return nil, codec.Bad("chunk is too short: bytes %d to %d of %d", start, end, len(s.all))
	}
	return append(dst, s.all[start:end]...), nil
}

// has reports whether block i is kept.
func (s *source) has(i int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last == i || s.ck.Cache != nil && s.ck.Cache.Has(s.name(strconv.Itoa(i)))
}

// part appends a part of block i.
func (s *source) part(ctx context.Context, i, from, to int, dst []byte) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.load(ctx, i); err != nil {
		return nil, err
	}
	return append(dst, s.block[from:to]...), nil
}

// load sets s.block to block i.
func (s *source) load(ctx context.Context, i int) error {
	if s.last == i {
		return nil
	}
	lo, hi := s.index.Block(i)
	s.last = -1 // until it is there
	if s.ck.Cache == nil {
		if s.block == nil {
			s.block = make([]byte, s.index.BlockSize)
		}
		s.block = s.block[:hi-lo]
		if err := s.decode(ctx, i, s.block); err != nil {
			return err
		}
	} else {
		v, err := s.ck.Cache.Get(ctx, s.name(strconv.Itoa(i)), func() (any, int64, error) {
			mem := make([]byte, hi-lo)
			err := s.decode(ctx, i, mem)
			return mem, int64(len(mem)), err
		})
		if err != nil {
			return err
		}
		s.block = v.([]byte)
	}
	s.last = i
	return nil
}

// decode fills mem with block i.
func (s *source) decode(ctx context.Context, i int, mem []byte) error {
	start, end := s.index.Range(i)
	var piece []byte
	if s.all != nil && end <= len(s.all) {
		piece = s.all[start:end]
	} else {
		hold, err := s.ck.Lend(end - start)
		if err != nil {
			return err
		}
		defer hold.Free()
		if hold.B, err = s.encoded(ctx, start, end, hold.B); err != nil {
			return err
		}
		piece = hold.B
	}
	if err := s.index.DecodeBlock(mem, i, piece); err != nil {
		return codec.Bad("%v", err)
	}
	return nil
}
