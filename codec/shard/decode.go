package shard

import (
	"context"
	"fmt"
	"slices"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/internal/buf"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
)

// How many bytes are fetched at once, and how many unwanted ones are fetched
// along rather than asking again: for local files, and over a network.
const (
	nearBatch = 512 << 10
	nearGap   = 16 << 10
	farBatch  = 16 << 20
	farGap    = 1 << 20
)

// extent is where the bytes of a wanted inner chunk lie.
type extent struct {
	part   int
	off, n int
}

// Decode fills dst with a box of the shard.
func (s *shard) Decode(ctx context.Context, ck *codec.Chunk, src codec.Source, box nd.Box, dst nd.View) error {
	x, err := s.load(ctx, ck, src)
	if err != nil {
		return err
	}
	parts := s.parts(box)
	found := make([]extent, 0, parts.n)
	for k := range parts.n {
		p := parts.get(k)
		off, n, ok, err := s.find(x, s.linear(p.at))
		if err != nil {
			return err
		}
		if !ok {
			s.spec.FillView(p.in(dst))
			continue
		}
		if s.chain.Ranges(p.box) && !p.whole(s.inner) {
			// The inner chunk can be read in parts: no need to fetch it all.
			inner := &section{src, off, n}
			if err := s.decodeOne(ctx, ck, inner, &p, dst); err != nil {
				return err
			}
			continue
		}
		found = append(found, extent{k, off, n})
	}
	if len(found) == 0 {
		return nil
	}
	slices.SortFunc(found, func(a, b extent) int { return a.off - b.off })
	batch, gap := nearBatch, nearGap
	m, inMemory := src.(*codec.Memory)
	if !inMemory && !codec.IsNear(src) {
		batch, gap = farBatch, farGap
	}
	groups := join(found, batch, gap)
	return ck.Limits.Workers.Run(ctx, len(groups), int64(batch), func(g int) error {
		group := groups[g]
		lo, hi := group[0].off, 0
		for _, e := range group {
			hi = max(hi, e.off+e.n)
		}
		var data []byte
		var hold *buf.Buffer
		if inMemory {
			data = m.Bytes[lo:hi]
		} else {
			hold = buf.Get(hi - lo)
			var err error
			if hold.B, err = codec.ReadRange(ctx, src, lo, hi-lo, hold.B); err != nil {
				return err
			}
			data = hold.B
		}
		kept := false
		for _, e := range group {
			p := parts.get(e.part)
			inner := &codec.Memory{Bytes: data[e.off-lo : e.off-lo+e.n]}
			if err := s.decodeOne(ctx, ck, inner, &p, dst); err != nil {
				return err
			}
			kept = kept || inner.Kept()
		}
		if kept && inMemory {
			m.Keep()
		} else if !kept {
			hold.Free()
		}
		return nil
	})
}

// in is the part's share of the memory that views the outer box.
func (p *part) in(v nd.View) nd.View {
	return v.Box(nd.Box{Start: p.from, Shape: p.box.Shape})
}

func (s *shard) decodeOne(ctx context.Context, ck *codec.Chunk, src codec.Source, p *part, dst nd.View) error {
	err := s.chain.Decode(ctx, s.chunk(ck, p.at), src, p.box, p.in(dst))
	if err != nil {
		return fmt.Errorf("inner chunk %v: %w", p.at, err)
	}
	return nil
}

// join cuts extents, sorted by offset, into groups that are fetched at once.
func join(sorted []extent, batch, gap int) [][]extent {
	var groups [][]extent
	from, end := 0, sorted[0].off
	for i, e := range sorted {
		if i > from && (e.off-end > gap || max(end, e.off+e.n)-sorted[from].off > batch) {
			groups = append(groups, sorted[from:i])
			from = i
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
func (s *section) Near() bool { return codec.IsNear(s.src) }
