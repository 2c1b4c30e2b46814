package serve_test

import (
	"bytes"
	"net/http/httptest"
	"slices"
	"testing"

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
	h := httptest.NewServer(s)
	defer h.Close()
	for _, at := range []string{"/zarr/a/c/60/60", "/zarr2/a/60/60"} {
		if r := ask(t, "GET", h.URL+at); r.StatusCode != 404 {
			t.Errorf("%s: %d", at, r.StatusCode)
		}
		if log, _ := from.Log(); slices.Contains(log, "list") {
			t.Errorf("%s: asked for %q", at, log)
		}
	}
	if r := ask(t, "GET", h.URL+"/zarr/a/c/7"); r.StatusCode != 307 {
		t.Errorf("a folder of chunks: %d", r.StatusCode)
	}
}
