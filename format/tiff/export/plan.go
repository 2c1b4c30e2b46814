package export

import (
	"context"
	"fmt"
	"math"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/tiff/tile"
	"github.com/omnizarr/zarr/job"
	"github.com/omnizarr/zarr/job/copying"
)

// Plan tells which levels are read in which blocks, and how many tiles there will be.
// Smaller versions that are made are not read, and are among the tiles.
func (f Format) Plan(ctx context.Context, src zarr.Node, opts copying.Options) (copying.Plan, error) {
	out := copying.Plan{Memory: opts.Memory, Passes: 1, Lossy: []string{}, Files: []string{}, Each: []copying.Layout{}}
	opts.Lossy = true
	t, part, err := f.prepare(ctx, src, opts)
	if err != nil {
		return out, err
	}
	out.NotCopied = append([]string{}, t.lost...)
	for _, p := range t.images {
		pixel := float64(p.layout.Samples * p.typ.Size())
		for level, size := range p.sizes {
			bytes := float64(p.planes()) * float64(size[0]) * float64(size[1]) * pixel
			out.Written = add(out.Written, bytes)
			out.Chunks += int64(p.planes()) * int64(p.pageOf(0, level).Tiles)
			if level >= len(p.grids) {
				continue
			}
			g := p.grids[level]
			reads := g.reads()
			out.Arrays++
			out.Elements = add(out.Elements, bytes)
			out.Read = add(out.Read, bytes*reads)
			out.Passes = max(out.Passes, reads)
			out.Each = append(out.Each, copying.Layout{Path: job.Path(part, g.source), Shape: g.source.Shape(), From: g.source.ChunkShape(),
				To: []int{p.layout.Height, p.layout.Width}, Block: g.block, Reads: reads})
		}
		if p.layout.Compression == tile.JPEG {
			out.Lossy = append(out.Lossy, fmt.Sprintf("%s: JPEG changes values", job.Path(part, p.levels[0])))
		}
	}
	return out, nil
}

// reads is how often a chunk of the source is read, on average: once by every block
// that it reaches into.
func (g *rasterGrid) reads() float64 {
	times := 1.0
	for i, c := range g.chunk() {
		n, block := g.shape[i], g.block[i]
		chunks := (n + c - 1) / c
		if block%c == 0 || block >= n {
			continue
		}
		// Every boundary between blocks that is none between chunks cuts one in two.
		cut := 0
		for at := block; at < n; at += block {
			if at%c != 0 {
				cut++
			}
		}
		times *= float64(chunks+cut) / float64(chunks)
	}
	return times
}

func add(a int64, b float64) int64 {
	if sum := float64(a) + b; sum < math.MaxInt64 {
		return int64(sum)
	}
	return math.MaxInt64
}
