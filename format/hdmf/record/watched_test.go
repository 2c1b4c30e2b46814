package record_test

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"testing"

	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/hdmf/record"
	"github.com/omnizarr/zarr/format/hdmf/write"
)

// A server of files shows the recording as it grows; who has opened it keeps what he
// has seen.
func TestWatchedByHTTP(t *testing.T) {
	const channels = 3
	dir := t.TempDir()
	path := filepath.Join(dir, "rig.nwb.zarr")
	check(t, write.Create(ctx, path, session(channels, 2, []int{16, channels}, []int{40}), write.Options{}))
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	defer server.Close()
	r, err := record.Open(ctx, path, record.Options{})
	check(t, err)
	ap, err := record.Samples[int16](ctx, r, "/acquisition/ap")
	check(t, err)
	spikes, err := r.Spikes(ctx, "/units")
	check(t, err)
	var early *hdmf.File
	n := 0
	for _, k := range []int{10, 1, 30, 5, 100} {
		data, times := values(n, k, channels)
		check(t, ap.Append(ctx, data, times))
		check(t, spikes.Append(ctx, n%2, float64(n)))
		n += k
		check(t, r.Commit(ctx))
		f, err := hdmf.Open(ctx, server.URL+"/rig.nwb.zarr")
		check(t, err)
		defer f.Close()
		want, _ := values(0, n, channels)
		if got := all[int16](t, f, "/acquisition/ap/data"); !slices.Equal(got, want) {
			t.Fatalf("%d samples are seen, want %d", len(got)/channels, n)
		}
		if early == nil {
			early = f
		}
	}
	want, _ := values(0, 10, channels)
	if got := all[int16](t, early, "/acquisition/ap/data"); !slices.Equal(got, want) {
		t.Fatalf("who opened the file first sees %d samples, want 10", len(got)/channels)
	}
	check(t, r.Close())
}
