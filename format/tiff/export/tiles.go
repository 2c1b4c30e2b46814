package export

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/omnizarr/zarr/format/tiff/writer"
	"github.com/omnizarr/zarr/internal/buf"
	"github.com/omnizarr/zarr/internal/par"
	"github.com/omnizarr/zarr/nd"
)

// rasterTile is a tile that is to be written.
type rasterTile struct {
	page  *writer.Image
	index int
	view  nd.View // as much of it as is in the image; without data: the fill value
}

// writeTiles encodes the tiles that are not there yet on all workers and writes them in
// their order.
func (p *tiffImage) writeTiles(ctx context.Context, tiles []rasterTile) error {
	tiles = slices.DeleteFunc(tiles, func(t rasterTile) bool { return p.copy.out.Done(t.page, t.index) })
	var next atomic.Int64
	turn := newTurns()
	g, ctx := errgroup.WithContext(ctx)
	for range min(p.copy.opts.Workers, len(tiles)) {
		g.Go(func() error {
			mem := buf.Get(0)
			defer mem.Free()
			for {
				i := int(next.Add(1)) - 1
				if i >= len(tiles) {
					return nil
				}
				t := &tiles[i]
				var data []byte
				err := par.Catch(func() (err error) {
					data, err = p.encode(mem, t.view)
					return err
				})
				if err == nil {
					err = ctx.Err()
				}
				err = turn.take(i, err, func() error { return p.copy.out.WriteTile(t.page, t.index, data) })
				if err != nil {
					return err
				}
				if len(data) > 0 {
					p.copy.written.Add(1)
				} else {
					p.copy.empty.Add(1)
				}
			}
		})
	}
	return g.Wait()
}

// turns lets goroutines do something in the order of their numbers.
type turns struct {
	mu   sync.Mutex
	cond *sync.Cond
	now  int
	err  error // the first
}

func newTurns() *turns {
	t := &turns{}
	t.cond = sync.NewCond(&t.mu)
	return t
}

// take waits until it is i's turn and calls f. An error, of f or given, is
// everyone's.
func (t *turns) take(i int, err error, f func() error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	defer t.cond.Broadcast()
	for t.now != i && t.err == nil && err == nil {
		t.cond.Wait()
	}
	if t.err == nil && err == nil {
		err = f()
	}
	if t.err == nil {
		t.err = err
	}
	t.now++
	return t.err
}

// encode encodes a tile, in mem. Where there is nothing but the fill value, the
// tile is always the same one, or none if the file is sparse.
func (p *tiffImage) encode(mem *buf.Buffer, v nd.View) ([]byte, error) {
	if p.fill != nil && (v.Data == nil || nd.IsFill(v, p.fill)) {
		return p.fillTile()
	}
	var err error
	mem.B, err = p.appendTile(mem.B[:0], v)
	return mem.B, err
}

// appendTile encodes what there is of a tile. Behind the edges of the image the
// last row and column are repeated, which costs the least.
func (p *tiffImage) appendTile(dst []byte, v nd.View) ([]byte, error) {
	l := &p.layout
	if v.Shape[1] == l.Height && v.Shape[2] == l.Width {
		return l.AppendEncode(dst, v, p.encoding)
	}
	whole, mem := blockMemory(p.typ, []int{l.Samples, l.Height, l.Width})
	defer mem.Free()
	extend(whole, v)
	return l.AppendEncode(dst, whole, p.encoding)
}

// encodeFill encodes the tile that holds nothing but the fill value.
func (p *tiffImage) encodeFill() ([]byte, error) {
	if p.sparse {
		return nil, nil
	}
	whole, mem := blockMemory(p.typ, []int{p.layout.Samples, p.layout.Height, p.layout.Width})
	defer mem.Free()
	nd.Fill(whole, p.fill)
	return p.layout.AppendEncode(nil, whole, p.encoding)
}

// extend copies src to the beginning of dst and repeats its last row and column.
func extend(dst, src nd.View) {
	nd.Copy(dst.Box(nd.Whole(src.Shape)), src)
	repeat := func(axis int, shape []int) {
		n := src.Shape[axis]
		if n == dst.Shape[axis] {
			return
		}
		last := nd.Box{Start: []int{0, 0, 0}, Shape: shape}
		last.Start[axis] = n - 1
		from := dst.Box(last)
		from.Strides = append([]int(nil), from.Strides...)
		from.Strides[axis] = 0
		last.Start[axis] = n
		shape[axis] = dst.Shape[axis] - n
		from.Shape = shape
		nd.Copy(dst.Box(last), from)
	}
	repeat(1, []int{src.Shape[0], 1, src.Shape[2]})
	repeat(2, []int{src.Shape[0], dst.Shape[1], 1})
}
