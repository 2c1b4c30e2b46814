package tiff

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/omnizarr/zarr/store"
)

// source reads the structure of a file through a few windows: directories tend
// to follow each other, or to lie between the data of pages, and their values
// are right behind them or in a place of their own. A window begins small and
// grows while reads go on from where it ends.
type source struct {
	obj   store.Object
	size  int64 // of the file, math.MaxInt64 if unknown
	etag  string
	least int // bytes of the first read of a place

	windows [4]window
	clock   uint64
	// budget is how many bytes of directories and values may still be looked
	// at. A file has none of them twice, unless it is made to keep us busy.
	budget int64
}

// window is a part of the file that was read.
type window struct {
	data  []byte
	start uint64 // where in the file that is
	next  int    // how much to read if the next read goes on from here
	used  uint64 // when, by the clock of the source
}

// The first read at a place, and the largest that grows from it. Where each
// request takes its time a larger one costs nothing.
const (
	nearRead = 4 << 10
	farRead  = 64 << 10
	mostRead = 1 << 20
)

// newSource reads the beginning of a file.
func newSource(ctx context.Context, obj store.Object) (*source, error) {
	s := &source{obj: obj, size: math.MaxInt64, least: farRead, budget: math.MaxInt64}
	if store.IsNear(obj) {
		s.least = nearRead
	}
	// A file that is not there at first was never opened, and may be called missing.
	head, info, err := obj.Get(ctx, store.Part(0, int64(s.least)), nil)
	if errors.Is(err, store.ErrRange) { // the file is shorter
		head, info, err = obj.Get(ctx, store.UpTo(int64(s.least)), nil)
	}
	if err != nil {
		return nil, err
	}
	if info.Size >= 0 {
		s.size = info.Size
	}
	s.etag = info.ETag
	s.windows[0] = window{data: head, next: 2 * s.least}
	return s, nil
}

// get reads from the file. That the file is gone does not mean that a value of
// the hierarchy is missing.
func (s *source) get(ctx context.Context, r store.Range, dst []byte) ([]byte, store.Info, error) {
	out, info, err := s.obj.Get(ctx, r, dst)
	if errors.Is(err, store.ErrNotExist) {
		err = store.Gone("the file", err)
	}
	return out, info, err
}

// head gives the first bytes of the file, fewer than n if it has fewer.
func (s *source) head(n int) []byte {
	b := s.windows[0].data
	return b[:min(n, len(b))]
}

// fits reports whether length bytes from off lie in the file.
func (s *source) fits(off, length uint64) bool {
	return off <= uint64(s.size) && length <= uint64(s.size)-off
}

// read gives length bytes from off, which are good until the next read.
func (s *source) read(ctx context.Context, off uint64, length int) ([]byte, error) {
	s.clock++
	w := &s.windows[0] // to read into
	for i := range s.windows {
		x := &s.windows[i]
		if x.has(off, length) {
			x.used = s.clock
			return x.data[off-x.start:][:length], nil
		}
		if x.leadsTo(off, s.least) {
			w = x
			break
		}
		if x.used < w.used {
			w = x
		}
	}
	if !s.fits(off, uint64(length)) {
		return nil, fmt.Errorf("%d bytes at offset %d are beyond the end of the file, which has %d", length, off, s.size)
	}
	if length > mostRead { // would only be in the way
		b, _, err := s.get(ctx, store.Part(int64(off), int64(length)), nil)
		return b, err
	}
	n := s.least
	if w.leadsTo(off, s.least) {
		n = max(n, w.next)
	}
	if n = max(n, length); s.size != math.MaxInt64 {
		n = int(min(uint64(n), uint64(s.size)-off))
	} else {
		n = length // a read beyond an end that is not known would fail
	}
	room := w.data[:0]
	*w = window{} // which a read that fails may leave half overwritten
	b, _, err := s.get(ctx, store.Part(int64(off), int64(n)), room)
	if err != nil {
		return nil, err
	}
	*w = window{data: b, start: off, next: min(2*n, mostRead), used: s.clock}
	return b[:length], nil
}

// has reports whether the window holds length bytes from off.
func (w *window) has(off uint64, length int) bool {
	return off >= w.start && off-w.start <= uint64(len(w.data)) && uint64(length) <= uint64(len(w.data))-(off-w.start)
}

// leadsTo reports whether a read at off goes on from the window, with a gap at
// most.
func (w *window) leadsTo(off uint64, gap int) bool {
	return len(w.data) > 0 && off >= w.start && off-w.start <= uint64(len(w.data)+gap)
}

// leastBudget is how many bytes of directories and values any file may have, also
// one that does not tell its size.
const leastBudget = 16 << 20

// setBudget allows for what a file of this size can have.
func (s *source) setBudget() {
	s.budget = leastBudget
	if s.size < math.MaxInt64/8 {
		s.budget += 2 * s.size
	}
}

// spend takes from the budget.
func (s *source) spend(n int) error {
	if s.budget -= int64(n); s.budget < 0 {
		return errors.New("directories or their values overlap: there are more of them than the file has room for")
	}
	return nil
}

// settle is called when the file is open: what is looked up from then on is
// little, and what callers ask for.
func (s *source) settle() {
	s.budget = math.MaxInt64
	for i := range s.windows {
		if cap(s.windows[i].data) > farRead {
			s.windows[i] = window{}
		}
	}
}
