package record

import (
	"context"
	"errors"
	"fmt"
	"path"
	"sync"
	"unsafe"

	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/hdmf/write"
)

// Series is a time series that samples of type T are added to.
type Series[T write.Number] struct {
	series
	data *list
	wide int // elements in a sample
}

// series is what does not depend on the type of its samples.
type series struct {
	rec    *Recorder
	mu     sync.Mutex
	lists  []*list // data, and timestamps if there are any
	closed bool
}

// Samples opens a time series to add samples to it, which are of the type that its
// data has. Data without samples whose chunks nobody has chosen is cut into chunks
// as Chunks gives them.
func Samples[T write.Number](ctx context.Context, r *Recorder, at string) (*Series[T], error) {
	if r == nil {
		return nil, fmt.Errorf("record %s: there is no recorder", at)
	}
	s := &Series[T]{series: series{rec: r}}
	err := r.open(func() (stream, error) {
		typ, err := dtype.For[T]()
		if err == nil {
			err = s.open(ctx, at, typ)
		}
		if err != nil {
			s.close(ctx, false)
			return nil, fmt.Errorf("record %s: %w", at, err)
		}
		return &s.series, nil
	})
	if err != nil {
		return nil, err
	}
	s.data = s.lists[0]
	s.wide = s.data.row / max(int(unsafe.Sizeof(*new(T))), 1)
	return s, nil
}

func (s *series) open(ctx context.Context, at string, typ dtype.Type) error {
	o, err := s.rec.edit.File().Object(ctx, at)
	if err != nil {
		return err
	}
	g, ok := o.(*hdmf.Group)
	if !ok {
		return errors.New("is a dataset, not a time series")
	}
	timed := false
	for m, err := range g.Members(ctx) {
		if err != nil {
			return err
		}
		timed = timed || m.Name == "timestamps" && m.Link == nil // those of another series are added there
	}
	if err := s.add(ctx, path.Join(at, "data"), typ); err != nil || !timed {
		return err
	}
	if err := s.add(ctx, path.Join(at, "timestamps"), dtype.MustParse("float64")); err != nil {
		return err
	}
	if n, times := s.lists[0].tail.Len(), s.lists[1].tail.Len(); n != times {
		return fmt.Errorf("data has %d samples, timestamps %d", n, times)
	}
	return nil
}

// add opens one of its datasets.
func (s *series) add(ctx context.Context, at string, typ dtype.Type) error {
	o, err := s.rec.edit.File().Object(ctx, at)
	if err != nil {
		return err
	}
	rows := 0
	if d, ok := o.(*hdmf.Dataset); ok && !d.Scalar() {
		rows = Chunks(d.Array().DataType().Size(), d.Shape()[1:]...)[0]
	}
	tail, err := s.rec.edit.Tail(ctx, at, rows)
	if err != nil {
		return err
	}
	l, err := s.rec.openList(ctx, tail)
	if have := tail.Array().DataType(); err == nil && have.Name() != typ.Name() {
		err = fmt.Errorf("%s holds elements of type %s, not %s", path.Base(at), have.Name(), typ.Name())
	}
	if err != nil {
		tail.Close()
		return err
	}
	s.lists = append(s.lists, l)
	return nil
}

// Chunks is how a series is best cut that is recorded: rows of elements of so many
// bytes, all of a row together. A chunk has at most 1 MiB and 16384 rows.
//
// It is a compromise. Every commit stores the last chunk anew, so that small ones
// make commits cheap: 1 MiB is encoded in about a millisecond. Large ones make fewer
// files: with 384 channels of 16 bits at 30 kHz, 30 in a second. Times have chunks of
// 128 KiB, which are half a second of them.
func Chunks(size int, row ...int) []int {
	const most, rows = 1 << 20, 16384
	for _, n := range row {
		size *= max(n, 1)
	}
	chunks := append([]int{1}, row...)
	for i := range chunks {
		chunks[i] = max(chunks[i], 1)
	}
	for chunks[0] < rows && 2*chunks[0]*size <= most {
		chunks[0] *= 2
	}
	return chunks
}

// Len is how many samples there are, committed or not.
func (s *Series[T]) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.length()
}

func (s *series) length() int { return s.lists[0].at + s.lists[0].n }

// Append adds samples, one behind the other, each with all its channels, and a time
// for each; nil if the series has a rate, or the times of another one. They may be few or many, and the caller's
// memory is free again. Append waits if samples come faster than they can be
// stored. If the context ends it, the first ones may have been taken: see Len.
func (s *Series[T]) Append(ctx context.Context, samples []T, times []float64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.check(len(samples), times); err != nil {
		return fmt.Errorf("append to %s: %w", path.Dir(s.data.tail.Path()), err)
	}
	values, seconds := memory(samples), memory(times)
	for left := len(samples) / s.wide; left > 0; {
		n := left
		for _, l := range s.lists {
			if err := l.ready(ctx); err != nil {
				return err
			}
			n = min(n, l.shape[0]-l.n)
		}
		s.data.add(values, n)
		values = values[n*s.data.row:]
		if times != nil {
			s.lists[1].add(seconds, n)
			seconds = seconds[n*8:]
		}
		left -= n
	}
	return nil
}

func (s *Series[T]) check(samples int, times []float64) error {
	if s.closed {
		return errClosed
	}
	if err := s.rec.usable(); err != nil {
		return err
	}
	n := samples / s.wide
	switch {
	case samples%s.wide != 0:
		return fmt.Errorf("%d values are no whole samples of %d", samples, s.wide)
	case len(s.lists) == 1 && times != nil:
		return errors.New("has no times of its own, and takes none")
	case len(s.lists) == 2 && len(times) != n:
		return fmt.Errorf("%d times for %d samples", len(times), n)
	}
	return nil
}

// memory shows numbers as bytes.
func memory[T write.Number](values []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), len(values)*int(unsafe.Sizeof(*new(T))))
}

// store is part of a commit.
func (s *series) store(ctx context.Context, _ bool) ([]write.End, func(), error) {
	s.mu.Lock()
	n := s.length()
	cuts := make([]*slice, len(s.lists))
	for i, l := range s.lists {
		cuts[i] = l.cut()
	}
	s.mu.Unlock()
	errs := make([]error, len(cuts))
	var wait sync.WaitGroup
	for i, c := range cuts {
		wait.Go(func() { errs[i] = c.put(ctx) })
	}
	wait.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	var ends []write.End
	for i, c := range cuts {
		if errs[i] == nil {
			c.stored()
		}
		if c.tail.Len() != n {
			ends = append(ends, write.End{Tail: c.tail, Len: n})
		}
	}
	return ends, func() {}, errors.Join(errs...)
}

// Others cannot change what is recorded.
func (s *series) rest(context.Context) error   { return nil }
func (s *series) resume(context.Context) error { return nil }

func (s *series) close(context.Context, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for _, l := range s.lists {
		l.tail.Close()
	}
}
