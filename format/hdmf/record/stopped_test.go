package record_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/hdmf/record"
	"github.com/omnizarr/zarr/format/hdmf/write"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

// stopping is a store that lets only so many changes through.
type stopping struct {
	store.Store
	left atomic.Int64
}

var errStopped = errors.New("stopped")

func (s *stopping) Unwrap() store.Store { return s.Store }

func (s *stopping) Put(ctx context.Context, key string, data []byte, opt store.PutOptions) (store.Info, error) {
	if s.left.Add(-1) < 0 {
		return store.Info{}, errStopped
	}
	return s.Store.Put(ctx, key, data, opt)
}

func (s *stopping) Delete(ctx context.Context, key string) error {
	if s.left.Add(-1) < 0 {
		return errStopped
	}
	return s.Store.Delete(ctx, key)
}

// recorded is a recording of few samples, a spike for each of them, and a unit that
// comes later. It tells what was committed, and what may have been.
func recorded(s store.Store, lag time.Duration, channels int, commits *[]int) (err error) {
	o := on(s)
	o.Lag = lag
	r, err := record.Open(ctx, "test://", o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Discard()) }()
	ap, err := record.Samples[int16](ctx, r, "/acquisition/ap")
	if err != nil {
		return err
	}
	spikes, err := r.Spikes(ctx, "/units")
	if err != nil {
		return err
	}
	n := ap.Len()
	for i, k := range []int{20, 1, 30, 1, 17} {
		data, times := values(n, k, channels)
		if err := ap.Append(ctx, data, times); err != nil {
			return err
		}
		for range k {
			if err := spikes.Append(ctx, n%2, float64(n)); err != nil {
				return err
			}
			n++
		}
		if i == 1 {
			err := r.Edit(ctx, func(e *write.Editor) error {
				return e.AppendRows(ctx, "/units", write.Rows{Columns: map[string]write.Column{"spike_times": {Data: write.Numbers([]float64{7}), Counts: [][]int{{1}}}}})
			})
			if err != nil {
				return err
			}
		}
		*commits = append(*commits, -n) // begun
		if i == 3 {
			err = r.Flush(ctx)
		} else {
			err = r.Commit(ctx)
		}
		if err != nil {
			return err
		}
		*commits = append(*commits, n)
	}
	return r.Close()
}

// A recording that is stopped at any change of the store leaves a commit: samples,
// times and spikes of the same one, which is the last that was done or the one that was
// begun; and the next recording finds all of it.
func TestStoppedEverywhere(t *testing.T) {
	for i, lag := range []time.Duration{-1, time.Hour} {
		t.Run(lag.String(), func(t *testing.T) { stopEverywhere(t, lag, thorough.Of(5*i, 0)) })
	}
}

func stopEverywhere(t *testing.T, lag time.Duration, first int) {
	const channels = 3
	start := mem.New()
	create(t, start, hdmf.V3, session(channels, 2, []int{16, channels}, []int{24}))
	for k, step := first, thorough.Step(11); ; k += step {
		s := copyOf(t, start)
		stop := &stopping{Store: s}
		stop.left.Store(int64(k))
		var commits []int
		err := recorded(stop, lag, channels, &commits)
		whole := err == nil
		done, begun := 0, 0
		for _, n := range commits {
			if n > 0 {
				done = n
			}
			begun = max(n, -n)
		}
		look := func() int {
			n := len(all[float64](t, open(t, s), "/acquisition/ap/timestamps"))
			if n != done && n != begun {
				t.Fatalf("stopped at change %d: %d samples, committed are %d or %d", k, n, done, begun)
			}
			holds(t, s, n, channels)
			want := make([][]float64, 2)
			for i := range n {
				want[i%2] = append(want[i%2], float64(i))
			}
			found := units(t, s)
			if len(found) == 3 {
				want = append(want, []float64{7})
			}
			return n + len(want) - 2 - prefixes(t, found, want)
		}
		look()
		// The next one completes a commit that was decided, and has the spikes that
		// were in no column.
		r, err := record.Open(ctx, "test://", on(s))
		check(t, err)
		_, err = r.Spikes(ctx, "/units")
		check(t, err)
		check(t, r.Close())
		if n := look(); n != 0 {
			t.Fatalf("stopped at change %d: %d spikes are lost", k, n)
		}
		if keys := hidden(t, s); len(keys) > 0 {
			t.Fatalf("stopped at change %d: left beside the nodes: %v", k, keys)
		}
		if whole {
			return
		}
	}
}

// What a recording left is found, and Recover can be stopped at any change of the store:
// the next one has all.
func TestStoppedRecoveries(t *testing.T) {
	start := mem.New()
	create(t, start, hdmf.V3, session(1, 2, nil, nil))
	r, err := record.Open(ctx, "test://", on(start))
	check(t, err)
	spikes, err := r.Spikes(ctx, "/units")
	check(t, err)
	want := make([][]float64, 2)
	for i, n := range []int{100, 200, 2} {
		for range n {
			want[i%2] = append(want[i%2], float64(count(want)+1))
		}
		check(t, spikes.Append(ctx, i%2, want[i%2][len(want[i%2])-n:]...))
		check(t, r.Commit(ctx))
	}
	check(t, r.Discard())
	for k := 0; ; k += thorough.Step(2) {
		s := copyOf(t, start)
		left, err := record.FindLeft(ctx, s)
		check(t, err)
		if len(left) < 2 || !slices.Contains(left, record.Left{Path: "/units", Pending: true, Spikes: 2, Names: write.Pending}) {
			t.Fatalf("found %+v", left)
		}
		stop := &stopping{Store: s}
		stop.left.Store(int64(k))
		err = record.Recover(ctx, "test://", on(stop))
		if n := prefixes(t, units(t, s), want); n < 300 || err == nil && n != 302 {
			t.Fatalf("stopped at change %d: %d spikes, %v", k, n, err)
		}
		check(t, record.Recover(ctx, "test://", on(s)))
		if n := prefixes(t, units(t, s), want); n != 302 {
			t.Fatalf("stopped at change %d: %d spikes are lost", k, 302-n)
		}
		if left, err := record.FindLeft(ctx, s); err != nil || len(left) > 0 {
			t.Fatalf("stopped at change %d: left %+v, %v", k, left, err)
		}
		if err == nil && stop.left.Load() >= 0 {
			return
		}
	}
}

// A crash would leave nothing of what was committed to an archive, so that nothing is
// recorded into one. What a recording left can be finished there all the same.
func TestArchivesAreRefused(t *testing.T) {
	at := filepath.Join(t.TempDir(), "f.zip")
	check(t, write.Create(ctx, at, session(2, 2, nil, nil), write.Options{}))
	before, err := os.ReadFile(at)
	check(t, err)
	if _, err := record.Open(ctx, at, record.Options{}); !errors.Is(err, record.ErrArchive) {
		t.Error(err)
	}
	if after, err := os.ReadFile(at); err != nil || !bytes.Equal(after, before) {
		t.Error("the archive is another one", err)
	}
	check(t, record.Recover(ctx, at, record.Options{}))
}
