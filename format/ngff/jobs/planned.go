package jobs

import (
	"context"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/nd"
)

// planned is a pyramid as a format, which can tell what a copy will do.
type planned struct{ Pyramid }

var _ copying.Planner = planned{}

// Name is that of the format that nodes have.
func (p planned) Name() string {
	p.complete()
	return formatOf(p.Version).Name()
}

// TakesParts says that a pyramid may be made of a part of an array.
func (planned) TakesParts() bool { return true }

// Copy makes the pyramids.
func (p planned) Copy(ctx context.Context, src zarr.Node, to copying.Place, opts copying.Options) (copying.Summary, error) {
	return p.Pyramid.copy(ctx, src, to.URL, opts)
}

// Plan tells what levels there will be, and what is decoded and encoded for them: the
// source once, and every level but the last for the one below it.
func (p planned) Plan(ctx context.Context, src zarr.Node, opts copying.Options) (copying.Plan, error) {
	p.complete()
	out := copying.Plan{Memory: opts.Memory, Passes: 1, Lossy: []string{}, Files: []string{}, Each: []copying.Layout{}}
	src, lost, err := p.part(ctx, src, opts)
	if err != nil {
		return out, err
	}
	found, err := p.look(ctx, src, opts)
	if err != nil {
		return out, err
	}
	out.NotCopied = append(append([]string{}, lost...), found.lost...)
	b, err := newBuilder(found, &p.Pyramid, opts, p.Version)
	if err != nil {
		return out, err
	}
	for _, img := range b.plans {
		for i, l := range img.levels {
			lost, err := b.losses(ctx, l.spec)
			if err != nil {
				return out, err
			}
			at := img.path + "/" + l.Path
			if img.path == "/" {
				at = "/" + l.Path
			}
			for _, what := range lost {
				out.Lossy = append(out.Lossy, at+": "+what)
			}
			unit := l.spec.Chunks
			if l.spec.Shards != nil {
				unit = l.spec.Shards
			}
			layout := copying.Layout{Path: at, Shape: l.shape, To: unit, Block: unit, Reads: 1}
			if i == 0 {
				layout.From = img.from.chunks()
			}
			out.Each = append(out.Each, layout)
			count := int64(1)
			for k, n := range l.shape {
				count *= int64((n + unit[k] - 1) / unit[k])
			}
			bytes, ok := nd.Bytes(l.shape, img.from.typ.Size())
			if !ok {
				return out, &zarr.Error{Op: "plan", URL: img.from.a.URL(), Err: zarr.ErrTooLarge}
			}
			out.Arrays++
			out.Chunks += count
			out.Elements += int64(bytes)
			out.Written += int64(bytes)
			if i == 0 {
				out.Read += int64(bytes) // of the source
			}
			if i < len(img.levels)-1 {
				out.Read += int64(bytes) // for the level below
			}
		}
	}
	return out, nil
}
