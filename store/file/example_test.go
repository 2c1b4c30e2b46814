package file_test

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/file"
)

func Example() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	s, err := file.Create(dir+"/data.zarr", file.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()

	ctx := context.Background()
	s.Put(ctx, "volume/c/0/0", []byte("a chunk"), store.PutOptions{})
	b, info, err := s.Get(ctx, "volume/c/0/0", store.Suffix(5), nil)
	fmt.Printf("%s, of %d bytes, %v\n", b, info.Size, err)

	_, _, err = s.Get(ctx, "volume/c/0/1", store.All(), nil)
	fmt.Println(errors.Is(err, store.ErrNotExist))
	// Output:
	// chunk, of 7 bytes, <nil>
	// true
}
