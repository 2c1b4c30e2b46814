package api_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/omnizarr/zarr/internal/leaktest"
	"github.com/omnizarr/zarr/kind/std"
	"github.com/omnizarr/zarr/serve/api"
	"github.com/omnizarr/zarr/serve/servetest"
	"github.com/omnizarr/zarr/serve/source"
)

// client asks an API of some sources.
type client struct {
	t       testing.TB
	handler http.Handler
	set     *source.Set
}

// serving gives the API of URLs.
func serving(t testing.TB, urls ...string) *client {
	t.Helper()
	set := source.NewSet(source.Options{Kinds: std.Kinds()})
	t.Cleanup(func() {
		if err := set.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, u := range urls {
		if _, err := set.Add("", u); err != nil {
			t.Fatal(err)
		}
	}
	return &client{t, api.New(set, api.Options{}), set}
}

// samplesMade are the samples of all tests that only read them.
var samplesMade struct {
	sync.Mutex
	dir string
}

// lasting is a test whose folder outlives it.
type lasting struct {
	testing.TB
	dir string
}

func (l lasting) TempDir() string { return l.dir }

// samples gives the API of a folder with all samples, as the source data, and of the
// NWB session alone.
func samples(t testing.TB) *client {
	t.Helper()
	samplesMade.Lock()
	defer samplesMade.Unlock()
	if samplesMade.dir == "" {
		dir, err := os.MkdirTemp("", "samples")
		if err != nil {
			t.Fatal(err)
		}
		leaktest.AtEnd(func() { os.RemoveAll(dir) })
		samplesMade.dir = servetest.Samples(lasting{t, dir})
	}
	dir := samplesMade.dir
	c := serving(t, filepath.Join(dir, servetest.Session))
	if _, err := c.set.Add("data", dir); err != nil {
		t.Fatal(err)
	}
	return c
}

// ask gets an address below /api/ with parameters by name and value.
func (c *client) ask(what string, params ...string) *httptest.ResponseRecorder {
	c.t.Helper()
	q := url.Values{}
	for i := 0; i < len(params); i += 2 {
		q.Set(params[i], params[i+1])
	}
	w := httptest.NewRecorder()
	r := httptest.NewRequest("GET", "/api/"+what+"?"+q.Encode(), nil)
	c.handler.ServeHTTP(w, r.WithContext(c.t.Context()))
	return w
}

// get asks for a document, which must be there.
func (c *client) get(v any, what string, params ...string) {
	c.t.Helper()
	w := c.ask(what, params...)
	if w.Code != http.StatusOK {
		c.t.Fatalf("%s %v: %d %s", what, params, w.Code, w.Body)
	}
	if err := json.Unmarshal(w.Body.Bytes(), v); err != nil {
		c.t.Fatalf("%s %v: %v in %s", what, params, err, w.Body)
	}
}

// problem asks for what must not be there, and gives the kind of the problem.
func (c *client) problem(status int, what string, params ...string) api.Problem {
	c.t.Helper()
	w := c.ask(what, params...)
	var p api.Problem
	if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || w.Code != status || p.Error == "" || p.Kind == "" {
		c.t.Errorf("%s %.200q: %d %.300s, want %d", what, params, w.Code, w.Body, status)
	}
	return p
}
