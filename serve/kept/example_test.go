package kept_test

import (
	"context"
	"fmt"

	"github.com/omnizarr/zarr/serve/kept"
)

// A value is made once, and then kept.
func Example() {
	c, err := kept.New(1<<20, "", 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	for range 2 {
		data, err := c.Get(context.Background(), "tile 0 0", func(context.Context) ([]byte, error) {
			fmt.Println("made")
			return []byte("pixels"), nil
		})
		fmt.Printf("%s %v\n", data, err)
	}
	// Output:
	// made
	// pixels <nil>
	// pixels <nil>
}
