package record

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf/write"
	"github.com/omnizarr/zarr/nd"
)

// list is a dataset that rows are added to. What is stored at once is a band: all
// chunks of the same rows. Who calls a method but store has the lock of the stream.
type list struct {
	rec   *Recorder
	tail  *write.Tail
	fill  []byte
	row   int   // bytes
	shape []int // of a band
	unit  int   // rows that are encoded together, a divisor of those of a band
	free  chan *band

	at     int   // the row at which the band in hand begins
	n      int   // rows in it
	band   *band // nil if the next one has not been begun
	flight *flight
	// under are flights that no commit has seen the end of.
	under []*flight
	// kept is how many rows of the band in hand were stored by a commit, if there was
	// one. Only a shard can be stored by parts, and only once it is whole.
	kept int
	// spare has the rows that a commit stores, which come from the band in hand.
	spare *band
	// after ends when a commit has stored the beginning of the band in hand.
	after chan struct{}
}

// band is memory for some rows.
type band struct {
	mem  []byte
	used int // rows in front that may differ from the fill value
	from int // the row from which it is to be stored
	to   int
}

// flight are bands on their way to the store. done is closed when it was sealed and
// all have landed.
type flight struct {
	left atomic.Int64
	done chan struct{}
}

func newFlight() *flight {
	f := &flight{done: make(chan struct{})}
	f.left.Store(1)
	return f
}

func (f *flight) landed() {
	if f.left.Add(-1) == 0 {
		close(f.done)
	}
}

// maxBand is more than the chunks of the same rows may have together.
const maxBand = 1 << 30

// openList opens a dataset of elements with so many bytes.
func (r *Recorder) openList(ctx context.Context, tail *write.Tail) (*list, error) {
	a := tail.Array()
	grid := a.Metadata().Grid.Uniform()
	if grid == nil {
		return nil, errors.New("has chunks of different shapes, and cannot be recorded into")
	}
	l := &list{rec: r, tail: tail, fill: a.FillValue(), shape: a.Shape(), unit: a.ChunkShape()[0], flight: newFlight()}
	l.shape[0] = grid[0]
	l.row, _ = nd.Bytes(l.shape[1:], a.DataType().Size())
	if size, ok := nd.Bytes(l.shape, a.DataType().Size()); !ok || size > maxBand {
		return nil, fmt.Errorf("has chunks or shards of %d rows of %d bytes, more than can be kept in memory", grid[0], l.row)
	}
	bands := cap(r.jobs)/4 + 2
	l.free = make(chan *band, bands)
	for range bands {
		l.free <- &band{} // its memory comes with its first use
	}
	l.spare = &band{}
	l.at = tail.Len() / grid[0] * grid[0]
	if l.n = tail.Len() - l.at; l.n > 0 {
		l.band = <-l.free
		l.room(l.band)
		l.band.used = l.n
		box := nd.Box{Start: l.start(l.at), Shape: append([]int{l.n}, l.shape[1:]...)}
		if err := a.ReadInto(ctx, zarr.Box(box.Start, box.Shape), l.view(l.band, 0, l.n)); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// room gives a band its memory.
func (l *list) room(b *band) {
	if b.mem == nil {
		b.mem = make([]byte, l.shape[0]*l.row)
		b.used = l.shape[0]
		l.clear(b, 0)
	}
}

// clear fills what a band has behind n rows with the fill value.
func (l *list) clear(b *band, n int) {
	if b.used > n {
		rest := b.mem[n*l.row : b.used*l.row]
		for k := copy(rest, l.fill); k > 0 && k < len(rest); k *= 2 {
			copy(rest[k:], rest[:k])
		}
	}
	b.used = n
}

func (l *list) start(row int) []int {
	s := make([]int, len(l.shape))
	s[0] = row
	return s
}

// view shows the rows of a band.
func (l *list) view(b *band, from, to int) nd.View {
	shape := append([]int{to - from}, l.shape[1:]...)
	return nd.Of(b.mem[from*l.row:to*l.row], l.tail.Array().DataType().Size(), shape...)
}

// ready waits for a band with room.
func (l *list) ready(ctx context.Context) error {
	if l.band != nil {
		return nil
	}
	select {
	case l.band = <-l.free:
	case <-ctx.Done():
		return ctx.Err()
	case <-l.rec.life.Done():
		return l.rec.usable()
	}
	l.room(l.band)
	return nil
}

// add copies n rows, for which the band has room.
func (l *list) add(rows []byte, n int) {
	copy(l.band.mem[l.n*l.row:], rows[:n*l.row])
	l.n += n
	l.band.used = max(l.band.used, l.n)
	if l.n < l.shape[0] {
		return
	}
	l.flight.left.Add(1)
	l.band.from, l.band.to = l.kept/l.unit*l.unit, l.n
	l.rec.jobs <- job{l, l.band, l.at, l.flight, l.after}
	l.at += l.n
	l.band, l.n, l.kept, l.after = nil, 0, 0, nil
}

// slice is what a commit stores of a list: the bands that are under way, and the
// rows of the band in hand, which are in the spare one.
type slice struct {
	*list
	under []*flight
	at, n int // as those of the list were
	spare *band
	after chan struct{}
}

// cut gives what a commit stores. It must be put.
func (l *list) cut() *slice {
	l.under = append(l.under, l.flight)
	l.flight.landed()
	l.flight = newFlight()
	c := &slice{list: l, under: l.under, at: l.at, n: l.n}
	if l.n == 0 || l.at+l.n == l.tail.Len() {
		return c
	}
	c.spare = l.spare
	l.room(c.spare)
	from, to := 0, l.shape[0]
	if l.kept > 0 {
		from, to = l.kept/l.unit*l.unit, (l.n+l.unit-1)/l.unit*l.unit
	}
	copy(c.spare.mem[from*l.row:], l.band.mem[from*l.row:l.n*l.row])
	c.spare.used = max(c.spare.used, l.n)
	l.clear(c.spare, l.n)
	c.spare.from, c.spare.to = from, to
	// If the band becomes full before the spare one is stored, it must be stored
	// behind it.
	c.after = make(chan struct{})
	l.after = c.after
	return c
}

// put stores it. It waits for nobody who has the lock of the stream: he may wait for a
// band that is stored behind this.
func (c *slice) put(ctx context.Context) error {
	if c.after != nil {
		defer close(c.after)
	}
	for _, f := range c.under {
		select {
		case <-f.done:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if err := c.rec.usable(); err != nil || c.spare == nil {
		return err
	}
	return c.store(ctx, c.spare, c.at)
}

// stored tells the list that it is, under the lock of the stream.
func (c *slice) stored() {
	c.list.under = nil
	if c.spare != nil && c.list.at == c.at && c.unit < c.shape[0] {
		c.kept = c.n
	}
}

// store stores rows of a band that begins at a row.
func (l *list) store(ctx context.Context, b *band, at int) error {
	v := l.view(b, b.from, b.to)
	return l.tail.Array().WriteFrom(ctx, zarr.Box(l.start(at+b.from), v.Shape), v)
}
