package request_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/job/request"
	"github.com/omnizarr/zarr/job/spread"
)

// A copy as a job: this process does it here, and others could do items of it.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	a, err := zarr.CreateArray(ctx, filepath.Join(dir, "a.zarr"), zarr.ArraySpec{Shape: []int{8, 8}, Chunks: []int{8, 2}, DataType: "uint8"})
	if err == nil {
		err = zarr.Write(ctx, a, zarr.All(), make([]uint8, 64))
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	defer a.Close()
	spec, err := request.Copy{From: filepath.Join(dir, "a.zarr"), To: filepath.Join(dir, "b.zarr"), Chunks: []int{2, 8}}.Spec()
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := spread.Pool{}.Run(ctx, spec)
	if err != nil {
		fmt.Println(err)
		return
	}
	var sum copying.Summary
	fmt.Println(json.Unmarshal(text, &sum), sum.Arrays)
	// Output: <nil> 1
}
