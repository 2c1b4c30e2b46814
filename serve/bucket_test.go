package serve_test

import (
	"context"
	"encoding/json"
	"net/http"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/cloudtest"
	"github.com/omnizarr/zarr/internal/faulty"
	"github.com/omnizarr/zarr/locate"
	"github.com/omnizarr/zarr/serve"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/s3"
)

// TestTroubleOfABucketIsRetriedInside: clients that give up at the first 503 see none, though
// each request that the server makes to a bucket fails at first.
func TestTroubleOfABucketIsRetriedInside(t *testing.T) {
	var proxy *faulty.Proxy
	bucket := cloudtest.InMemory(t, &cloudtest.Memory{}, func(h http.Handler) http.Handler {
		proxy = faulty.New(h, faulty.Plan{})
		return proxy
	})
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	open := []zarr.Option{zarr.Locate(locate.Options{Schemes: locate.Schemes{
		"s3": func(ctx context.Context, url string, opt locate.Options) (locate.Location, error) {
			return locate.Remote(ctx, url, opt, func(ctx context.Context, base string) (store.Store, error) {
				return s3.Open(ctx, base, s3.Options{Remote: opt.Remote, Wait: 1, MaxWait: 1, Transport: transport})
			})
		},
	}})}
	url := bucket.At("a.zarr")
	a, err := zarr.CreateArray(t.Context(), url, zarr.ArraySpec{Shape: []int{4}, Chunks: []int{2}, DataType: "uint8", Codecs: json.RawMessage(`["bytes"]`)}, open...)
	if err == nil {
		err = zarr.Write(t.Context(), a, zarr.All(), []uint8("abcd"))
	}
	if err == nil {
		err = a.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	proxy.Plan(faulty.Plan{Fault: faulty.First(faulty.Busy, faulty.Lost, faulty.Cut), RetryAfter: "0"})
	h := started(t, serve.Options{Open: open}, url)
	for range 2 {
		for key, want := range map[string]string{"zarr/a.zarr/c/0": "ab", "zarr/a.zarr/c/1": "cd", "files/a.zarr/c/1": "cd", "zarr2/a.zarr/0": "ab", "zarr/@codecs=none/a.zarr/c/0": "abcd"} {
			if r := ask(t, "GET", h.URL+"/"+key); r.StatusCode != 200 || r.text != want {
				t.Errorf("%s: %d %q", key, r.StatusCode, r.text)
			}
		}
	}
	if r := ask(t, "GET", h.URL+"/zarr/a.zarr/zarr.json"); r.StatusCode != 200 {
		t.Errorf("the document: %d %s", r.StatusCode, r.text)
	}
	if proxy.Count(faulty.Busy) == 0 || proxy.Count(faulty.Lost) == 0 {
		t.Error("nothing went wrong")
	}
}
