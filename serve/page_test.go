package serve_test

import (
	"html"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/serve"
	"github.com/omnizarr/zarr/viewer"
)

var addresses = regexp.MustCompile(`(?:href|src)="([^"]*)"`)

// Every address in the page leads to something, wherever the server is mounted and
// however deep the view is.
func TestPageBelowAPrefix(t *testing.T) {
	s, err := serve.New(serve.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := s.Add("", folder(t)); err != nil {
		t.Fatal(err)
	}
	for _, prefix := range []string{"", "/data", "/a/b"} {
		mux := http.NewServeMux()
		mux.Handle(prefix+"/", http.StripPrefix(prefix, s))
		h := httptest.NewServer(mux)
		for _, path := range []string{"/", "/view/data.zarr", "/view/data.zarr/", "/view/data.zarr/deep/er", "/view/data.zarr/a%2Fb/c"} {
			at := h.URL + prefix + path
			page := ask(t, "GET", at)
			found := addresses.FindAllStringSubmatch(page.text, -1)
			if page.StatusCode != 200 || len(found) < 3 {
				t.Errorf("%s: %d, %s", at, page.StatusCode, page.text)
			}
			for _, m := range found {
				to, err := page.Request.URL.Parse(html.UnescapeString(m[1]))
				if err != nil {
					t.Fatal(err)
				}
				if !strings.HasPrefix(to.String(), h.URL+prefix+"/") {
					t.Errorf("%s leads to %s", at, to)
				}
				if r := ask(t, "GET", to.String()); r.StatusCode != 200 && to.Path != prefix+"/api/node" {
					t.Errorf("%s: %s is %d", at, to, r.StatusCode)
				}
			}
		}
		h.Close()
	}
}

// The page has the node asked for before its script runs, at the address that this will
// use, and shows names as names.
func TestPageAsksAhead(t *testing.T) {
	h := started(t, serve.Options{}, folder(t))
	for path, want := range map[string]string{
		"/":                           "./api/node?source=data.zarr&amp;path=/",
		"/view":                       "./api/node?source=data.zarr&amp;path=/",
		"/view/data.zarr":             "../api/node?source=data.zarr&amp;path=/",
		"/view/x%20y!/a,b:c/d%2Fe+f/": "../../../../api/node?source=x%20y!&amp;path=/a,b:c/d/e%2Bf",
		"/view/%22%3E%3Cb%3E'":        "../api/node?source=%22%3E%3Cb%3E&#39;&amp;path=/",
	} {
		page := ask(t, "GET", h.URL+path)
		if !strings.Contains(page.text, `<link rel="preload" as="fetch" crossorigin href="`+want+`">`) {
			t.Errorf("%s: no %s in %s", path, want, page.text)
		}
		if r := ask(t, "GET", h.URL+path, "If-None-Match: "+page.Header.Get("ETag")); r.StatusCode != 304 {
			t.Errorf("%s again: %d", path, r.StatusCode)
		}
	}
}

// The script comes as it was compressed when it was built, and plain to who takes no gzip.
func TestPageIsCompressed(t *testing.T) {
	h := started(t, serve.Options{}, folder(t))
	for name, want := range map[string]string{"gzip": "assets/index.js.gz", "identity": "assets/index.js"} {
		data, err := fs.ReadFile(viewer.Files(), want)
		if err != nil {
			t.Fatal(err)
		}
		r := ask(t, "GET", h.URL+"/assets/index.js", "Accept-Encoding: "+name)
		encoding := strings.TrimPrefix(name, "identity")
		if r.Header.Get("Content-Encoding") != encoding || r.Header.Get("Content-Type") != "text/javascript; charset=utf-8" || r.text != string(data) {
			t.Errorf("%s: %d bytes and not %d, %v", name, len(r.text), len(data), r.Header)
		}
	}
	if r := ask(t, "GET", h.URL+"/view/data.zarr", "Accept-Encoding: gzip"); r.Header.Get("Content-Encoding") != "gzip" || len(r.text) > 450 {
		t.Errorf("%d bytes of the page, %v", len(r.text), r.Header)
	}
	if r := ask(t, "GET", h.URL+"/assets/index.js.gz"); r.StatusCode != 404 {
		t.Errorf("what only lies beside: %d", r.StatusCode)
	}
}
