package refs_test

import (
	"bytes"
	"context"
	"fmt"

	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
	"github.com/omnizarr/zarr/store/refs"
)

// A manifest that refers to the middle of a file, and a store that reads it.
func Example() {
	ctx := context.Background()
	files := mem.New()
	if _, err := files.Put(ctx, "scan.raw", []byte("header, then pixels"), store.PutOptions{}); err != nil {
		panic(err)
	}

	var text bytes.Buffer
	w := refs.NewWriter(&text)
	if err := w.Add("c/0", refs.Reference{URL: "scan.raw", Offset: 13, Length: 6}); err != nil {
		panic(err)
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	fmt.Print(text.String())

	s := refs.New(refs.Config{
		Inner: mem.New(),
		Load:  func(context.Context) (*refs.Manifest, error) { return refs.Parse(text.Bytes()) },
		Files: folder{files},
	})
	chunk, _, err := s.Get(ctx, "c/0", store.All(), nil)
	fmt.Println(string(chunk), err)
	// Output:
	// {"version":1,"refs":{
	// "c/0":["scan.raw",13,6]
	// }}
	// pixels <nil>
}
