package held_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/held"
	"github.com/omnizarr/zarr/store/mem"
)

func Example() {
	ctx := context.Background()
	base := mem.New()
	isDocument := func(key string) bool { return strings.HasSuffix(key, "zarr.json") }
	s := held.New(base, isDocument, []string{"zarr.json"})
	for _, key := range []string{"a/zarr.json", "a/c/0", "zarr.json"} {
		if _, err := s.Put(ctx, key, []byte("{}"), store.PutOptions{}); err != nil {
			panic(err)
		}
	}
	count := func(s store.Store) (n int) {
		for range s.List(ctx, "", "") {
			n++
		}
		return n
	}
	fmt.Println(count(s), count(base))
	fmt.Println(s.Changes(), s.Flush(ctx, s.Changes()), count(base))
	// Output:
	// 3 1
	// [a/zarr.json zarr.json] <nil> 3
}
