package conditional_test

import (
	"encoding/json"
	"fmt"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/conditional"
	"github.com/omnizarr/zarr/codec/deflate"
)

// A rule from a plan that was made before: chunk 0 is compressed, the others are
// not.
func ExampleParser() {
	r := codec.NewRegistry()
	r.Register(deflate.Parse, "gzip")
	r.Register(conditional.Parser(func(q conditional.Question) (bool, error) {
		return q.Chunk[0] == 0, nil
	}), "conditional")
	c, err := r.Parse(codec.Entry{Name: "conditional", Config: json.RawMessage(`{"codecs": ["gzip"]}`)})
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := c.(codec.BytesToBytes).BindBytes(codec.Spec{}, codec.Exactly(1000))
	if err != nil {
		fmt.Println(err)
		return
	}
	for k := range 2 {
		out, err := f.Encode(&codec.Chunk{Index: []int{k}}, nil, make([]byte, 1000))
		fmt.Println(out[0], len(out) < 1000, err)
	}
	// Output:
	// 1 true <nil>
	// 0 false <nil>
}
