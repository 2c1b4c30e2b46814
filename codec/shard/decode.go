package shard

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
)

// How many bytes are fetched at once, and how many unwanted ones are fetched
// along rather than asking again: for local files, and over a network. What is fetched
// at once from a file is little, so that all who work on a small box end together. Over a
// network a request more costs nothing while all are under way at once, and bytes do; where
// there are more than farMany, each waits for others, and bytes cost less.
const (
	nearBatch  = 32 << 10
	nearGap    = 16 << 10
	farBatch   = 16 << 20
	farGap     = 128 << 10
	farMany    = 32
	farManyGap = 1 << 20
)

// wholeShard is how large a shard may be that is fetched with its index in one request
// over a network, if most of it is wanted: asking for the index first takes longer than
// the bytes that are not.
const wholeShard = farBatch

// extent is where the bytes of a wanted inner chunk lie.
type extent struct {
	part   int
	off, n int
	alone  bool // it is not fetched as a whole, or not at all
}

// Decode fills dst with a box of the shard.
func (s *shard) Decode(ctx context.Context, ck *codec.Chunk, src codec.Source, box nd.Box, dst nd.View) error {
	if limit := s.atOnce(ck, src, box); limit > 0 {
		err := s.decodeWhole(ctx, ck, src, limit, box, dst)
		if !errors.Is(err, store.ErrTooLarge) {
			return err
		}
	}
	x, fresh, err := s.load(ctx, ck, src)
	if err != nil {
		return err
	}
	r := reader{s: s, ctx: ctx, ck: ck, src: src, parts: s.parts(box), dst: dst, batch: nearBatch, gap: nearGap, mostGap: nearGap}
	r.memory, _ = src.(*codec.Memory)
	near := r.memory != nil || store.IsNear(src)
	if !near {
		r.batch, r.gap, r.mostGap = farBatch, farGap, farManyGap
	}
	r.batch = min(r.batch, ck.Piece())
	wanted, err := r.find(x)
	if len(wanted) == 0 && !fresh { // nothing more would be read that tells whether it is old
		if x, err = s.read(ctx, ck, src); err == nil {
			wanted, err = r.find(x)
		}
	}
	if err != nil || len(wanted) == 0 {
		return err
	}
	groups := join(wanted, r.batch, r.gap)
	if r.mostGap > r.gap && len(groups) > farMany {
		groups = join(wanted, r.batch, r.mostGap)
	}
	weight := r.batch
	if near && s.chain.Follows() {
		groups = twos(groups, wanted)
		weight = 2 * r.batch
	}
	return ck.Run(ctx, len(groups), int64(weight), func(g int) error {
		if e := groups[g][0]; e.alone {
			return r.one(new(inner), e, &section{src, e.off, e.n}, nil)
		}
		return r.group(groups[g])
	})
}

// twos makes one group of two neighbours where groups are one inner chunk each, which sorted has
// in their order; but not of the last ones, so that all who work end together.
func twos(groups [][]extent, sorted []extent) [][]extent {
	all, last := groups, len(groups)-2*runtime.GOMAXPROCS(0)
	groups = groups[:0]
	for i := 0; i < len(all); i++ {
		n := len(all[i])
		if i+1 < last && n == 1 && len(all[i+1]) == 1 && !all[i][0].alone && !all[i+1][0].alone {
			n = 2
			i++
		}
		groups = append(groups, sorted[:n])
		sorted = sorted[n:]
	}
	return groups
}

// atOnce is how many bytes a shard may have that is fetched in one request, 0 if it
// is not.
func (s *shard) atOnce(ck *codec.Chunk, src codec.Source, box nd.Box) int {
	if _, ok := src.(*codec.Memory); ok || store.IsNear(src) || ck.Cache != nil && ck.Cache.Has(ck.Name+"#index") {
		return 0
	}
	all, ok := nd.Bytes(s.spec.Shape, s.spec.Type.Size())
	wanted, _ := nd.Bytes(box.Shape, s.spec.Type.Size())
	if !ok || all > wholeShard || wanted < all/2 || len(s.spec.Type.Refs()) > 0 {
		return 0
	}
	return min(all+all/8+s.indexSize+1024, ck.Piece()) // what does not become smaller is a little larger
}

