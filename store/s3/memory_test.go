package s3

import (
	"net/http"
	"testing"
	"time"

	"github.com/omnizarr/zarr/internal/cloudtest"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/storetest"
)

// small gives an empty store on a server in this process, which wrap may put something
// before.
func small(t *testing.T, m *cloudtest.Memory, opt Options, wrap func(http.Handler) http.Handler) *Store {
	t.Helper()
	if opt.Wait == 0 {
		opt.Wait, opt.MaxWait = time.Millisecond, time.Millisecond
	}
	transport := &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true}
	t.Cleanup(transport.CloseIdleConnections)
	opt.Transport = transport
	s, err := Open(ctx, cloudtest.InMemory(t, m, wrap).At("some/prefix"), opt)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store { return small(t, &cloudtest.Memory{Page: 3}, Options{}, nil) })
}
