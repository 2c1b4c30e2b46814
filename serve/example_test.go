package serve_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/serve"
)

// A node of any format is served by a line.
func ExampleHandler() {
	ctx := context.Background()
	node, err := zarr.CreateArray(ctx, "mem:hello", zarr.ArraySpec{Shape: []int{4}, DataType: "uint8", Codecs: json.RawMessage(`["bytes"]`)})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer node.Close()
	if err := zarr.Write(ctx, node, zarr.All(), []uint8("zarr")); err != nil {
		fmt.Println(err)
		return
	}

	server := httptest.NewServer(serve.Handler(node)) // or http.ListenAndServe(addr, serve.Handler(node))
	defer server.Close()

	r, err := http.Get(server.URL + "/zarr/hello/c/0")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	fmt.Println(r.StatusCode, string(text), err)
	// Output: 200 zarr <nil>
}
