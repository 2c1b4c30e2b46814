package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/serve"
)

// Reads, writes, appends and requests to a server, all at once and for as long as OMNIZARR_SOAK says,
// such as 30m under GOMEMLIMIT=256MiB, give no error, and memory stays as it was. By default it is
// as short as it can be.
func TestSoak(t *testing.T) {
	rounds := 3
	if thorough.Enabled {
		rounds = 100
	}
	ctx := context.Background()
	soak, enough := context.WithCancel(ctx)
	enough()
	if text := os.Getenv("OMNIZARR_SOAK"); text != "" {
		d, err := time.ParseDuration(text)
		must(t, err)
		soak, enough = context.WithTimeout(ctx, d)
		defer enough()
	}
	dir := filepath.Join(t.TempDir(), "a.zarr")
	a, err := zarr.CreateArray(ctx, dir, zarr.ArraySpec{Shape: []int{256, 256}, Chunks: []int{64, 64}, DataType: "uint16"})
	must(t, err)
	defer a.Close()
	s, err := serve.New(serve.Options{})
	must(t, err)
	defer s.Close()
	_, err = s.Add("a", dir)
	must(t, err)
	server := httptest.NewServer(s)
	defer server.Close()
	client := server.Client()
	one := func(round int) error {
		var all errgroup.Group
		for worker := range 4 {
			at := []int{64 * worker, 64 * (round % 4)}
			all.Go(func() error {
				values := make([]uint16, 64*64)
				for i := range values {
					values[i] = uint16(round*64 + worker)
				}
				if err := zarr.Write(ctx, a, zarr.Box(at, []int{64, 64}), values); err != nil {
					return err
				}
				got, err := zarr.Read[uint16](ctx, a, zarr.Box(at, []int{64, 64}))
				if err == nil && (got.Data[0] != values[0] || got.Data[4095] != values[0]) {
					err = fmt.Errorf("%d, want %d", got.Data[0], values[0])
				}
				return err
			})
			all.Go(func() error {
				r, err := client.Get(fmt.Sprintf("%s/zarr/a/c/%d/%d", server.URL, worker, round%4))
				if err != nil {
					return err
				}
				_, err = io.Copy(io.Discard, r.Body)
				if r.StatusCode != http.StatusOK && r.StatusCode != http.StatusNotFound {
					err = errors.Join(err, errors.New(r.Status))
				}
				return errors.Join(err, r.Body.Close())
			})
		}
		return all.Wait()
	}
	used := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapInuse
	}
	var first uint64
	n := 0
	for ; n < rounds || soak.Err() == nil; n++ {
		must(t, one(n))
		if n == rounds/2 {
			first = used()
		}
	}
	last := used()
	t.Logf("%d rounds, %d KiB in use, then %d KiB", n, first>>10, last>>10)
	if last > first+16<<20 {
		t.Errorf("%d KiB in use after some rounds, %d KiB after %d", first>>10, last>>10, n)
	}
}
