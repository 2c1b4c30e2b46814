package hdmf

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/par"
	"github.com/omnizarr/zarr/nd"
)

// run is a piece of a dataset along its first axis, and where it goes.
type run struct {
	from, to, n int
}

// appendRun adds n items from on at the end of what is read, as part of the run
// before if it goes on there.
func appendRun(runs []run, from, n int) []run {
	if n == 0 {
		return runs
	}
	to := 0
	if len(runs) > 0 {
		last := &runs[len(runs)-1]
		to = last.to + last.n
		if last.from+last.n == from {
			last.n += n
			return runs
		}
	}
	return append(runs, run{from, to, n})
}

// fewRuns is how many are read one by one, each by the engine in parallel.
const fewRuns = 4

// gather reads runs of items along the first axis into one piece of memory. Runs
// must lie in the dataset. However many there are, every part of the array that
// can be read by itself is read once.
func (d *Dataset) gather(ctx context.Context, runs []run) (*Values, error) {
	shape := d.array.Shape()
	shape[0] = 0
	if len(runs) > 0 {
		last := runs[len(runs)-1]
		shape[0] = last.to + last.n
	}
	dst, err := d.array.Make(shape...)
	if err != nil {
		return nil, err
	}
	if len(runs) <= fewRuns {
		for _, r := range runs {
			if err := d.readRun(ctx, r, dst); err != nil {
				return nil, err
			}
		}
		return d.values(dst), nil
	}
	piece := d.pieceLength()
	var groups [][]run
	for pieces := cutRuns(runs, piece); len(pieces) > 0; {
		n := 1
		for n < len(pieces) && pieces[n].from/piece == pieces[0].from/piece {
			n++
		}
		groups = append(groups, pieces[:n])
		pieces = pieces[n:]
	}
	if err := d.readGroups(ctx, groups, dst); err != nil {
		return nil, err
	}
	return d.values(dst), nil
}

// leastPiece is the least that is worth a read of its own.
const leastPiece = 64 << 10

// pieceLength is the number of items along the first axis that are read together.
func (d *Dataset) pieceLength() int {
	shape := d.array.Shape()
	chunk := d.array.ChunkShape()
	if chunk == nil {
		return max(shape[0], 1)
	}
	piece := max(chunk[0], 1)
	item, ok := nd.Bytes(shape[1:], d.array.DataType().Size())
	if !ok || item == 0 {
		return piece
	}
	each, ok := nd.Bytes([]int{piece}, item)
	if !ok || each >= leastPiece {
		return piece
	}
	return piece * ((leastPiece + each - 1) / each)
}

// cutRuns cuts runs where a piece ends and sorts the pieces by where they lie.
func cutRuns(runs []run, piece int) []run {
	pieces := make([]run, 0, len(runs))
	for _, r := range runs {
		// What spans several pieces is read in one go, but for its ends.
		for r.n > 0 {
			n := min(r.n, piece-r.from%piece)
			if n == piece {
				n = r.n - r.n%piece
			}
			pieces = append(pieces, run{r.from, r.to, n})
			r.from, r.to, r.n = r.from+n, r.to+n, r.n-n
		}
	}
	slices.SortFunc(pieces, func(a, b run) int { return cmp.Compare(a.from, b.from) })
	return pieces
}

func (d *Dataset) span(from, n int) zarr.Selection {
	return zarr.Select(zarr.Span(from, from+n), zarr.Ellipsis())
}

// readRun reads one run to its place.
func (d *Dataset) readRun(ctx context.Context, r run, dst nd.View) error {
	return d.array.ReadInto(ctx, d.span(r.from, r.n), items(dst, r.to, r.n))
}

// items are some of a view along its first axis.
func items(v nd.View, from, n int) nd.View {
	b := nd.Whole(v.Shape)
	b.Start, b.Shape = slices.Clone(b.Start), slices.Clone(b.Shape)
	b.Start[0], b.Shape[0] = from, n
	return v.Box(b)
}

// readers is how many groups are read at once. Each read takes up what the engine
// has to give besides.
const readers = 4

// readGroups reads groups of pieces, one read for each.
func (d *Dataset) readGroups(ctx context.Context, groups [][]run, dst nd.View) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var wait sync.WaitGroup
	next := make(chan []run)
	for range min(readers, len(groups)) {
		wait.Go(func() {
			var scratch []byte
			for g := range next {
				err := par.Catch(func() (err error) {
					scratch, err = d.readGroup(ctx, g, dst, scratch)
					return err
				})
				if err != nil {
					stop(err)
				}
			}
		})
	}
	for _, g := range groups {
		if ctx.Err() != nil {
			break
		}
		next <- g
	}
	close(next)
	wait.Wait()
	return context.Cause(ctx)
}

// readGroup reads from the first to the last piece and copies each to its place.
func (d *Dataset) readGroup(ctx context.Context, pieces []run, dst nd.View, scratch []byte) ([]byte, error) {
	if len(pieces) == 1 {
		return scratch, d.readRun(ctx, pieces[0], dst)
	}
	from, end := pieces[0].from, 0
	for _, p := range pieces {
		end = max(end, p.from+p.n)
	}
	shape := slices.Clone(dst.Shape)
	shape[0] = end - from
	n, ok := nd.Bytes(shape, dst.Size)
	if !ok {
		return scratch, fmt.Errorf("a part of shape %v does not fit in memory", shape)
	}
	if cap(scratch) < n {
		v, err := d.array.Make(shape...)
		if err != nil {
			return scratch, err
		}
		scratch = v.Data
	}
	src := nd.Of(scratch[:n], dst.Size, shape...)
	src.Heap = dst.Heap // references hold in both
	if err := d.array.ReadInto(ctx, d.span(from, end-from), src); err != nil {
		return scratch, err
	}
	item := n / shape[0]
	for _, p := range pieces {
		copy(dst.Data[p.to*item:(p.to+p.n)*item], src.Data[(p.from-from)*item:])
	}
	return scratch, nil
}
