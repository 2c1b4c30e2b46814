package remote_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/omnizarr/zarr/internal/remote"
	"github.com/omnizarr/zarr/store"
)

func Example() {
	busy := true
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if busy {
			busy = false
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader("0123456789"))
	}))
	defer server.Close()

	c := remote.New(remote.Options{Wait: time.Millisecond})
	get := func(ctx context.Context, ranges string) (*http.Request, error) {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL, nil)
		if err == nil && ranges != "" {
			r.Header.Set("Range", ranges)
		}
		return r, err
	}
	b, info, err := c.Get(context.Background(), get, store.Suffix(3), nil)
	fmt.Printf("%s of %d bytes, %v\n", b, info.Size, err)
	n := c.Counts()
	fmt.Println(n.Requests, "requests,", n.Retries, "of them again")
	// Output:
	// 789 of 10 bytes, <nil>
	// 2 requests, 1 of them again
}
