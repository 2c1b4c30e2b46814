package reach_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/internal/reach"
	"github.com/omnizarr/zarr/locate"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/file"
	"github.com/omnizarr/zarr/store/mem"
	"github.com/omnizarr/zarr/store/refs"
)

var ctx = context.Background()

// folders makes lab/a.zarr/g with documents, lab/b.zarr, and other/c.zarr, each with
// a file "data".
func folders(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"lab/a.zarr/zarr.json", "lab/a.zarr/g/zarr.json", "lab/data", "lab/b.zarr/data", "other/c.zarr/data", "other/data"} {
		at := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte("{}"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func opened(t *testing.T, path string) store.Store {
	t.Helper()
	s, err := file.Open(path, file.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestHierarchiesWithinReach(t *testing.T) {
	dir := folders(t)
	g := opened(t, filepath.Join(dir, "lab", "a.zarr", "g"))
	for allow, want := range map[string]map[string]bool{
		"":                          {"../../b.zarr": true, "..": true, ".": true, "../../../other/c.zarr": false, "http://host/x.zarr": false, "../../..": false},
		filepath.Join(dir, "other"): {"../../b.zarr": true, "../../../other/c.zarr": true, "../../..": false},
	} {
		opt := reach.Options{}
		if allow != "" {
			opt.Allow = []string{allow}
		}
		r := reach.Around(g, opt)
		for ref, ok := range want {
			h, where, err := r.Hierarchy(ctx, ref)
			if ok != (err == nil) || !ok && !errors.Is(err, reach.ErrNotAllowed) || where == "" || ok && h.Store == nil {
				t.Errorf("with %q to %s, which is %s: %v", allow, ref, where, err)
			}
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
	if place := reach.Around(mem.New(), reach.Options{}).Place(ctx); place != "" {
		t.Errorf("memory lies at %s", place)
	}
}

// A hierarchy that another refers to reaches no more than that.
func TestReachIsNotHandedOn(t *testing.T) {
	dir := folders(t)
	from := reach.Around(opened(t, filepath.Join(dir, "lab", "a.zarr")), reach.Options{Allow: []string{filepath.Join(dir, "other", "c.zarr")}})
	defer from.Close()
	h, _, err := from.Hierarchy(ctx, "../../other/c.zarr")
	if err != nil {
		t.Fatal(err)
	}
	r := reach.Around(h.Store, reach.Options{})
	defer r.Close()
	h.Bind(r)
	if _, _, err := r.Hierarchy(ctx, "../d.zarr"); !errors.Is(err, reach.ErrNotAllowed) {
		t.Errorf("its own folder: %v", err)
	}
	if _, _, err := r.Hierarchy(ctx, "../../lab/b.zarr"); err != nil {
		t.Errorf("the folder of the one that referred to it: %v", err)
	}
}

func TestFilesOfAFolder(t *testing.T) {
	dir := folders(t)
	files := reach.Folder(opened(t, dir), "lab", reach.Options{})
	defer files.Close()
	for ref, ok := range map[string]bool{"data": true, "b.zarr/data": true, "../other/data": false, "/etc/hosts": false, "b.zarr/../../other/data": false} {
		obj, err := files.Open(ctx, refs.Reference{URL: ref, Length: 1})
		if ok != (err == nil) || !ok && !errors.Is(err, reach.ErrNotAllowed) {
			t.Errorf("%s: %v", ref, err)
		}
		if err == nil {
			if err := obj.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// bucketed is a store that says it is in a bucket.
type bucketed struct {
	store.Store
	url string
}

func (b bucketed) URL() string                { return b.url }
func (b bucketed) Identity(key string) string { return "bk://server/bucket/" + key }

// TestBucket wants references within a bucket to be opened on its own server, and those to
// other servers to need leave.
func TestBucket(t *testing.T) {
	values := mem.New()
	for _, key := range []string{"lab/data", "other/data"} {
		if _, err := values.Put(ctx, key, []byte("{}"), store.PutOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	var asked []string
	opt := reach.Options{Locate: locate.Options{Schemes: locate.Schemes{"bk": func(_ context.Context, rawURL string, _ locate.Options) (locate.Location, error) {
		asked = append(asked, rawURL)
		u, err := url.Parse(rawURL)
		return locate.Location{Store: values, Path: strings.Trim(u.Path, "/")}, err
	}}}}
	files := reach.Folder(bucketed{values, "bk://bucket?endpoint=http://here"}, "lab", opt)
	defer files.Close()
	for ref, ok := range map[string]bool{
		"data": true, "bk://bucket/lab/data": true, "bk://bucket/lab/data?endpoint=http://here": true,
		"../other/data": false, "bk://bucket/other/data": false, "bk://else/lab/data": false, "bk://bucket/lab/data?endpoint=http://there": false,
	} {
		obj, err := files.Open(ctx, refs.Reference{URL: ref, Length: 1})
		if ok != (err == nil) || !ok && !errors.Is(err, reach.ErrNotAllowed) {
			t.Errorf("%s: %v", ref, err)
		}
		if err == nil {
			obj.Close()
		}
	}
	if !slices.Equal(asked, []string{"bk://bucket/lab?endpoint=http://here"}) {
		t.Errorf("opened %q", asked)
	}
}

func Example() {
	r := reach.Around(mem.New(), reach.Options{Allow: []string{"/data"}})
	_, where, err := r.Hierarchy(context.Background(), "/secret/x.zarr")
	fmt.Println(where, errors.Is(err, reach.ErrNotAllowed))
	// Output: /secret/x.zarr true
}
