package copying

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/par"
	"github.com/omnizarr/zarr/job"
	"github.com/omnizarr/zarr/nd"
)

// ErrDiffers says that a copy, read back, is not what was copied.
var ErrDiffers = errors.New("the copy is not what was copied")

// verify reads the copies back and compares them with the source: all blocks of which
// either of them stores something. Where codecs lose precision, the copy is only decoded.
func (r *runner) verify(ctx context.Context) error {
	var all []*blocks
	for _, w := range r.work {
		if w.before != nil {
			all = append(all, w.before)
		}
		all = append(all, w)
	}
	p := job.NewPool(ctx, r.atOnce(all), Usable(r.opts.Memory))
	for _, w := range all {
		numbers, n, err := w.compares(ctx)
		if err != nil {
			p.Stop(err)
			return p.Wait()
		}
		r.track.Add(int64(n))
		// What the source stores nothing of did not go by way of another array.
		beside := &blocks{Pair: w.origin(), part: w.part}
		for k := range numbers {
			with := w
			if w.before != nil && !w.needs(k) {
				with = beside
			}
			box := w.box(k)
			size := job.Weight(w.To, box.Shape)
			more := p.Run(w.coded()+3*w.compared(size), func(ctx context.Context) error {
				if err := with.verify(ctx, box); err != nil {
					return err
				}
				r.track.Done(w.Path, 1, size)
				return nil
			})
			if !more {
				return p.Wait()
			}
		}
	}
	return p.Wait()
}

// compares are the blocks that are compared, and how many: those of which the source or
// the copy stores something, and of an array by way of which a copy is made those that
// were made.
func (w *blocks) compares(ctx context.Context) (iter.Seq[int], int, error) {
	if w.passing || w.some == nil {
		numbers, n := job.Cells(w.some, w.total)
		return numbers, n, nil
	}
	list, err := job.Stored(ctx, w.count, w.touch, w.To)
	if list != nil {
		list = append(list, w.some...)
		slices.Sort(list)
		list = slices.Compact(list)
	}
	numbers, n := job.Cells(list, w.total)
	return numbers, n, err
}

// verify compares a block with the source.
func (w *blocks) verify(ctx context.Context, box nd.Box) error {
	lossy := len(w.Losses()) > 0
	for part := range w.pieces(box) {
		err := w.whole(ctx, part, func(ctx context.Context, box nd.Box) error { return w.compare(ctx, box, lossy) })
		if err != nil {
			return err
		}
	}
	return nil
}

// compare reads a block of the copy and of the source.
func (w *blocks) compare(ctx context.Context, box nd.Box, lossy bool) error {
	t := w.To.DataType()
	got, done := w.made.lend(t.Size(), box.Shape)
	defer done()
	if len(t.Refs()) > 0 {
		end, err := par.Hold(ctx, 1, job.Weight(w.To, box.Shape), func(ctx context.Context) error {
			got.Heap = &nd.Heap{}
			return w.To.ReadInto(ctx, zarr.Box(box.Start, box.Shape), got)
		})
		defer end()
		if err != nil || lossy {
			return err
		}
	} else if err := w.To.ReadInto(ctx, zarr.Box(box.Start, box.Shape), got); err != nil || lossy {
		return err
	}
	want, free, err := w.read(ctx, box)
	if err != nil {
		return err
	}
	defer free()
	if at, same := difference(t, want, got); !same {
		idx := make([]int, len(box.Shape))
		for i := len(idx) - 1; i >= 0; i-- {
			idx[i] = box.Start[i] + at%box.Shape[i]
			at /= box.Shape[i]
		}
		return &zarr.Error{Op: "verify", URL: w.To.URL(), Err: fmt.Errorf("element %v: %w", idx, ErrDiffers)}
	}
	return nil
}

// difference finds the first element in which two blocks differ.
func difference(t dtype.Type, x, y nd.View) (at int, same bool) {
	if len(t.Refs()) == 0 {
		if bytes.Equal(x.Data, y.Data) {
			return 0, true
		}
		for at := 0; ; at += x.Size {
			if !bytes.Equal(x.Data[at:at+x.Size], y.Data[at:at+x.Size]) {
				return at / x.Size, false
			}
		}
	}
	blobs, others := x.Heap.Blobs(), y.Heap.Blobs()
	var a, b []byte
	for at := 0; at+x.Size <= len(x.Data); at += x.Size {
		var err, other error
		a, err = t.AppendValue(a[:0], x.Data[at:at+x.Size], blobs)
		b, other = t.AppendValue(b[:0], y.Data[at:at+y.Size], others)
		if err != nil || other != nil || !bytes.Equal(a, b) {
			return at / x.Size, false
		}
	}
	return 0, true
}
