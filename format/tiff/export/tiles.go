package export

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/omnizarr/zarr/format/tiff/tile"
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
	kept  bool    // half is kept with it
	half  nd.View
}

// keep says that the half of a tile is kept with it, where that is done.
func (t *rasterTile) keep(p *tiffImage, half nd.View) {
	if p.keepsHalves() {
		t.kept, t.half = true, half
	}
}

// line encodes tiles on all workers, and writes them in the order in which they come,
// whichever blocks they are of.
type line struct {
	p       *tiffImage
	ctx     context.Context
	cancel  func() // ends ctx
	jobs    chan lineJob
	turns   *turns
	workers sync.WaitGroup
	count   int // jobs so far
}

// lineJob is a tile, or the end of a block, which has no page.
type lineJob struct {
	rasterTile
	number int
	block  *lineBlock
}

// lineBlock is a block whose tiles are on their way.
type lineBlock struct {
	written func()       // called when all tiles are written
	free    func()       // called when nobody needs its memory any more
	left    atomic.Int64 // jobs
}

func (p *tiffImage) newLine(ctx context.Context, cancel func()) *line {
	l := &line{p: p, ctx: ctx, cancel: cancel, jobs: make(chan lineJob), turns: newTurns()}
	for range p.copy.opts.Workers {
		l.workers.Go(l.work)
	}
	return l
}

// add takes the tiles of a block that are not there yet, and gives the error that stopped
// the line, if there is one.
func (l *line) add(tiles []rasterTile, written, free func()) error {
	tiles = slices.DeleteFunc(tiles, func(t rasterTile) bool { return l.p.copy.out.Done(t.page, t.index) })
	b := &lineBlock{written: written, free: free}
	b.left.Store(int64(len(tiles) + 1))
	for _, t := range append(tiles, rasterTile{}) {
		l.jobs <- lineJob{t, l.count, b}
		l.count++
	}
	return l.turns.failed()
}

// wait ends the line when all is written.
func (l *line) wait() error {
	close(l.jobs)
	l.workers.Wait()
	return l.turns.failed()
}

// work takes jobs to the very end, so that nobody waits in vain who adds some.
func (l *line) work() {
	mem, keptMem := buf.Get(0), buf.Get(0)
	defer mem.Free()
	defer keptMem.Free()
	for j := range l.jobs {
		var data []byte
		err := l.ctx.Err()
		if err == nil && j.page != nil {
			err = par.Catch(func() (err error) {
				if keptMem.B = keptMem.B[:0]; j.half.Data != nil {
					shape := j.half.Shape
					if keptMem.B, err = l.p.keptLayout(shape[1], shape[2]).AppendEncode(keptMem.B, j.half, tile.Encoding{}); err != nil {
						return err
					}
				}
				data, err = l.p.encode(mem, j.view)
				return err
			})
		}
		if err = l.turns.take(j.number, err, func() error { return l.write(j, data, keptMem.B) }); err != nil {
			l.cancel()
		}
		if j.block.left.Add(-1) == 0 {
			j.block.free()
		}
	}
}

// write does a job whose turn it is.
func (l *line) write(j lineJob, data, kept []byte) error {
	c := l.p.copy
	if j.page == nil {
		j.block.written()
		return nil
	}
	if err := l.ctx.Err(); err != nil {
		return err
	}
	if j.kept { // first, so that a tile which is there has it
		if err := c.out.Keep(j.page, j.index, kept); err != nil {
			return err
		}
	}
	if len(data) > 0 {
		c.written.Add(1)
	} else {
		c.empty.Add(1)
	}
	return c.out.WriteTile(j.page, j.index, data)
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

// failed is the error that was everyone's.
func (t *turns) failed() error {
	t.mu.Lock()
	defer t.mu.Unlock()
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
