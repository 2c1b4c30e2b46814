// Package record writes HDMF and NWB files while an experiment runs: streams of
// samples that come in pieces of any size, and spikes of units that are there.
//
// A Recorder buffers what comes up to the ends of chunks, encodes whole chunks and
// stores them in the background, and makes all count at Commit: samples, their
// times, and the lengths of all series at once. Between commits nothing is read,
// and what an Append costs does not depend on how much it brings. Memory is some
// chunks for each series, however long the recording is.
//
// After a crash the file is what it was at the last Commit. Other programs may read
// it all the time.
package record

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/omnizarr/zarr/format/hdmf/write"
)

// Options say how to record; the zero value is fine.
type Options struct {
	// Edit is how the file is opened. With Edit.Sync, a Commit returns when all is on
	// the disk.
	Edit write.Options
	// Workers is how many goroutines encode and store chunks. The default is one for
	// each processor.
	Workers int
	// Lag is for how long the documents of nodes may lag behind commits, see
	// write.Options.Lagging: a Commit that comes later, and Close, stores them. The
	// default is a second; below 0 each Commit does.
	Lag time.Duration
	// Unseen is for how long spikes of units that are there may lie beside their table,
	// where other programs do not see them, before their column is written anew. The
	// default is a second; below 0 it is written as soon as it has grown enough.
	Unseen time.Duration
}

// Recorder adds to a file. Its methods, and those of its streams, may be called by
// several goroutines.
type Recorder struct {
	edit *write.Editor
	// life ends with an error that leaves nothing to be done, or with Close.
	life context.Context
	end  context.CancelCauseFunc
	jobs chan job
	work sync.WaitGroup

	mu      sync.Mutex // held by who commits or opens a stream
	streams []stream
	closed  bool
	lag     time.Duration
	unseen  time.Duration
	settled time.Time // when no document lagged behind last
}

// stream is what a commit makes count.
type stream interface {
	// store stores what came until now, and gives how long datasets have become and
	// what to do when they are so. all is also what may wait.
	store(ctx context.Context, all bool) (ends []write.End, committed func(), err error)
	// rest and resume are around changes that others make.
	rest(ctx context.Context) error
	resume(ctx context.Context) error
	// close gives up; committed says that all was.
	close(ctx context.Context, committed bool)
}

// job is a full band that is to be stored.
type job struct {
	list   *list
	band   *band
	at     int
	flight *flight
	after  <-chan struct{} // what is to be stored before it, nil if nothing
}

// ErrArchive says that a file is in an archive, of which a crash would leave nothing
// that was committed.
var ErrArchive = errors.New("an archive gets what is recorded only when it is closed, and a crash would lose all of it: record into a folder, and omnizarr copy it into an archive then")

// Open opens the file at a URL to record into it; ErrArchive if it is in an archive.
// The context is that of Open alone.
func Open(ctx context.Context, url string, opts Options) (*Recorder, error) {
	r, err := open(ctx, url, opts)
	if err == nil && r.edit.Archive() {
		return nil, errors.Join(fmt.Errorf("record into %s: %w", url, ErrArchive), r.Discard())
	}
	return r, err
}

func open(ctx context.Context, url string, opts Options) (*Recorder, error) {
	lag := cmp.Or(opts.Lag, time.Second)
	opts.Edit.Lagging = opts.Edit.Lagging || lag > 0
	e, err := write.Edit(ctx, url, opts.Edit)
	if err != nil {
		return nil, err
	}
	n := opts.Workers
	if n <= 0 {
		n = runtime.GOMAXPROCS(0)
	}
	r := &Recorder{edit: e, jobs: make(chan job, 4*n), lag: lag, unseen: cmp.Or(opts.Unseen, time.Second), settled: time.Now()}
	r.life, r.end = context.WithCancelCause(context.WithoutCancel(ctx))
	for range n {
		r.work.Go(r.worker)
	}
	return r, nil
}

// worker stores bands until there are no more.
func (r *Recorder) worker() {
	for j := range r.jobs {
		if j.after != nil {
			<-j.after
		}
		if r.life.Err() == nil {
			if err := j.list.store(r.life, j.band, j.at); err != nil {
				r.end(err)
			}
		}
		j.list.free <- j.band
		j.flight.landed()
	}
}

