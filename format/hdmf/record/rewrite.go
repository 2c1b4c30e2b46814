package record

import (
	"context"
	"encoding/binary"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf/write"
	"github.com/omnizarr/zarr/nd"
)

// rewrite is a column of spikes that is written anew, with its index, in the memory
// of a chunk.
type rewrite struct {
	from  *zarr.Array // the column as it is
	was   []int64     // the ends of its units
	add   lists
	times *write.Tail // what takes its place
	index *write.Tail
	ends  []int64
	done  chan struct{}
	err   error
}

// fewUnits is how many units a chunk of an index has at least.
const fewUnits = 1024

// newRewrite is to take the spikes that are fresh.
func (s *Spikes) newRewrite(ctx context.Context) (*rewrite, error) {
	w := &rewrite{from: s.times.Array(), was: s.ends, add: s.fresh, done: make(chan struct{}), ends: make([]int64, len(s.ends))}
	more := int64(0)
	for i, end := range s.ends {
		more += int64(len(s.fresh.of[i]))
		w.ends[i] = end + more
	}
	var err error
	if w.times, err = s.rec.edit.Renew(ctx, s.times, Chunks(8)[0], 0); err != nil {
		return nil, err
	}
	w.index, err = s.rec.edit.Renew(ctx, s.index, fewUnits, w.total())
	return w, err
}

// total is how many spikes there are then.
func (w *rewrite) total() int64 {
	if len(w.ends) == 0 {
		return 0
	}
	return w.ends[len(w.ends)-1]
}

func (w *rewrite) ended() bool {
	select {
	case <-w.done:
		return true
	default:
		return false
	}
}

func (w *rewrite) run(ctx context.Context) {
	defer close(w.done)
	if w.err = w.column(ctx); w.err == nil {
		w.err = w.indexed(ctx)
	}
}

// column stores the spikes of all units, old and new.
func (w *rewrite) column(ctx context.Context) error {
	in, out := newChunks(w.from), newChunks(w.times.Array())
	start := int64(0)
	for i, end := range w.was {
		for start < end {
			old, err := in.next(ctx, start, end)
			if err == nil {
				err = out.add(ctx, old)
			}
			if err != nil {
				return err
			}
			start += int64(len(old) / in.size)
		}
		if err := out.add(ctx, memory(w.add.of[i])); err != nil {
			return err
		}
	}
	return out.flush(ctx)
}

// indexed stores where the units end.
func (w *rewrite) indexed(ctx context.Context) error {
	out := newChunks(w.index.Array())
	var word [8]byte
	for _, end := range w.ends {
		binary.LittleEndian.PutUint64(word[:], uint64(end))
		if err := out.add(ctx, word[:out.size]); err != nil {
			return err
		}
	}
	return out.flush(ctx)
}

// chunks reads or stores a list, one chunk behind the other.
type chunks struct {
	array *zarr.Array
	size  int // of an element
	mem   []byte
	at    int // where the chunk begins, in elements
	n     int // bytes in it
}

func newChunks(a *zarr.Array) *chunks {
	size := a.DataType().Size()
	return &chunks{array: a, size: size, mem: make([]byte, a.Metadata().Grid.Uniform()[0]*size)}
}

// box is the place of the chunk.
func (c *chunks) box() (zarr.Selection, nd.View) {
	rows := len(c.mem) / c.size
	return zarr.Box([]int{c.at}, []int{rows}), nd.Of(c.mem, c.size, rows)
}

// next gives elements from start on, as far as they are in the same chunk.
func (c *chunks) next(ctx context.Context, start, end int64) ([]byte, error) {
	rows := int64(len(c.mem) / c.size)
	if at := int(start / rows * rows); c.n == 0 || at != c.at {
		c.at, c.n = at, len(c.mem)
		box, view := c.box()
		if err := c.array.ReadInto(ctx, box, view); err != nil {
			return nil, err
		}
	}
	end = min(end, int64(c.at)+rows)
	return c.mem[(start-int64(c.at))*int64(c.size) : (end-int64(c.at))*int64(c.size)], nil
}

// add appends elements.
func (c *chunks) add(ctx context.Context, elements []byte) error {
	for len(elements) > 0 {
		n := copy(c.mem[c.n:], elements)
		elements = elements[n:]
		if c.n += n; c.n == len(c.mem) {
			if err := c.flush(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// flush stores the chunk; what is not in it is the fill value, which is zero.
func (c *chunks) flush(ctx context.Context) error {
	if c.n == 0 {
		return nil
	}
	clear(c.mem[c.n:])
	box, view := c.box()
	err := c.array.WriteFrom(ctx, box, view)
	c.at, c.n = c.at+len(c.mem)/c.size, 0
	return err
}
