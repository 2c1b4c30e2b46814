package web_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/web"
)

func Example() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/data.zarr/c/0" {
			http.NotFound(w, r)
			return
		}
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader("a chunk"))
	}))
	defer server.Close()

	ctx := context.Background()
	s, err := web.Open(server.URL+"/data.zarr", web.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	b, info, err := s.Get(ctx, "c/0", store.Suffix(5), nil)
	fmt.Printf("%s, of %d bytes, %v\n", b, info.Size, err)
	_, _, err = s.Get(ctx, "c/1", store.All(), nil)
	fmt.Println(errors.Is(err, store.ErrNotExist))
	// Output:
	// chunk, of 7 bytes, <nil>
	// true
}
