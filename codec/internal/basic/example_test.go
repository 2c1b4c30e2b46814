package basic_test

import (
	"encoding/json"
	"fmt"

	"github.com/omnizarr/zarr/codec/internal/basic"
)

func Example() {
	chain, err := basic.Registry().ParseList(json.RawMessage(`["bytes", "gzip", "crc32c"]`))
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := json.Marshal(chain)
	fmt.Println(string(text), err)
	// Output: [{"name":"bytes"},{"name":"gzip","configuration":{"level":5}},{"name":"crc32c"}] <nil>
}
