package faulty_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/omnizarr/zarr/internal/faulty"
)

func Example() {
	server := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "a chunk") })
	proxy := faulty.New(server, faulty.Plan{Fault: faulty.First(faulty.Busy)})
	for range 2 {
		w := httptest.NewRecorder()
		proxy.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/c/0", nil))
		fmt.Printf("%d %q\n", w.Code, w.Body)
	}
	fmt.Println(proxy.Requests(), "requests,", proxy.Count(faulty.Busy), "of them refused")
	// Output:
	// 503 ""
	// 200 "a chunk"
	// 2 requests, 1 of them refused
}
