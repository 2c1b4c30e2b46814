package conformance

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/far"
	"github.com/omnizarr/zarr/job/check"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/stats"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

// What goes over a whole array far away has as many requests under way as the store
// likes: 1,024 chunks, 64 at once, are 16 waits, besides those for documents.
func TestJobsKeepRequestsUnderWay(t *testing.T) {
	content := mem.New()
	a, err := zarr.CreateArrayIn(context.Background(), content, "a.zarr", zarr.ArraySpec{Shape: []int{1024, 64}, Chunks: []int{1, 64}, DataType: "uint16",
		Codecs: []byte(`[{"name":"bytes","configuration":{"endian":"little"}}]`)})
	if err == nil {
		data := make([]uint16, 1024*64)
		for i := range data {
			data[i] = uint16(i | 1)
		}
		err = zarr.Write(context.Background(), a, zarr.All(), data)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		from store.Store // what is read, if not far away
		do   func(ctx context.Context, n zarr.Node, to zarr.Option) error
	}{
		{"verify", nil, func(ctx context.Context, n zarr.Node, _ zarr.Option) error {
			_, err := check.Verify(ctx, n, check.VerifyOptions{})
			return err
		}},
		{"stats", nil, func(ctx context.Context, n zarr.Node, _ zarr.Option) error {
			_, err := stats.Of(ctx, n.(*zarr.Array), stats.Options{})
			return err
		}},
		{"copy from it", nil, func(ctx context.Context, n zarr.Node, _ zarr.Option) error {
			_, err := copying.Copy(ctx, n, "mem:jobs-far", copying.Options{Overwrite: true})
			return err
		}},
		{"copy to it", content, func(ctx context.Context, n zarr.Node, to zarr.Option) error {
			_, err := copying.Copy(ctx, n, "far://b/copy.zarr", copying.Options{Overwrite: true, Open: []zarr.Option{to}})
			return err
		}},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := &far.Store{Store: content, Requests: 64}
			from := c.from
			if from == nil {
				from = s
			}
			n, err := zarr.OpenStore(t.Context(), from, "a.zarr")
			if err != nil {
				t.Fatal(err)
			}
			begin := time.Now()
			if err := c.do(t.Context(), n, opener(s)); err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			log, most := s.Log()
			if most != 64 || time.Since(begin) > 48*far.Wait { // copies make and mark their place first
				t.Errorf("%s: %d requests, %d at once, %d waits", c.name, len(log), most, time.Since(begin)/far.Wait)
			}
		})
	}
}