// decodeWhole is Decode of a shard that is fetched at once. One that has more than
// limit bytes is store.ErrTooLarge.
func (s *shard) decodeWhole(ctx context.Context, ck *codec.Chunk, src codec.Source, limit int, box nd.Box, dst nd.View) error {
	hold, err := ck.Lend(limit)
	if err != nil {
		return err
	}
	out, _, err := src.Get(ctx, store.UpTo(int64(limit)), hold.B)
	if err != nil {
		hold.Free()
		return err
	}
	hold.B = out
	shard := &codec.Memory{Bytes: out}
	err = s.Decode(ctx, ck, shard, box, dst)
	if !shard.Kept() {
		hold.Free()
	}
	return err
}

// reader is one Decode under way.
type reader struct {
	s          *shard
	ctx        context.Context
	ck         *codec.Chunk
	src        codec.Source
	memory     *codec.Memory // src, if it is that
	parts      parts
	dst        nd.View
	batch, gap int
	mostGap    int // where there are many requests
}

// find looks up the inner chunks that are wanted, sorted by offset; those that
// are missing are filled at once.
func (r *reader) find(x *index) ([]extent, error) {
	s := r.s
	wanted := make([]extent, 0, r.parts.n)
	mem := make([]int, 4*len(r.parts.lo))
	for k := range r.parts.n {
		p := r.parts.into(k, mem)
		off, n, ok, err := s.find(x, s.linear(p.at))
		if err != nil {
			return nil, err
		}
		if !ok {
			s.spec.FillView(p.in(r.dst))
			continue
		}
		e := extent{part: k, off: off, n: n}
		switch {
		case r.keeps(&p):
			e.alone = true
		case r.memory == nil && !p.whole(s.inner) && s.chain.Ranges(p.box):
			// It can be read in parts; a small one is not worth several
			// requests.
			e.alone = n > r.mostGap
		case r.memory == nil && n > r.batch && len(s.spec.Type.Refs()) > 0:
			e.alone = true // so that its bytes are asked for within the bounds of what it becomes
		}
		wanted = append(wanted, e)
	}
	slices.SortFunc(wanted, func(a, b extent) int { return a.off - b.off })
	return wanted, nil
}

// keeps reports whether the cache answers for an inner chunk.
func (r *reader) keeps(p *part) bool {
	c := r.ck.Cache
	return c != nil && !(c.PartsOnly() && p.whole(r.s.inner)) && c.Has(r.s.name(r.ck, p.at))
}

// group fetches neighbours in one go and decodes them.
func (r *reader) group(group []extent) error {
	var data []byte
	var hold *codec.Buffer
	if r.memory != nil {
		data = r.memory.Bytes
	} else {
		var err error
		if hold, err = r.fetch(group); err != nil {
			return err
		}
		data = hold.B
	}
	var kept atomic.Bool
	defer func() {
		switch {
		case !kept.Load():
			hold.Free()
		case r.memory != nil:
			r.memory.Keep()
		}
	}()
	n := 1
	if r.s.chain.Follows() {
		n = 2
	}
	return r.ck.Run(r.ctx, (len(group)+n-1)/n, 0, func(i int) error {
		return r.row(group[i*n:min((i+1)*n, len(group))], data, &kept)
	})
}

// fetch gives all bytes of a group, whose offsets are those in them from then on. Few lie between neighbours,
// but between two that became one group.
func (r *reader) fetch(group []extent) (*codec.Buffer, error) {
	all := 0
	for rest := group; len(rest) > 0; {
		k, n := r.span(rest)
		all, rest = all+n, rest[k:]
	}
	hold, err := r.ck.Lend(all)
	if err != nil {
		return nil, fmt.Errorf("inner chunk %v: %w", r.parts.get(group[0].part).at, err)
	}
	for rest := group; len(rest) > 0; {
		k, n := r.span(rest)
		off, at := rest[0].off, len(hold.B)
		if hold.B, err = r.ck.ReadRange(r.ctx, r.src, off, n, hold.B); err != nil {
			return nil, err
		}
		for i := range rest[:k] {
			rest[i].off += at - off
		}
		rest = rest[k:]
	}
	return hold, nil
}

