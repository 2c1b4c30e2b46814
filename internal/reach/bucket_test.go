package reach_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/internal/reach"
	"github.com/omnizarr/zarr/locate"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
	"github.com/omnizarr/zarr/store/refs"
)

// bucket is a store that goes by another URL, and says nothing of it in its identity.
type bucket struct {
	store.Store
	url string
}

func (b bucket) URL() string { return b.url }

func (b bucket) Identity(key string) string { return store.JoinURL("https://account.example/c", key) }

// Nodes in a bucket reach what lies beside them there, on the same server, and what lies
// in other buckets if that is allowed.
func TestBuckets(t *testing.T) {
	content := mem.New()
	for _, key := range []string{"lab/a.zarr/zarr.json", "lab/b.zarr/zarr.json", "lab/data", "other/data"} {
		if _, err := content.Put(ctx, key, []byte("{}"), store.PutOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	var opened []string
	schemes := locate.Schemes{"bucket": func(ctx context.Context, url string, opt locate.Options) (locate.Location, error) {
		return locate.Remote(ctx, url, opt, func(_ context.Context, base string) (store.Store, error) {
			opened = append(opened, base)
			at, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(base, "bucket://b"), "bucket://c"), "?")
			s, err := store.Sub(content, strings.Trim(at, "/"))
			return bucket{s, base}, err
		})
	}}
	sub, err := store.Sub(content, "lab/a.zarr")
	if err != nil {
		t.Fatal(err)
	}
	opt := reach.Options{Locate: locate.Options{Schemes: schemes}, Allow: []string{"bucket://c/other?endpoint=http%3A%2F%2Ffriend"}}
	r := reach.Around(bucket{sub, "bucket://b/lab/a.zarr?endpoint=http://home"}, opt)
	defer r.Close()
	if place := r.Place(ctx); place != "bucket://b/lab/a.zarr?endpoint=http://home" {
		t.Errorf("it lies at %s", place)
	}
	for _, ref := range []string{"../b.zarr", "bucket://b/lab/b.zarr"} {
		h, _, err := r.Hierarchy(ctx, ref)
		if err != nil {
			t.Fatalf("%s: %v", ref, err)
		}
		if _, _, err := h.Store.Get(ctx, "zarr.json", store.All(), nil); err != nil {
			t.Errorf("%s: %v", ref, err)
		}
	}
	for _, ref := range []string{"bucket://c/lab/b.zarr", "bucket://b/lab/b.zarr?endpoint=http://stranger"} {
		if _, _, err := r.Hierarchy(ctx, ref); !errors.Is(err, reach.ErrNotAllowed) {
			t.Errorf("%s: %v", ref, err)
		}
	}
	files := reach.Folder(bucket{content, "bucket://b?endpoint=http://home"}, "lab", opt)
	defer files.Close()
	for _, ref := range []string{"data", "bucket://b/lab/data", "bucket://c/other/data?endpoint=http://friend"} {
		obj, err := files.Open(ctx, refs.Reference{URL: ref, Length: -1})
		if err != nil {
			t.Fatalf("%s: %v", ref, err)
		}
		if got, _, err := obj.Get(ctx, store.All(), nil); err != nil || string(got) != "{}" {
			t.Errorf("%s: %q, %v", ref, got, err)
		}
		obj.Close()
	}
	for _, url := range opened {
		if !strings.HasSuffix(url, "?endpoint=http://home") && url != "bucket://c/other?endpoint=http://friend" {
			t.Errorf("opened %s", url)
		}
	}
	if !slices.Contains(opened, "bucket://c/other?endpoint=http://friend") {
		t.Errorf("opened %q", opened)
	}
}
