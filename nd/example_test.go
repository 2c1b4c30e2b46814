package nd_test

import (
	"fmt"

	"github.com/omnizarr/zarr/nd"
)

func ExampleCopy() {
	src := nd.Of([]byte{1, 2, 3, 4, 5, 6}, 1, 2, 3)
	dst := nd.Make(1, 3, 2)
	nd.Copy(dst, src.Permute([]int{1, 0}))
	fmt.Println(dst.Data)
	// Output: [1 4 2 5 3 6]
}

func ExampleView_Box() {
	v := nd.Of([]byte{1, 2, 3, 4, 5, 6}, 1, 2, 3)
	nd.Fill(v.Box(nd.Box{Start: []int{0, 1}, Shape: []int{2, 2}}), []byte{9})
	fmt.Println(v.Data)
	// Output: [1 9 9 4 9 9]
}

func ExampleCopyIndexed() {
	src := nd.Of([]byte{10, 11, 12, 13, 14}, 1, 5)
	dst := nd.Make(1, 3)
	nd.CopyIndexed(dst, []nd.Index{{N: 3, Step: 1}}, src, []nd.Index{{N: 3, Start: 4, Step: -2}})
	fmt.Println(dst.Data)
	nd.CopyIndexed(dst, []nd.Index{{N: 3, Step: 1}}, src, []nd.Index{{N: 3, List: []int{1, 1, 3}}})
	fmt.Println(dst.Data)
	// Output:
	// [14 12 10]
	// [11 11 13]
}

func ExampleHeap() {
	v := nd.Make(nd.RefSize, 2)
	v.Heap = &nd.Heap{}
	blob := v.Heap.Add([]byte("hello world"))
	nd.PutRef(v.At(0), blob, 0, 5)
	nd.PutRef(v.At(1), blob, 6, 5)
	for i := range 2 {
		fmt.Println(string(v.Heap.Blobs().Value(v.At(i))))
	}
	// Output:
	// hello
	// world
}

// A big-endian chunk whose first axis runs fastest becomes a C-ordered array in
// one pass.
func ExampleCopySwapped() {
	stored := nd.Of([]byte{0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6}, 2, 3, 2)
	v := nd.Make(2, 2, 3)
	nd.CopySwapped(v, stored.Permute([]int{1, 0}), 2)
	fmt.Println(v.Data)
	// Output: [1 0 3 0 5 0 2 0 4 0 6 0]
}
