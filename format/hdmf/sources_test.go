package hdmf_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/store"
)

// put writes a file of one group in a folder.
func put(t testing.TB, dir, attrs string) {
	t.Helper()
	check(t, os.MkdirAll(dir, 0o755))
	check(t, os.WriteFile(filepath.Join(dir, "zarr.json"), []byte(`{"zarr_format":3,"node_type":"group","attributes":`+attrs+`}`), 0o644))
}

func TestSourcesOutsideTheRootAreRefused(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	check(t, err)
	secret := filepath.Join(top, "secret.zarr")
	put(t, secret, `{"secret":true}`)
	home := filepath.Join(top, "home")
	put(t, filepath.Join(home, "near.zarr"), `{}`)
	check(t, os.Symlink(secret, filepath.Join(home, "door.zarr")))
	check(t, os.Symlink(top, filepath.Join(home, "up")))
	put(t, filepath.Join(home, "f.zarr"), `{}`)
	f := open(t, filepath.Join(home, "f.zarr"))
	for _, source := range []string{
		"../../secret.zarr", "../../../../../../../../etc", secret, "file://" + secret, "/etc", "../../home/../secret.zarr",
		"../door.zarr", "../up/secret.zarr", "door.zarr", "up/secret.zarr", "file:///etc", `..\..\secret.zarr`, "../x::y", "\x00",
	} {
		o, err := f.Resolve(ctx, hdmf.Reference{Source: source, Path: "/"})
		if err == nil {
			t.Errorf("%q was opened: %s", source, o.File().URL())
			continue
		}
		if strings.Contains(source, "secret") && !errors.Is(err, zarr.ErrNotAllowed) && !strings.Contains(source, `\`) && !strings.Contains(source, "up/") {
			t.Errorf("%q: %v", source, err)
		}
	}
	if o, err := f.Resolve(ctx, hdmf.Reference{Source: "../near.zarr", Path: "/"}); err != nil || o.File() == f {
		t.Errorf("%v", err)
	}
	// Leave opens it.
	f = open(t, filepath.Join(home, "f.zarr"), hdmf.Allow(top))
	o, err := f.Resolve(ctx, hdmf.Reference{Source: "../../secret.zarr", Path: "/"})
	check(t, err)
	if _, ok := o.Attribute("secret"); !ok {
		t.Errorf("%s", o.File().URL())
	}
}

func TestNoRequestIsMadeWithoutLeave(t *testing.T) {
	asked := make(chan string, 100)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.Method + " " + r.URL.Path
		http.NotFound(w, r)
	}))
	defer server.Close()
	home := t.TempDir()
	sources := []string{server.URL + "/x.zarr", strings.ToUpper(server.URL[:4]) + server.URL[4:] + "/x.zarr", strings.Replace(server.URL, "http:", "https:", 1), strings.TrimPrefix(server.URL, "http:") + "/x", "s3://bucket/x.zarr", "ftp://host/x", "zip://" + server.URL, server.URL + "/x.zip", "ws" + server.URL[4:]}
	var links, refs []string
	for i, s := range sources {
		quoted, err := json.Marshal(s)
		check(t, err)
		links = append(links, fmt.Sprintf(`{"name":"l%d","source":%s,"path":"/x"}`, i, quoted))
		refs = append(refs, fmt.Sprintf(`{"_REFERENCE":{"source":%s,"path":"/x"}}`, quoted))
	}
	put(t, filepath.Join(home, "f.zarr"), `{"_LINKS":[`+strings.Join(links, ",")+`],"refs":[`+strings.Join(refs, ",")+`]}`)
	f := open(t, filepath.Join(home, "f.zarr"))
	n := 0
	for m, err := range f.Root().Walk(ctx) {
		check(t, err)
		if _, err := m.Link.Target(ctx); err == nil {
			t.Errorf("%s was followed", m.Link.Source)
		} else if strings.HasPrefix(strings.ToLower(m.Link.Source), "http") && !errors.Is(err, zarr.ErrNotAllowed) {
			t.Errorf("%s: %v", m.Link.Source, err)
		}
		n++
	}
	a, _ := f.Root().Attribute("refs")
	for _, r := range a.References {
		if _, err := f.Resolve(ctx, r); err == nil {
			t.Errorf("%s was resolved", r)
		}
	}
	if n != len(sources) || len(a.References) != len(sources) {
		t.Errorf("%d links, %d references", n, len(a.References))
	}
	select {
	case what := <-asked:
		t.Errorf("a request was made: %s", what)
	default:
	}
}

func TestFilesThatLinkToEachOther(t *testing.T) {
	home := t.TempDir()
	put(t, filepath.Join(home, "a.zarr"), linkTo("x", "../b.zarr", "/x"))
	put(t, filepath.Join(home, "b.zarr"), linkTo("x", "../a.zarr", "/x"))
	f := open(t, filepath.Join(home, "a.zarr"))
	if _, err := f.Object(ctx, "/x"); !errors.Is(err, hdmf.ErrLinks) {
		t.Errorf("%v", err)
	}
	o, err := f.Resolve(ctx, hdmf.Reference{Source: "../b.zarr", Path: "/"})
	check(t, err)
	back, err := o.File().Resolve(ctx, hdmf.Reference{Source: "../a.zarr", Path: "/"})
	check(t, err)
	if back.File() != f {
		t.Error("a file was opened twice")
	}
	self, err := f.Resolve(ctx, hdmf.Reference{Source: "a.zarr", Path: "/"})
	if err != nil || self.File() != f {
		t.Errorf("the name that older writers use: %v", err)
	}
	for _, source := range []string{"../elsewhere/a.zarr", "/elsewhere/a.zarr", "http://localhost:1/a.zarr"} {
		if o, err := f.Resolve(ctx, hdmf.Reference{Source: source, Path: "/"}); err == nil {
			t.Errorf("%s was taken for %s", source, o.File().URL())
		}
	}
}

func TestManyAtOnce(t *testing.T) {
	f := fixture(t, "external_v3/linked")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for _, at := range []string{"/acquisition/second/data", "/acquisition/linked_data/data", "/acquisition/second"} {
				o, err := f.Object(ctx, at)
				if err != nil {
					t.Error(err)
					continue
				}
				if o.File() == f {
					t.Errorf("%s is in %s", at, o.File().URL())
				}
			}
			for _, err := range f.All(ctx, "TimeSeries") {
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}

func TestAMissingFileIsToldAsSuch(t *testing.T) {
	home := t.TempDir()
	put(t, filepath.Join(home, "f.zarr"), `{}`)
	f := open(t, filepath.Join(home, "f.zarr"))
	_, err := f.Resolve(ctx, hdmf.Reference{Source: "../gone.zarr", Path: "/"})
	if !errors.Is(err, store.ErrNotExist) || !strings.Contains(err.Error(), "gone.zarr") {
		t.Errorf("%v", err)
	}
}

// TestWhoeverIsCalledOffIsCalledOffAlone has two ask for a file at once, of whom the
// first, who looks for both, gives up.
func TestWhoeverIsCalledOffIsCalledOffAlone(t *testing.T) {
	asked := make(chan struct{})
	var first sync.Once
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/b.zarr") {
			wait := false
			first.Do(func() { wait = true })
			if wait {
				close(asked)
				<-r.Context().Done()
				return
			}
		}
		if !strings.HasSuffix(r.URL.Path, "/zarr.json") {
			http.NotFound(w, r)
			return
		}
		fmt.Fprint(w, `{"zarr_format":3,"node_type":"group","attributes":{}}`)
	}))
	defer server.Close()
	f := open(t, server.URL+"/a.zarr")
	one, cancel := context.WithCancel(ctx)
	defer cancel()
	var wait sync.WaitGroup
	wait.Go(func() {
		if _, err := f.Source(one, "../b.zarr"); !errors.Is(err, context.Canceled) {
			t.Errorf("the one who was called off: %v", err)
		}
	})
	<-asked
	for range 3 {
		wait.Go(func() {
			if _, err := f.Source(ctx, "../b.zarr"); err != nil {
				t.Errorf("another one: %v", err)
			}
		})
	}
	late, stop := context.WithCancel(ctx)
	wait.Go(stop)
	if _, err := f.Source(late, "../b.zarr"); !errors.Is(err, context.Canceled) {
		t.Errorf("one who waits no longer: %v", err)
	}
	cancel()
	wait.Wait()
}
