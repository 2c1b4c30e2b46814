package conformance

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/cloudtest"
	"github.com/omnizarr/zarr/job/repair"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/s3"
)

// TestPartsThatWereLeft ends an upload as if its process had been killed, a while ago and
// by a clock that is ahead: repair removes what is left of the first, and of that alone.
func TestPartsThatWereLeft(t *testing.T) {
	var year atomic.Int64
	var killed atomic.Bool
	m := &cloudtest.Memory{Now: func() time.Time { return time.Date(int(year.Load()), 1, 1, 0, 0, 0, 0, time.UTC) }}
	c := cloudtest.InMemory(t, m, func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if killed.Load() && r.URL.Query().Has("uploadId") { // nothing comes of it any more
				panic(http.ErrAbortHandler)
			}
			h.ServeHTTP(w, r)
		})
	})
	s, err := s3.Open(ctx, c.At("a.zarr"), s3.Options{Remote: store.Remote{Retries: -1}, Part: 100_000})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := zarr.CreateGroupIn(ctx, s, ""); err != nil {
		t.Fatal(err)
	}
	for _, y := range []int64{2020, 2100} {
		year.Store(y)
		killed.Store(true)
		if _, err := s.Put(ctx, "a/c/0", bytes.Repeat([]byte("x"), 250_000), store.PutOptions{}); err == nil {
			t.Fatal("stored")
		}
		killed.Store(false)
	}
	if m.Uploads() != 2 {
		t.Fatalf("%d uploads are left", m.Uploads())
	}
	plan, err := repair.Make(context.Background(), s, "", repair.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(plan.Actions) != 1 || !strings.HasPrefix(plan.Actions[0].Key, "a/c/0?uploadId=") {
		t.Fatalf("%+v", plan.Actions)
	}
	if done, err := plan.Do(ctx); err != nil || len(done) != 1 || m.Uploads() != 1 {
		t.Errorf("%+v, %v, %d uploads are left", done, err, m.Uploads())
	}
}
