package jobs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store/mem"
)

// losses says what precision the codecs of a level lose, nil if nothing.
func (b *builder) losses(ctx context.Context, spec zarr.ArraySpec) ([]string, error) {
	a, err := zarr.CreateArrayIn(ctx, mem.New(), "", spec, b.format().Options...)
	if err != nil {
		return nil, err
	}
	chain, err := a.Codec()
	if err != nil {
		return nil, err
	}
	return chain.Lossy(), nil
}

// mayLose refuses codecs that lose precision unless they are allowed.
func (b *builder) mayLose(ctx context.Context) error {
	for _, p := range b.plans {
		lost, err := b.losses(ctx, p.levels[0].spec)
		if err != nil {
			return err
		}
		if p.lossy = len(lost) > 0; p.lossy && !b.opts.Lossy {
			return &zarr.Error{Op: "copy", URL: p.from.a.URL(), Err: fmt.Errorf("%w: %s; allow it (--lossy) or choose other codecs (--codecs)", copying.ErrLossy, strings.Join(lost, ", "))}
		}
	}
	return nil
}

// errDiffers says that what was written is not what is read.
var errDiffers = errors.New("the copy differs from what it was made of")

// verify reads all levels back and compares them with what they are made of. Where
// codecs lose precision they are only decoded.
func (b *builder) verify(ctx context.Context) error {
	for _, p := range b.plans {
		for k, dst := range p.arrays {
			read, _, err := p.reader(k, b.opts.Memory/int64(4*b.opts.Workers))
			if err != nil {
				return err
			}
			err = zarr.BlockViews(ctx, dst, zarr.BlockOptions{Workers: b.opts.Workers, Memory: b.opts.Memory / 2}, func(ctx context.Context, start []int, v nd.View) error {
				if p.lossy {
					return nil
				}
				want := nd.Make(v.Size, v.Shape...)
				if err := read(ctx, start, want); err != nil {
					return err
				}
				if got, ok := v.Contiguous(); !ok || !slices.Equal(got, want.Data) {
					return &zarr.Error{Op: "verify", URL: dst.URL(), Err: fmt.Errorf("elements from %v on: %w", start, errDiffers)}
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}
