package record_test

import (
	"slices"
	"testing"

	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/hdmf/record"
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
