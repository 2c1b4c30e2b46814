package zarr_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/store"
)

// A hierarchy may refer to those in the folder around it, and to no others unless
// somebody allows it; what is not allowed is not asked for.
func TestHierarchiesBeside(t *testing.T) {
	asked := 0
	web := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	defer web.Close()
	dir := t.TempDir()
	for _, name := range []string{"lab/a.zarr", "lab/b.zarr", "other/c.zarr"} {
		check(t, must[*zarr.Group](t)(zarr.CreateGroup(ctx, filepath.Join(dir, name))).Close())
	}
	check(t, os.Symlink(filepath.Join(dir, "other", "c.zarr"), filepath.Join(dir, "lab", "out.zarr")))
	check(t, os.Symlink("b.zarr", filepath.Join(dir, "lab", "in.zarr")))
	a := must[*zarr.Group](t)(zarr.OpenGroup(ctx, filepath.Join(dir, "lab", "a.zarr")))
	defer a.Close()
	b, where, err := zarr.OpenReferred(ctx, a, "../b.zarr")
	check(t, err)
	if place := zarr.Place(ctx, b); place != where || filepath.Base(where) != "b.zarr" {
		t.Errorf("opened %s, which says it is %s", where, place)
	}
	_, self, err := zarr.OpenReferred(ctx, a, ".")
	check(t, err)
	if self != zarr.Place(ctx, a) {
		t.Errorf("itself is %s, and elsewhere %s", self, zarr.Place(ctx, a))
	}
	for _, ref := range []string{"../../other/c.zarr", filepath.Join(dir, "other/c.zarr"), "/etc", web.URL + "/x.zarr", "../../../../../../../.."} {
		if _, _, err := zarr.OpenReferred(ctx, a, ref); !errors.Is(err, zarr.ErrNotAllowed) {
			t.Errorf("%s: %v", ref, err)
		}
	}
	if _, _, err := zarr.OpenReferred(ctx, a, "../out.zarr"); err == nil {
		t.Error("a symbolic link led out of the folder")
	}
	if _, _, err := zarr.OpenReferred(ctx, a, "../none.zarr"); !errors.Is(err, store.ErrNotExist) {
		t.Errorf("%v", err)
	}
	if _, _, err := zarr.OpenReferred(ctx, a, "a\x00b"); err == nil {
		t.Error("a name with NUL")
	}
	if asked > 0 {
		t.Errorf("%d requests that nobody allowed", asked)
	}
	free := must[*zarr.Group](t)(zarr.OpenGroup(ctx, filepath.Join(dir, "lab", "a.zarr"), zarr.Allow(filepath.Join(dir, "other"))))
	defer free.Close()
	c, _, err := zarr.OpenReferred(ctx, free, "../../other/c.zarr")
	check(t, err)
	if _, _, err := zarr.OpenReferred(ctx, c, "."); err != nil {
		t.Error(err)
	}
	// What was allowed alone does not allow its neighbours.
	check(t, must[*zarr.Group](t)(zarr.CreateGroup(ctx, filepath.Join(dir, "other", "d.zarr"))).Close())
	narrow := must[*zarr.Group](t)(zarr.OpenGroup(ctx, filepath.Join(dir, "lab", "a.zarr"), zarr.Allow(filepath.Join(dir, "other", "c.zarr"))))
	defer narrow.Close()
	only, _, err := zarr.OpenReferred(ctx, narrow, "../../other/c.zarr")
	check(t, err)
	defer only.Close()
	if _, _, err := zarr.OpenReferred(ctx, only, "../d.zarr"); !errors.Is(err, zarr.ErrNotAllowed) {
		t.Errorf("a neighbour of what was allowed: %v", err)
	}
	if _, _, err := zarr.OpenReferred(ctx, only, "../../lab/b.zarr"); err != nil {
		t.Errorf("back to where it all began: %v", err)
	}
	inMemory := must[*zarr.Group](t)(zarr.CreateGroup(ctx, "mem:"))
	if _, _, err := zarr.OpenReferred(ctx, inMemory, filepath.Join(dir, "lab", "b.zarr")); !errors.Is(err, zarr.ErrNotAllowed) {
		t.Errorf("%v", err)
	}
	if zarr.Place(ctx, inMemory) != "" {
		t.Error("memory lies somewhere")
	}
}

// A server that sends elsewhere leads nowhere that was not allowed.
func TestRedirectsStayBelowTheRoot(t *testing.T) {
	asked := 0
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		w.Write([]byte(`{"zarr_format":3,"node_type":"group"}`))
	}))
	defer other.Close()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/lab/a.zarr/zarr.json" {
			w.Write([]byte(`{"zarr_format":3,"node_type":"group"}`))
			return
		}
		http.Redirect(w, r, other.URL+r.URL.Path, http.StatusFound)
	}))
	defer web.Close()
	for _, allow := range []bool{false, true} {
		var opts []zarr.Option
		if allow {
			opts = append(opts, zarr.Allow(other.URL))
		}
		a := must[*zarr.Group](t)(zarr.OpenGroup(ctx, web.URL+"/lab/a.zarr", opts...))
		asked = 0
		_, _, err := zarr.OpenReferred(ctx, a, "../b.zarr")
		if allow != (err == nil) || allow != (asked > 0) {
			t.Errorf("allowed %v: %d requests, %v", allow, asked, err)
		}
		check(t, a.Close())
	}
}
