package zip_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/zip"
)

func Example() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "data.zarr.zip")

	ctx := context.Background()
	w, err := zip.Create(path, zip.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	w.Put(ctx, "volume/c/0", []byte("a chunk"), store.PutOptions{})
	fmt.Println("close:", w.Close())

	r, err := zip.OpenFile(ctx, path)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	for e := range r.List(ctx, "", "") {
		b, _, err := r.Get(ctx, e.Key, store.Suffix(5), nil)
		fmt.Printf("%s, %d bytes, ends in %q, %v\n", e.Key, e.Size, b, err)
	}
	// Output:
	// close: <nil>
	// volume/c/0, 7 bytes, ends in "chunk", <nil>
}
