package job_test

import (
	"context"
	"fmt"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/job"
	"github.com/omnizarr/zarr/store/mem"
)

// A job of one's own: the chunks of all arrays of a hierarchy, some at once.
func Example() {
	ctx := context.Background()
	root, err := zarr.CreateGroupIn(ctx, mem.New(), "")
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := root.CreateArray(ctx, "a", zarr.ArraySpec{Shape: []int{4, 4}, Chunks: []int{2, 2}, DataType: "uint8"}); err != nil {
		fmt.Println(err)
		return
	}
	workers, memory, err := job.Limits(2, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	_, arrays, err := job.Nodes(ctx, root)
	if err != nil {
		fmt.Println(err)
		return
	}
	var last job.Progress
	track := job.NewTracker(func(p job.Progress) { last = p })
	pool := job.NewPool(ctx, workers, memory)
	for _, path := range job.Paths(arrays) {
		a := arrays[path]
		for c := range a.Grid() {
			bytes := job.Weight(a, c.Box.Shape)
			track.Add(1)
			pool.Run(bytes, func(ctx context.Context) error {
				_, err := zarr.Read[uint8](ctx, a, zarr.Box(c.Box.Start, c.Box.Shape))
				track.Done(path, 1, bytes)
				return err
			})
		}
	}
	err = pool.Wait()
	fmt.Println(last.Path, last.Done, last.Bytes, err)
	// Output: /a 4 16 <nil>
}
