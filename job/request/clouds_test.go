package request_test

import (
	"errors"
	"maps"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/cloudtest"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/job/jobtest"
	"github.com/omnizarr/zarr/job/request"

	_ "github.com/omnizarr/zarr/store/azblob"
	_ "github.com/omnizarr/zarr/store/gcs"
	_ "github.com/omnizarr/zarr/store/s3"
)

// below gives all that a bucket holds below a folder.
func below(t *testing.T, c cloudtest.Cloud, folder string) map[string]string {
	t.Helper()
	where, err := zarr.Find(t.Context(), c.URL)
	if errors.Is(err, zarr.ErrNoNode) {
		where, err = zarr.Make(t.Context(), c.URL, false)
	}
	jobtest.Check(t, err)
	defer where.Close()
	out := map[string]string{}
	for key, value := range jobtest.All(t, where.Store) {
		if rest, ok := strings.CutPrefix(key, folder+"/"); ok {
			out[rest] = value
		}
	}
	return out
}

// In buckets, which rename nothing, parts at once and again make what one process makes.
func TestPartsInBuckets(t *testing.T) {
	for name, start := range map[string]func(testing.TB) cloudtest.Cloud{"s3": cloudtest.S3, "gs": cloudtest.GCS, "azblob": cloudtest.Azure} {
		t.Run(name, func(t *testing.T) {
			cloud := start(t)
			src := filepath.Join(t.TempDir(), "image.zarr")
			image(t, src)
			c := request.Copy{From: src, Chunks: []int{16, 16}, Shards: []int{32, 32}, Open: request.Open{Flags: map[string]string{"pyramid": "true", "levels": "3"}}}
			c.To = cloud.At("one.zarr")
			_, err := copied(t, c, func(*copying.Options) {})
			jobtest.Check(t, err)
			const parts = 3
			c.To = cloud.At("parts.zarr")
			_, err = copied(t, c, func(o *copying.Options) { o.Spread = copying.Share(2, parts) })
			jobtest.Check(t, err)
			unfinished(t, c.To)
			var wg sync.WaitGroup
			for i := range 2 * parts {
				wg.Go(func() {
					if _, err := copied(t, c, func(o *copying.Options) { o.Spread = copying.Share(i%parts+1, parts) }); err != nil {
						t.Errorf("part %d: %v", i%parts+1, err)
					}
				})
			}
			wg.Wait()
			want, got := below(t, cloud, "one.zarr"), below(t, cloud, "parts.zarr")
			if len(want) == 0 || !maps.Equal(got, want) {
				jobtest.Same(t, got, want)
				t.Errorf("%d values, want %d", len(got), len(want))
			}
		})
	}
}
