package writer

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/omnizarr/zarr/internal/buf"
)

// ordered reports whether the tiles lie in the file as they are to, one behind the
// other.
func (w *Writer) ordered() (bool, error) {
	if w.opt.Order == nil {
		return true, nil
	}
	at, inPlace, named := uint64(dataStart), true, 0
	for image, i := range w.opt.Order {
		d := w.images[image]
		if d == nil || i < 0 || i >= len(d.counts) {
			return false, errors.New("the order of tiles names one that there is not")
		}
		named++
		if d.counts[i] > 0 {
			inPlace = inPlace && d.offsets[i] == at
			at += uint64(d.counts[i])
		}
	}
	total := 0
	for _, d := range w.order {
		total += len(d.counts)
	}
	if named != total {
		return false, fmt.Errorf("the order of tiles has %d, there are %d", named, total)
	}
	return inPlace && at == w.end, nil
}

// arrange copies the tiles in their order, and enters where they are then.
func (w *Writer) arrange(ctx context.Context, out io.WriterAt, tiles io.ReaderAt) error {
	b := buf.Get(copySize)
	defer b.Free()
	c := copier{out: out, tiles: tiles, buf: b.B[:0:copySize], at: dataStart, end: dataStart}
	for image, i := range w.opt.Order {
		d := w.images[image]
		if d.counts[i] == 0 {
			continue
		}
		at := c.end
		if err := c.copy(ctx, d.offsets[i], uint64(d.counts[i])); err != nil {
			return err
		}
		d.offsets[i] = at
	}
	w.end = c.end
	return c.flush(ctx)
}

// copySize is how many bytes are written at a time. More than one goroutine
// would make it no faster: the time goes to the page cache.
const copySize = 1 << 20

// copier gathers what comes from many places, to write it at once.
type copier struct {
	out   io.WriterAt
	tiles io.ReaderAt
	buf   []byte
	at    uint64 // of buf in out
	end   uint64 // in out, of all that came

	from, n uint64 // what is to be read next: tiles that came in order are read as one
}

// copy copies n bytes.
func (c *copier) copy(ctx context.Context, from, n uint64) error {
	c.end += n
	if c.n > 0 && from == c.from+c.n {
		c.n += n
		return nil
	}
	err := c.move(ctx)
	c.from, c.n = from, n
	return err
}

// move reads what is due, which may be more than fits in memory.
func (c *copier) move(ctx context.Context) error {
	for c.n > 0 {
		have := len(c.buf)
		if have == cap(c.buf) {
			if err := errors.Join(ctx.Err(), c.write()); err != nil {
				return err
			}
			continue
		}
		k := min(uint64(cap(c.buf)-have), c.n)
		c.buf = c.buf[:have+int(k)]
		if _, err := c.tiles.ReadAt(c.buf[have:], int64(c.from)); err != nil {
			return fmt.Errorf("reading back %d bytes of tiles: %w", k, err)
		}
		c.from, c.n = c.from+k, c.n-k
	}
	return nil
}

func (c *copier) write() error {
	_, err := c.out.WriteAt(c.buf, int64(c.at))
	c.at += uint64(len(c.buf))
	c.buf = c.buf[:0]
	return err
}

// flush writes all that came.
func (c *copier) flush(ctx context.Context) error {
	if err := c.move(ctx); err != nil {
		return err
	}
	return c.write()
}
