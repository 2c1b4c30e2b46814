package source_test

import (
	"context"
	"fmt"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/serve/source"
)

func Example() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	a, err := zarr.CreateArray(ctx, "mem:example-of-sources/cells", zarr.ArraySpec{Shape: []int{3, 4}, DataType: "uint8"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer a.Close()
	set := source.NewSet(source.Options{})
	defer set.Close()
	s, err := set.Add("", "mem:example-of-sources/cells")
	if err != nil {
		fmt.Println(err)
		return
	}
	n, err := s.Node(ctx, "/")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.Name(), n.(*zarr.Array).Shape())
	// Output: cells [3 4]
}
