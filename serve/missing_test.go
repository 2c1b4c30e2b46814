package serve_test

import (
	"bytes"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/far"
	"github.com/omnizarr/zarr/serve"
	"github.com/omnizarr/zarr/store/mem"
)

// That a chunk is not stored, as most are not in some arrays, is found out without a listing of
// those that are.
func TestMissingChunksListNothing(t *testing.T) {
	inner := mem.New()
	a, err := zarr.CreateArrayIn(t.Context(), inner, "", zarr.ArraySpec{Shape: []int{64, 64}, Chunks: []int{1, 1}, DataType: "uint8"})
	if err == nil {
		err = zarr.Write(t.Context(), a, zarr.Box([]int{0, 0}, []int{32, 64}), bytes.Repeat([]byte{1}, 32*64))
	}
	if err != nil {
		t.Fatal(err)
	}
	from := &far.Store{Store: inner, Requests: 8}
	synctest.Test(t, func(t *testing.T) { // each request takes a while
		n, err := zarr.OpenStore(t.Context(), from, "")
		if err != nil {
			t.Fatal(err)
		}
		s, err := serve.New(serve.Options{})
		if err == nil {
			err = s.AddNode("a", n)
		}
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		status := func(at string) int {
			w := httptest.NewRecorder()
			s.ServeHTTP(w, httptest.NewRequest("GET", "http://localhost"+at, nil))
			return w.Code
		}
		for _, at := range []string{"/zarr/a/c/60/60", "/zarr2/a/60/60"} {
			if code := status(at); code != 404 {
				t.Errorf("%s: %d", at, code)
			}
			if log, _ := from.Log(); slices.ContainsFunc(log, func(s string) bool { return strings.HasPrefix(s, "list") }) {
				t.Errorf("%s: asked for %q", at, log)
			}
		}
		if code := status("/zarr/a/c/7"); code != 307 {
			t.Errorf("a folder of chunks: %d", code)
		}
	})
}
