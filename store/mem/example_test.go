package mem_test

import (
	"context"
	"fmt"

	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

func Example() {
	ctx := context.Background()
	s := mem.New()
	s.Put(ctx, "volume/c/0", []byte("chunk"), store.PutOptions{})

	b, info, err := s.Get(ctx, "volume/c/0", store.Part(1, 3), nil)
	fmt.Printf("%s of %d bytes, %v\n", b, info.Size, err)
	_, _, err = s.Get(ctx, "volume/c/1", store.All(), nil)
	fmt.Println(err)
	// Output:
	// hun of 5 bytes, <nil>
	// get "volume/c/1" in mem:: file does not exist
}
