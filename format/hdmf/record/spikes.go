package record

import (
	"context"
	"errors"
	"fmt"
	"path"
	"sync"
	"time"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/hdmf/write"
)

// Spikes adds to the spike times of units that are in a table.
//
// The spikes of a unit lie together in a column, so that those of one more unit move
// all behind it: the column must be written anew. That is done in the background, and
// not for every commit but whenever a sixty-fourth more spikes have come, so that a
// spike is written sixty-five times at most, however long the recording is, and no more
// often than Options.Unseen says: other programs see all but the last sixty-fourth or
// those of the last second. Until they see them, spikes lie beside
// the table from one commit to the next, and are found there after a crash by who
// opens the table as Spikes again, or by Recover. Flush and Close write all.
//
// A program that has opened the file reads the column as it was then until it has been
// written anew three times.
type Spikes struct {
	rec    *Recorder
	at     string // of the table
	mu     sync.Mutex
	closed bool
	times  *write.Tail
	index  *write.Tail
	ends   []int64 // of the units in times
	fresh  lists   // what is in no column yet
	work   *rewrite
	begun  time.Time // when the columns were last begun to be written anew
	unsaid bool      // the columns are written anew, and not committed
	spare  lists     // memory for later
	log    *log
}

// lists are spikes by unit.
type lists struct {
	of [][]float64
	n  int
}

func (l *lists) add(unit int, times []float64) {
	l.of[unit] = append(l.of[unit], times...)
	l.n += len(times)
}

// reset makes room for so many units, and forgets what there was.
func (l *lists) reset(units int) {
	for len(l.of) < units {
		l.of = append(l.of, nil)
	}
	for i := range l.of {
		l.of[i] = l.of[i][:0]
	}
	l.n = 0
}

// share is which part of the spikes may be unseen by others.
const share = 64

// fewSpikes are written anew with the commit itself: they fit into one chunk.
const fewSpikes = 32768

// ErrLayout says that a file of the layout V2 cannot be recorded into in this way.
var ErrLayout = errors.New("spikes of units that are there can be added only in the layout V3: record into a file of that layout (omnizarr copy --to zarr3 makes one of this) " +
	"and copy it --to zarr2 when it is closed, or add units with all their spikes by Edit")

