package azblob_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/azblob"
)

func Example() {
	// A server that has one value; without endpoint it would be that of the account at Azure.
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/me/public/data.zarr/c/0" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("ETag", `"0x8D"`)
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader("a chunk"))
	}))
	defer server.Close()

	ctx := context.Background()
	s, err := azblob.Open(ctx, "azblob://public/data.zarr?account=me&anonymous=true&endpoint="+server.URL, azblob.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	b, info, err := s.Get(ctx, "c/0", store.Suffix(5), nil)
	fmt.Printf("%s, of %d bytes, tag %s, %v\n", b, info.Size, info.ETag, err)
	// Output: chunk, of 7 bytes, tag "0x8D", <nil>
}
