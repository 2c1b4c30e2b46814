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
	out := newChunks(w.times.Array())
	start := int64(0)
	for i, end := range w.was {
		for start < end {
			mem := out.room(end - start)
			n := len(mem) / 8
			if err := w.from.ReadInto(ctx, zarr.Box([]int{int(start)}, []int{n}), nd.Of(mem, 8, n)); err != nil {
				return err
			}
			if err := out.added(ctx, len(mem)); err != nil {
				return err
			}
			start += int64(n)
		}
		for more := memory(w.add.of[i]); len(more) > 0; {
			n := copy(out.room(int64(len(more)/8)), more)
			if err := out.added(ctx, n); err != nil {
				return err
			}
			more = more[n:]
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
		copy(out.room(1), word[:out.size])
		if err := out.added(ctx, out.size); err != nil {
			return err
		}
	}
	return out.flush(ctx)
}

// chunks stores a list, one chunk behind the other.
type chunks struct {
	array *zarr.Array
	size  int // of an element
	mem   []byte
	at, n int // where the chunk begins, in elements; bytes in it
}

func newChunks(a *zarr.Array) *chunks {
	size := a.DataType().Size()
	return &chunks{array: a, size: size, mem: make([]byte, a.Metadata().Grid.Uniform()[0]*size)}
}

// room gives memory for some of n elements.
func (c *chunks) room(n int64) []byte {
	return c.mem[c.n:min(int64(len(c.mem)), int64(c.n)+n*int64(c.size))]
}

// added says that bytes were put there.
func (c *chunks) added(ctx context.Context, n int) error {
	if c.n += n; c.n < len(c.mem) {
		return nil
	}
	return c.flush(ctx)
}

// flush stores the chunk; what is not in it is the fill value, which is zero.
func (c *chunks) flush(ctx context.Context) error {
	if c.n == 0 {
		return nil
	}
	clear(c.mem[c.n:])
	rows := len(c.mem) / c.size
	err := c.array.WriteFrom(ctx, zarr.Box([]int{c.at}, []int{rows}), nd.Of(c.mem, c.size, rows))
	c.at, c.n = c.at+rows, 0
	return err
}
