package record_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/hdmf/record"
	"github.com/omnizarr/zarr/format/hdmf/write"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/store/mem"
)

// A commit that was given up while chunks are on their way does not let the next one
// count them before they are there.
func TestCommitAfterOneThatWasGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &gated{Store: mem.New(), key: "acquisition/ap/data/c/0/0", gate: make(chan struct{})}
		file := session(2, 0, []int{10, 2}, []int{10})
		for _, d := range file.Groups["acquisition"].Groups["ap"].Datasets {
			d.Codecs = []byte(`[{"name":"gzip","configuration":{"level":1}}]`) // that of Zstandard stays in its first bubble
		}
		create(t, s, hdmf.V3, file)
		r, err := record.Open(ctx, "test://", on(s))
		check(t, err)
		ap, err := record.Samples[int16](ctx, r, "/acquisition/ap")
		check(t, err)
		data, times := values(0, 10, 2)
		check(t, ap.Append(ctx, data, times))
		short, cancel := context.WithCancel(ctx)
		given := make(chan error, 1)
		go func() { given <- r.Commit(short) }()
		synctest.Wait()
		cancel()
		if err := <-given; !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() { done <- r.Commit(ctx) }()
		synctest.Wait()
		if n := len(all[float64](t, open(t, s.Store), "/acquisition/ap/timestamps")); n != 0 {
			t.Errorf("%d samples count whose chunk is not stored", n)
		}
		close(s.gate)
		check(t, <-done)
		holds(t, s, 10, 2)
		check(t, r.Close())
	})
}

// A commit or an edit whose context ends at any moment does not end the recording.
func TestCommitsThatAreGivenUpAnywhere(t *testing.T) {
	s := mem.New()
	create(t, s, hdmf.V3, session(2, 2, []int{10, 2}, []int{10}))
	r, err := record.Open(ctx, "test://", on(s))
	check(t, err)
	ap, err := record.Samples[int16](ctx, r, "/acquisition/ap")
	check(t, err)
	spikes, err := r.Spikes(ctx, "/units")
	check(t, err)
	given, rounds := 0, 0
	for n := 0; n < 200; n += thorough.Of(5, 1) {
		rounds++
		data, times := values(ap.Len(), 3, 2)
		check(t, ap.Append(ctx, data, times))
		check(t, spikes.Append(ctx, rounds%2, float64(n)))
		if err := r.Commit(&countdown{Context: ctx, left: int64(n)}); errors.Is(err, context.Canceled) {
			given++
		} else {
			check(t, err)
		}
		check(t, r.Commit(ctx))
		if err := r.Edit(&countdown{Context: ctx, left: int64(n)}, func(*write.Editor) error { return nil }); !errors.Is(err, context.Canceled) {
			check(t, err)
		}
	}
	if given < thorough.Of(8, 20) {
		t.Errorf("%d commits were given up", given)
	}
	check(t, r.Close())
	holds(t, s, 3*rounds, 2)
	if got := all[float64](t, open(t, s), "/units/spike_times"); len(got) != rounds {
		t.Errorf("%d spikes", len(got))
	}
}

// countdown is a context that has ended when it was asked so many times.
type countdown struct {
	context.Context
	mu   sync.Mutex
	left int64
}

func (c *countdown) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}
