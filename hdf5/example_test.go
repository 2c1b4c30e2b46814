package hdf5_test

import (
	"bytes"
	"fmt"
	"log"
	"testing"

	"github.com/omnizarr/zarr/hdf5"
)

func Example() {
	data := sample() // what some program wrote
	f, err := hdf5.Open(bytes.NewReader(data), int64(len(data)), hdf5.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()

	// Links of a group are told without opening what they lead to.
	a, err := f.Lookup("/a")
	if err != nil {
		log.Fatal(err)
	}
	links, err := a.Links()
	if err != nil {
		log.Fatal(err)
	}
	var names []string
	for _, l := range links {
		names = append(names, l.Name)
	}
	fmt.Println(names)

	o, err := f.Lookup("/gz")
	if err != nil {
		log.Fatal(err)
	}
	d, err := o.Dataset()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(d.Space.Shape, d.Layout.Chunk, d.Filters[0].Name, d.Filters[1].Name)

	// Where a chunk lies, for who decodes it himself.
	c, stored, err := d.Chunk([]uint64{1, 2})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(stored, c.Size)

	// Or a box of elements, as they are stored.
	raw := make([]byte, 2*3*d.Type.Size)
	if err := d.Read(raw, []uint64{6, 3}, []uint64{2, 3}); err != nil {
		log.Fatal(err)
	}
	first, err := f.Decode(d.Type, raw)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(first)

	attributes, err := f.Root().Attributes()
	if err != nil {
		log.Fatal(err)
	}
	for _, x := range attributes {
		v, err := x.Value()
		fmt.Println(x.Name, v, err)
	}
	// Output:
	// [b fixed scalar text texts up]
	// [20 13] [7 4] shuffle deflate
	// true 42
	// 140
	// numbers [0 2 4 6 8] <nil>
	// title base v110 <nil>
}

// sample is a file of h5py.
func sample() []byte {
	var t testing.T
	return archive(&t, "files.tar.zst")["base-v110.h5"]
}
