package shard

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/nd"
)

// stream writes a shard whose elements are given part by part. The index comes last,
// so that inner chunks are written as soon as they are encoded.
func (s *shard) stream(ctx context.Context, ck *codec.Chunk, w io.Writer, part []int, give codec.Giver) error {
	if err := s.checkPart(part); err != nil {
		return err
	}
	x, err := s.newIndex(ck)
	if err != nil {
		return err
	}
	b := &builder{s: s, ck: ck, x: x, emit: func(data []byte) error {
		_, err := w.Write(data)
		return err
	}}
	count := make([]int, len(part))
	for i, n := range s.spec.Shape {
		count[i] = (n + part[i] - 1) / part[i]
	}
	for at := make([]int, len(part)); ; {
		box := nd.Box{Start: make([]int, len(part)), Shape: make([]int, len(part))}
		for i, k := range at {
			box.Start[i] = k * part[i]
			box.Shape[i] = min(part[i], s.spec.Shape[i]-box.Start[i])
		}
		if err := s.streamPart(ctx, b, box, give); err != nil {
			return err
		}
		if !nd.Next(at, count) {
			break
		}
	}
	if b.stored == 0 && !ck.Limits.KeepEmpty {
		return codec.ErrEmpty
	}
	tail, err := s.append(ctx, ck, nil, x)
	if err == nil {
		_, err = w.Write(tail)
	}
	return err
}

func (s *shard) streamPart(ctx context.Context, b *builder, box nd.Box, give codec.Giver) error {
	v, free, err := give(ctx, box)
	if err != nil {
		return err
	}
	defer free()
	return b.run(ctx, s.parts(box), func(inner *codec.Chunk, _ int, p *part, mem []byte) ([]byte, error) {
		view := p.in(v)
		if !b.ck.Limits.KeepEmpty && s.chain.Spec().IsFill(view) {
			return nil, codec.ErrEmpty
		}
		return s.chain.Encode(ctx, inner, mem, view)
	})
}

// checkPart checks that parts in their order are inner chunks in their order.
func (s *shard) checkPart(part []int) error {
	wrong := len(part) != len(s.inner)
	for i := 0; i < len(part) && !wrong; i++ {
		wrong = part[i] < 1 || part[i]%s.inner[i] != 0 && part[i] < s.spec.Shape[i] ||
			part[i] < s.spec.Shape[i] && slices.ContainsFunc(s.before(part, i), func(k int) bool { return k > 1 })
	}
	if wrong {
		return fmt.Errorf("parts of %v are no rows of inner chunks of %v in a shard of %v", part, s.inner, s.spec.Shape)
	}
	return nil
}

// before is how many inner chunks a part has along the axes before one.
func (s *shard) before(part []int, axis int) []int {
	out := make([]int, axis)
	for i := range out {
		out[i] = (min(part[i], s.spec.Shape[i]) + s.inner[i] - 1) / s.inner[i]
	}
	return out
}