// span is how many of the first extents are fetched at once, and how many bytes those are.
func (r *reader) span(group []extent) (k, n int) {
	off, end := group[0].off, group[0].off
	for _, e := range group {
		if e.off-end > r.mostGap {
			break
		}
		end = max(end, e.off+e.n)
		k++
	}
	return k, end - off
}

// row decodes inner chunks one after the other.
func (r *reader) row(list []extent, data []byte, kept *atomic.Bool) error {
	x := inners.Get().(*inner)
	var row *codec.Row
	if len(list) > 1 {
		row = &x.row
	}
	var err error
	for i, e := range list {
		if row != nil {
			row.Next = nil
			if i+1 < len(list) {
				next := list[i+1]
				row.Next = data[next.off : next.off+next.n]
			}
		}
		x.bytes = codec.Memory{Bytes: data[e.off : e.off+e.n]}
		err = r.one(x, e, &x.bytes, row)
		if x.bytes.Kept() {
			kept.Store(true)
			x = new(inner)
		}
		if err != nil {
			break
		}
	}
	if row != nil {
		row.Free()
	}
	x.chunk, x.bytes = codec.Chunk{}, codec.Memory{}
	inners.Put(x)
	return err
}

// inner is what it takes to decode an inner chunk. The next one uses it again, unless its bytes were kept.
type inner struct {
	ints  []int // six of every axis
	chunk codec.Chunk
	bytes codec.Memory
	row   codec.Row
}

var inners = sync.Pool{New: func() any { return new(inner) }}

// one decodes an inner chunk, of a row if that is not nil.
func (r *reader) one(x *inner, e extent, src codec.Source, row *codec.Row) error {
	rank := len(r.parts.lo)
	if len(x.ints) < 6*rank {
		x.ints = make([]int, 6*rank)
	}
	p := r.parts.into(e.part, x.ints[:4*rank])
	r.s.describe(&x.chunk, x.ints[4*rank:6*rank], r.ck, p.at)
	x.chunk.Row = row
	err := r.s.chain.Decode(r.ctx, &x.chunk, src, p.box, p.in(r.dst))
	if err != nil {
		return fmt.Errorf("inner chunk %v: %w", p.at, err)
	}
	return nil
}

// in is the part's share of the memory that views the outer box.
func (p *part) in(v nd.View) nd.View {
	return v.Box(nd.Box{Start: p.from, Shape: p.box.Shape})
}

// join cuts extents, sorted by offset, into groups that are fetched at once.
func join(sorted []extent, batch, gap int) [][]extent {
	var groups [][]extent
	from, end := 0, sorted[0].off
	for i, e := range sorted {
		apart := e.off-end > gap || max(end, e.off+e.n)-sorted[from].off > batch
		if i > from && (apart || e.alone || sorted[from].alone) {
			groups = append(groups, sorted[from:i])
			from, end = i, e.off
		}
		end = max(end, e.off+e.n)
	}
	return append(groups, sorted[from:])
}

// section is a part of a source as a source of its own.
type section struct {
	src    codec.Source
	off, n int
}

// Get appends a range of the section.
func (s *section) Get(ctx context.Context, r store.Range, dst []byte) ([]byte, store.Info, error) {
	off, n, err := r.Resolve(int64(s.n))
	if err != nil {
		return dst, store.Info{Size: int64(s.n)}, err
	}
	out, _, err := s.src.Get(ctx, store.Part(int64(s.off)+off, n), dst)
	return out, store.Info{Size: int64(s.n)}, err
}

// Near passes on what the source is.
func (s *section) Near() bool { return store.IsNear(s.src) }