// errClosed is what a Recorder says after Close.
var errClosed = errors.New("the recorder is closed")

// usable says why nothing can be recorded any more.
func (r *Recorder) usable() error {
	if r.life.Err() == nil {
		return nil
	}
	err := context.Cause(r.life)
	if errors.Is(err, errClosed) {
		return err
	}
	return fmt.Errorf("nothing more can be recorded, since there was an error before: %w", err)
}

// Commit makes all that was appended before count, in all streams or in none: other
// programs see it from now on, and it outlives the process; with Options.Edit.Sync it
// is on the disk and outlives a loss of power. Spikes may become visible later, see
// Spikes, but are as safe.
//
// Streams may be appended to meanwhile; that counts with the next Commit.
func (r *Recorder) Commit(ctx context.Context) error { return r.commit(ctx, false) }

// Flush is a Commit after which all spikes are visible as well, however long that
// takes.
func (r *Recorder) Flush(ctx context.Context) error { return r.commit(ctx, true) }

func (r *Recorder) commit(ctx context.Context, all bool) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.commitLocked(ctx, all)
}

func (r *Recorder) commitLocked(ctx context.Context, all bool) error {
	if err := r.usable(); err != nil {
		return err
	}
	results := make([]struct {
		ends []write.End
		done func()
		err  error
	}, len(r.streams))
	var wait sync.WaitGroup
	for i, s := range r.streams {
		wait.Go(func() {
			p := &results[i]
			p.ends, p.done, p.err = s.store(ctx, all)
		})
	}
	wait.Wait()
	var ends []write.End
	var err error
	for _, p := range results {
		ends = append(ends, p.ends...)
		err = errors.Join(err, p.err)
	}
	if err == nil {
		err = r.usable()
	}
	if err == nil {
		err = ctx.Err()
	}
	if err == nil { // half of it would be the end of the recording
		err = r.edit.Extend(context.WithoutCancel(ctx), ends...)
	}
	if err == nil {
		err = r.edit.Commit(ctx)
	}
	if err != nil {
		return err
	}
	for _, p := range results {
		p.done()
	}
	if time.Since(r.settled) < r.lag {
		return nil
	}
	r.settled = time.Now()
	return r.edit.Settle(ctx)
}

// Edit changes the file otherwise: rows of tables, new units, objects, attributes.
// It counts with the next Commit. What is added to the series that are being recorded
// must be added by their streams.
func (r *Recorder) Edit(ctx context.Context, change func(*write.Editor) error) error {
	if change == nil {
		return errors.New("there is no change to be made")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.usable(); err != nil {
		return err
	}
	var err error
	rested := 0
	for ; rested < len(r.streams); rested++ {
		if err = r.streams[rested].rest(ctx); err != nil {
			break
		}
	}
	if err == nil {
		err = change(r.edit)
	}
	for _, s := range r.streams[:rested] {
		if again := s.resume(context.WithoutCancel(ctx)); again != nil {
			r.end(again)
			err = errors.Join(err, again)
		}
	}
	return err
}

// open adds a stream.
func (r *Recorder) open(make func() (stream, error)) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.usable(); err != nil {
		return err
	}
	s, err := make()
	if err == nil {
		r.streams = append(r.streams, s)
	}
	return err
}

// Close commits all that was appended, spikes included, and gives the file up.
func (r *Recorder) Close() error {
	return r.finish(func(ctx context.Context) error { return r.commitLocked(ctx, true) })
}

// Discard gives the file up as it was at the last Commit.
func (r *Recorder) Discard() error { return r.finish(nil) }

func (r *Recorder) finish(last func(context.Context) error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil
	}
	r.closed = true
	ctx := context.WithoutCancel(r.life)
	var err error
	if last != nil {
		err = last(ctx)
	}
	r.end(errClosed)
	for _, s := range r.streams {
		s.close(ctx, last != nil && err == nil)
	}
	close(r.jobs)
	r.work.Wait()
	return errors.Join(err, r.edit.Close())
}
