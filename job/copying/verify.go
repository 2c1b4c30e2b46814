package copying

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/job"
	"github.com/omnizarr/zarr/nd"
)

// ErrDiffers says that a copy, read back, is not what was copied.
var ErrDiffers = errors.New("the copy is not what was copied")

// verify reads all of the copies back and compares them with the source. Where codecs
// lose precision, the copy is only decoded.
func (r *runner) verify(ctx context.Context) error {
	var all []*blocks
	for _, w := range r.work {
		if w.before != nil {
			all = append(all, w.before)
		}
		all = append(all, w)
	}
	for _, w := range all {
		r.track.Add(int64(w.compares()))
	}
	p := job.NewPool(ctx, r.atOnce(all), Usable(r.opts.Memory))
	for _, w := range all {
		// What the source stores nothing of did not go by way of another array.
		beside := &blocks{Pair: w.origin(), part: w.part}
		for k := range w.total {
			with := w
			if w.passing && !w.needs(k) {
				continue
			}
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

// compares is how many blocks are compared: all of a copy, and those of an array by way of
// which it is made that were made.
func (w *blocks) compares() int {
	if w.passing {
		return w.items()
	}
	return w.total
}

// verify compares a block with the source.
func (w *blocks) verify(ctx context.Context, box nd.Box) error {
	lossy := len(w.Losses()) > 0
	for part := range w.pieces(box) {
		if err := w.compare(ctx, part, lossy); err != nil {
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
		got.Heap = &nd.Heap{}
	}
	if err := w.To.ReadInto(ctx, zarr.Box(box.Start, box.Shape), got); err != nil || lossy {
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
