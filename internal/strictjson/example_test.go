package strictjson_test

import (
	"fmt"

	"github.com/omnizarr/zarr/internal/strictjson"
)

func ExampleObject() {
	doc := []byte(`{"shape": [10, 2.5], "attributes": {"scale": NaN}}`)
	members, err := strictjson.Object(doc, strictjson.Options{NaNIn: []string{"attributes"}})
	if err != nil {
		fmt.Println(err)
	}
	for _, m := range members {
		fmt.Printf("%s = %s\n", m.Name, m.Raw)
	}
	_, err = strictjson.Lengths(members[0].Raw, 0, 32)
	fmt.Println(strictjson.At("shape", err))
	// Output:
	// shape = [10, 2.5]
	// attributes = {"scale": NaN}
	// shape[1]: must be an integer, not 2.5
}
