package gcs_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/gcs"
)

func Example() {
	// A server that has one value; without endpoint it would be Google's.
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/storage/v1/b/public/o/data.zarr/c/0" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("X-Goog-Generation", "1234")
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader("a chunk"))
	}))
	defer server.Close()

	ctx := context.Background()
	s, err := gcs.Open(ctx, "gs://public/data.zarr?anonymous=true&endpoint="+server.URL, gcs.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	b, info, err := s.Get(ctx, "c/0", store.Suffix(5), nil)
	fmt.Printf("%s, of %d bytes, generation %s, %v\n", b, info.Size, info.ETag, err)
	// Output: chunk, of 7 bytes, generation 1234, <nil>
}
