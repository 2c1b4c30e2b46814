package locate

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

// bases opens URLs of a scheme as stores that are empty, and notes where they start.
func bases(list *[]string) Opener {
	return func(ctx context.Context, url string, opt Options) (Location, error) {
		return Remote(ctx, url, opt, func(_ context.Context, base string) (store.Store, error) {
			*list = append(*list, base)
			return mem.New(), nil
		})
	}
}

func TestRegisteredSchemes(t *testing.T) {
	var opened []string
	Register("bucket", bases(&opened))
	t.Cleanup(func() { delete(registered.schemes, "bucket") })
	for _, c := range []struct {
		url, base string
		want      Location
		opt       Options
	}{
		{url: "bucket://b/a%20b/c?endpoint=http://h:1&region=r", base: "bucket://b/a%20b/c?endpoint=http://h:1&region=r"},
		{url: "bucket://b", base: "bucket://b"},
		{url: "bucket://b/x/i.tif/0?q=1", base: "bucket://b/x?q=1", opt: Options{AllowFile: true}, want: Location{Path: "i.tif", File: true, Inner: "0"}},
		{url: "bucket://b/i.tif", base: "bucket://b/", opt: Options{AllowFile: true}, want: Location{Path: "i.tif", File: true}},
		{url: "bucket://b/x/i.tif", base: "bucket://b/x/i.tif", opt: Options{AllowFile: true, Create: true}},
		{url: "bucket://b/x.n5/a/b?q=1", base: "bucket://b/x.n5?q=1", want: Location{Path: "a/b"}},
		{url: "bucket://b/x.n5/a|n5:c", base: "bucket://b/x.n5", want: Location{Path: "a/c", Format: "n5"}},
		{url: "bucket://b/x?q=1|tiff:1", base: "bucket://b/?q=1", opt: Options{AllowFile: true}, want: Location{Path: "x", File: true, Inner: "1", Format: "tiff"}},
	} {
		opened = nil
		l, err := Open(ctx, c.url, c.opt)
		if err != nil || len(opened) != 1 || opened[0] != c.base || l.Path != c.want.Path || l.File != c.want.File || l.Inner != c.want.Inner || l.Format != c.want.Format {
			t.Errorf("%s: opened %q, %+v, %v", c.url, opened, l, err)
		}
	}
	if _, err := Open(ctx, "bucket://b/x.zip", Options{Create: true}); err == nil {
		t.Error("an archive was made in a bucket")
	}
	defer func() {
		if recover() == nil {
			t.Error("a scheme was registered twice")
		}
	}()
	Register("bucket", bases(&opened))
}

func TestRemoteOptionsReachWebServers(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Write([]byte("value")) }))
	defer server.Close()
	l, err := Open(ctx, server.URL, Options{Remote: store.Remote{Requests: 7, Budget: store.NewBudget(1)}})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if p, ok := l.Store.(store.Parallel); !ok || p.Concurrency() != 7 {
		t.Error("not as many requests as were asked for")
	}
	if _, _, err := l.Store.Get(ctx, "a", store.All(), nil); err != nil {
		t.Error(err)
	}
	if _, _, err := l.Store.Get(ctx, "a", store.All(), nil); !errors.Is(err, store.ErrBudget) {
		t.Errorf("beyond the budget: %v", err)
	}
}
