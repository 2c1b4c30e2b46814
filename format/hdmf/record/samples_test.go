package record_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/hdmf/record"
	"github.com/omnizarr/zarr/format/hdmf/write"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

// holds checks that the file has the first n samples, and their times.
func holds(t testing.TB, s store.Store, n, channels int) {
	t.Helper()
	f := open(t, s)
	data, times := values(0, n, channels)
	if got := all[int16](t, f, "/acquisition/ap/data"); !slices.Equal(got, data) {
		t.Fatalf("%d samples, want %d of other values", len(got)/channels, n)
	}
	if got := all[float64](t, f, "/acquisition/ap/timestamps"); !slices.Equal(got, times) {
		t.Fatalf("%d times, want %d of other values", len(got), n)
	}
}

// Samples come in pieces of any size, across the ends of chunks, in both layouts,
// and count with a commit; a second recording goes on where the first one ended.
func TestSamplesOfAnySize(t *testing.T) {
	const channels = 3
	for _, layout := range []hdmf.Layout{hdmf.V2, hdmf.V3} {
		s := mem.New()
		create(t, s, layout, session(channels, 0, []int{16, 2}, []int{10}))
		n := 0
		for range 2 {
			r, err := record.Open(ctx, "test://", on(s))
			check(t, err)
			ap, err := record.Samples[int16](ctx, r, "/acquisition/ap")
			check(t, err)
			committed := n
			for i, k := range []int{1, 0, 14, 1, 1, 40, 7, 16, 3, 100, 1} {
				data, times := values(n, k, channels)
				check(t, ap.Append(ctx, data, times))
				clear(data) // is the caller's again
				if n += k; ap.Len() != n {
					t.Fatalf("%d samples, want %d", ap.Len(), n)
				}
				holds(t, s, committed, channels)
				if i%2 == 0 {
					check(t, r.Commit(ctx))
					committed = n
					holds(t, s, n, channels)
				}
			}
			check(t, r.Close()) // with what was not committed
			holds(t, s, n, channels)
		}
		r, err := record.Open(ctx, "test://", on(s))
		check(t, err)
		ap, err := record.Samples[int16](ctx, r, "/acquisition/ap")
		check(t, err)
		data, times := values(n, 50, channels)
		check(t, ap.Append(ctx, data, times))
		check(t, r.Discard())
		holds(t, s, n, channels)
		if err := ap.Append(ctx, data, times); err == nil {
			t.Error("appended to a recorder that is closed")
		}
	}
}

// Shards are stored by the chunks in them: those that a commit has stored are not
// encoded again, and what lies in a shard behind the end is nothing.
func TestShards(t *testing.T) {
	const channels = 3
	s := mem.New()
	root := session(channels, 0, []int{8, channels}, []int{10})
	ap := root.Groups["acquisition"].Groups["ap"]
	ap.Datasets["data"].Shards, ap.Datasets["timestamps"].Shards = []int{32, channels}, []int{40}
	create(t, s, hdmf.V3, root)
	n := 0
	for range 3 {
		r, err := record.Open(ctx, "test://", on(s))
		check(t, err)
		ap, err := record.Samples[int16](ctx, r, "/acquisition/ap")
		check(t, err)
		for _, k := range []int{1, 6, 1, 9, 20, 3, 70, 1, 1, 1} {
			data, times := values(n, k, channels)
			check(t, ap.Append(ctx, data, times))
			n += k
			check(t, r.Commit(ctx))
			holds(t, s, n, channels)
		}
		data, times := values(n+1000, 100, channels) // comes to nothing
		check(t, ap.Append(ctx, data, times))
		check(t, r.Discard())
		holds(t, s, n, channels)
	}
}

