package repair_test

import (
	"context"
	"fmt"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/job/repair"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

// A chunk that something has left outside of the array's shape.
func Example() {
	ctx, s := context.Background(), mem.New()
	_, err := zarr.CreateArrayIn(ctx, s, "", zarr.ArraySpec{Shape: []int{4}, Chunks: []int{2}, DataType: "uint8"})
	if err == nil {
		_, err = s.Put(ctx, "c/7", []byte{1, 2}, store.PutOptions{})
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	plan, err := repair.Make(ctx, s, "", repair.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, a := range plan.Actions {
		fmt.Printf("%s %s %s: %s\n", a.Action, a.Path, a.Key, a.Reason)
	}
	done, err := plan.Do(ctx)
	fmt.Println(len(done), err)
	// Output:
	// remove / c/7: a chunk outside of the array's shape, which nothing reads
	// 1 <nil>
}
