package api_test

import (
	"context"
	"fmt"
	"net/http/httptest"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/serve/api"
	"github.com/omnizarr/zarr/serve/source"
	"github.com/omnizarr/zarr/store/mem"
)

func Example() {
	a, err := zarr.CreateArrayIn(context.Background(), mem.New(), "", zarr.ArraySpec{Shape: []int{3, 4}, DataType: "uint8"})
	if err != nil {
		fmt.Println(err)
		return
	}
	set := source.NewSet(source.Options{})
	defer set.Close()
	if _, err := set.AddNode("cells", a); err != nil {
		fmt.Println(err)
		return
	}
	answer := httptest.NewRecorder()
	api.New(set, api.Options{}).ServeHTTP(answer, httptest.NewRequest("GET", "/api/sources", nil))
	fmt.Println(answer.Body)
	// Output: [{"name":"cells","url":"mem:","zarr":"/zarr/cells","zarr2":"/zarr2/cells","files":"/files/cells","format":"zarr3","title":"Zarr v3","picture":true}]
}