// Others append while somebody commits: what is committed is always a beginning of
// what was appended, with its times.
func TestCommitsAmongAppends(t *testing.T) {
	const channels = 5
	s := mem.New()
	create(t, s, hdmf.V3, session(channels, 0, []int{16, channels}, []int{24}))
	r, err := record.Open(ctx, "test://", on(s))
	check(t, err)
	ap, err := record.Samples[int16](ctx, r, "/acquisition/ap")
	check(t, err)
	n := thorough.Rounds(4000)
	done := make(chan error, 1)
	go func() {
		for at := 0; at < n; {
			k := min(1+at%11, n-at)
			data, times := values(at, k, channels)
			if err := ap.Append(ctx, data, times); err != nil {
				done <- err
				return
			}
			at += k
		}
		done <- nil
	}()
	for more := true; more; {
		select {
		case err := <-done:
			check(t, err)
			more = false
		default:
		}
		least := ap.Len()
		check(t, r.Commit(ctx))
		have := len(all[float64](t, open(t, s), "/acquisition/ap/timestamps"))
		if have < least {
			t.Fatalf("%d samples are committed, %d were appended before", have, least)
		}
		holds(t, s, have, channels)
	}
	check(t, r.Close())
	holds(t, s, n, channels)
}

// What does not fit a series is refused, and changes nothing.
func TestWrongSamples(t *testing.T) {
	const channels = 3
	s := mem.New()
	create(t, s, hdmf.V3, session(channels, 0, nil, nil))
	r, err := record.Open(ctx, "test://", on(s))
	check(t, err)
	if _, err := record.Samples[float32](ctx, r, "/acquisition/ap"); err == nil {
		t.Error("float32 went into a series of int16")
	}
	if _, err := record.Samples[int16](ctx, r, "/units"); err == nil {
		t.Error("a table is no series")
	}
	ap, err := record.Samples[int16](ctx, r, "/acquisition/ap")
	check(t, err)
	if _, err := record.Samples[int16](ctx, r, "/acquisition/ap"); err == nil {
		t.Error("a series is recorded twice")
	}
	data, times := values(0, 4, channels)
	for _, err := range []error{
		ap.Append(ctx, data[1:], times), ap.Append(ctx, data, times[1:]), ap.Append(ctx, data, nil),
		r.Edit(ctx, func(e *write.Editor) error {
			return e.AppendSamples(ctx, "/acquisition/ap", write.Numbers(data, 4, channels), times)
		}),
	} {
		if err == nil {
			t.Error("wrong samples were taken")
		}
	}
	check(t, ap.Append(ctx, data, times))
	check(t, r.Close())
	holds(t, s, 4, channels)
}

// gated is a store that holds the first value of a key back until it is let go.
type gated struct {
	store.Store
	key  string
	gate chan struct{}
}

func (g *gated) Unwrap() store.Store { return g.Store }

func (g *gated) Put(ctx context.Context, key string, data []byte, opt store.PutOptions) (store.Info, error) {
	if key == g.key {
		<-g.gate
	}
	return g.Store.Put(ctx, key, data, opt)
}

// A chunk that becomes full while a commit waits to store its beginning is stored
// behind that.
func TestChunksAreStoredInOrder(t *testing.T) {
	const channels = 2
	synctest.Test(t, func(t *testing.T) {
		s := &gated{Store: mem.New(), key: "acquisition/ap/data/c/0/0", gate: make(chan struct{})}
		create(t, s, hdmf.V3, session(channels, 0, []int{16, channels}, []int{1000}))
		o := on(s)
		o.Workers = 2
		r, err := record.Open(ctx, "test://", o)
		check(t, err)
		ap, err := record.Samples[int16](ctx, r, "/acquisition/ap")
		check(t, err)
		add := func(n int) {
			data, times := values(ap.Len(), n, channels)
			check(t, ap.Append(ctx, data, times))
		}
		add(20) // the first chunk waits at the gate, the second is begun
		done := make(chan error)
		go func() { done <- r.Commit(ctx) }()
		synctest.Wait() // for the first chunk
		add(17)         // the second is full
		synctest.Wait()
		close(s.gate)
		check(t, <-done)
		holds(t, s, 20, channels)
		check(t, r.Close())
		holds(t, s, 37, channels)
	})
}
