package hdf5_test

import (
	"fmt"
	"log"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format"
	show "github.com/omnizarr/zarr/format/hdf5"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

func Example() {
	files, err := unpack("files.tar.zst")()
	if err != nil {
		log.Fatal(err)
	}
	folder := mem.New()
	folder.Put(ctx, "base.h5", files["base-v110.h5"], store.PutOptions{}) // by h5py

	s, err := show.Open(ctx, folder, "base.h5", format.Env{})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	n, err := zarr.OpenStore(ctx, s, "gz")
	if err != nil {
		log.Fatal(err)
	}
	a := n.(*zarr.Array)
	row, err := zarr.Read[int16](ctx, a, zarr.Slice("6, 3:6"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(a.Shape(), a.ChunkShape(), row.Data)

	// A chunk is a part of the file.
	chunk, _, err := s.Get(ctx, "gz/c/1/2", store.Range{}, nil)
	fmt.Println(len(chunk), err)
	// Output:
	// [20 13] [7 4] [140 143 145]
	// 42 <nil>
}