// Spikes opens the spike times of a table, such as /units, to add to those of units
// that it has. Units are added by Edit.
//
// It is for the layout V3. Spikes of one unit move those of all behind it, so that the
// chunks of the column change. In V3 new ones are stored beside them, by other names,
// which the document of the column begins to use with a commit. In V2 the chunks of a
// list have only one name, 0, 1, 2, whatever separates numbers: they would have to be
// overwritten one after the other, and who reads meanwhile, or after a crash, would see
// spikes of other units. There, ErrLayout is the answer, and the file is as it was.
func (r *Recorder) Spikes(ctx context.Context, at string) (*Spikes, error) {
	s := &Spikes{rec: r, at: path.Clean("/" + at)}
	err := r.open(func() (stream, error) {
		if r.edit.File().Layout() != hdmf.V3 {
			return nil, fmt.Errorf("record %s: %w", at, ErrLayout)
		}
		err := s.resume(ctx)
		if err == nil {
			s.log, err = openLog(ctx, r.edit.Store(), s.times, &s.fresh)
		}
		if err != nil {
			s.close(ctx, false)
			return nil, fmt.Errorf("record %s: %w", at, err)
		}
		return s, nil
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// resume opens the columns, before all and after somebody else has changed the
// table.
func (s *Spikes) resume(ctx context.Context) (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := path.Join(s.at, "spike_times")
	if s.times, err = s.rec.edit.Tail(ctx, at, Chunks(8)[0]); err != nil {
		return err
	}
	if s.index, err = s.rec.edit.Tail(ctx, at+"_index", 0); err != nil {
		return err
	}
	if typ := s.times.Array().DataType().Name(); typ != "float64" || len(s.times.Array().Shape()) != 1 || len(s.index.Array().Shape()) != 1 {
		return fmt.Errorf("has spike times of type %s and not a list of float64", typ)
	}
	o, err := s.rec.edit.File().Object(ctx, at+"_index")
	if err != nil {
		return err
	}
	d, ok := o.(*hdmf.Dataset)
	if !ok {
		return errors.New("has an index that is no dataset")
	}
	v, err := d.Read(ctx, zarr.All())
	if err != nil {
		return err
	}
	if s.ends, err = v.Ints(); err != nil {
		return err
	}
	last := int64(0)
	for i, end := range s.ends {
		if end < last || end > int64(s.times.Len()) {
			return fmt.Errorf("the spikes of unit %d end at %d, of %d", i, end, s.times.Len())
		}
		last = end
	}
	if last != int64(s.times.Len()) {
		return fmt.Errorf("has %d spike times, its index ends at %d", s.times.Len(), last)
	}
	for len(s.fresh.of) < len(s.ends) {
		s.fresh.of = append(s.fresh.of, nil)
	}
	return nil
}

// Units is how many there are.
func (s *Spikes) Units() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.ends)
}

// Append adds spikes of a unit, which is the number of its row, behind those that it
// has.
func (s *Spikes) Append(_ context.Context, unit int, times ...float64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.rec.usable()
	switch {
	case s.closed:
		err = errClosed
	case err == nil && (unit < 0 || unit >= len(s.ends)):
		err = fmt.Errorf("there is no unit in row %d of %d", unit, len(s.ends))
	}
	if err != nil {
		return fmt.Errorf("append to %s: %w", s.at, err)
	}
	s.fresh.add(unit, times)
	s.log.add(unit, times)
	return nil
}

// store is part of a commit.
func (s *Spikes) store(ctx context.Context, all bool) (ends []write.End, committed func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if all || s.work != nil && s.work.ended() {
		if err := s.collect(ctx); err != nil {
			return nil, nil, err
		}
	}
	if s.fresh.n > 0 && (all || s.work == nil && !s.unsaid && s.fresh.n*share >= s.times.Len() && time.Since(s.begun) >= s.rec.unseen) {
		s.begun = time.Now()
		if err := s.begin(ctx); err != nil {
			return nil, nil, err
		}
		if all || s.work.total() <= fewSpikes {
			if err := s.collect(ctx); err != nil {
				return nil, nil, err
			}
		}
	}
	if err := s.log.put(ctx); err != nil {
		return nil, nil, err
	}
	return s.said(), s.done, nil
}

// said is how long the columns have become, if that has not been committed.
func (s *Spikes) said() []write.End {
	if !s.unsaid {
		return nil
	}
	n := 0
	if len(s.ends) > 0 {
		n = int(s.ends[len(s.ends)-1])
	}
	return []write.End{{Tail: s.times, Len: n}, {Tail: s.index, Len: len(s.ends)}}
}

// done is called when all is committed.
func (s *Spikes) done() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unsaid = false
	s.log.forget(s.rec.life)
}

// begin begins to write the columns anew, with all spikes that came until now.
func (s *Spikes) begin(ctx context.Context) error {
	w, err := s.newRewrite(ctx)
	if err != nil {
		return err
	}
	s.work = w
	s.fresh, s.spare = s.spare, lists{}
	s.fresh.reset(len(s.ends))
	go w.run(s.rec.life)
	return nil
}

// collect waits for columns that are being written anew, and lets them take the place
// of the old ones.
func (s *Spikes) collect(ctx context.Context) error {
	w := s.work
	if w == nil {
		return nil
	}
	select {
	case <-w.done:
	case <-ctx.Done():
		return ctx.Err()
	}
	if w.err != nil {
		s.rec.end(fmt.Errorf("write the spikes of %s anew: %w", s.at, w.err))
		return s.rec.usable()
	}
	// What came meanwhile is kept as belonging to the new columns, before these count.
	s.log.restart(w.times.Generation(), &s.fresh)
	s.times, s.index, s.ends, s.spare = w.times, w.index, w.ends, w.add
	s.work, s.unsaid = nil, true
	return nil
}

// rest lets others change the table.
func (s *Spikes) rest(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.collect(ctx)
	if err == nil {
		err = s.log.put(ctx)
	}
	if err == nil {
		err = s.rec.edit.Extend(context.WithoutCancel(ctx), s.said()...) // all or nothing of it
	}
	if err != nil {
		return err
	}
	s.unsaid = false
	s.times.Close()
	s.index.Close()
	return nil
}

// close waits for what is under way. What came to nothing stays beside the table.
func (s *Spikes) close(ctx context.Context, committed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.work != nil {
		<-s.work.done
	}
	for _, t := range []*write.Tail{s.times, s.index} {
		if t == nil {
			continue
		}
		if committed {
			_ = s.rec.edit.Forget(ctx, t) // what stays is in nobody's way
		}
		t.Close()
	}
}
