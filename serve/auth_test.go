package serve_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/serve"
)

func TestTokens(t *testing.T) {
	h := started(t, serve.Options{Token: "secret", User: "ada", Password: "lovelace"}, folder(t))
	at := h.URL + "/zarr/data.zarr/zarr.json"
	for _, c := range []struct {
		headers []string
		query   string
		status  int
	}{
		{nil, "", 401},
		{[]string{"Authorization: Bearer secret"}, "", 200},
		{[]string{"Authorization: bearer secret"}, "", 200},
		{[]string{"Authorization: Bearer secre"}, "", 401},
		{[]string{"Authorization: Bearer "}, "", 401},
		{[]string{"Authorization: Basic YWRhOmxvdmVsYWNl"}, "", 200},            // ada:lovelace
		{[]string{"Authorization: Basic YWRhOmJ5cm9u"}, "", 401},                // ada:byron
		{[]string{"Authorization: Basic bm9ib2R5OnNlY3JldA=="}, "", 200},        // nobody:secret
		{[]string{"Authorization: Basic bm9ib2R5Og=="}, "", 401},                // nobody:
		{[]string{"Authorization: Basic !"}, "", 401},                           // no base64
		{nil, "?token=secret", 200},                                             // for clients that keep a query
		{nil, "?token=", 401},                                                   //
		{[]string{"Cookie: omnizarr-token=secret"}, "", 401},                    // a cookie is not the token
		{[]string{"Authorization: Bearer x", "Origin: http://a.b"}, "", 401},    // told to pages too
		{[]string{"Authorization: Bearer secret", "Range: bytes=0-1"}, "", 206}, //
	} {
		r := ask(t, "GET", at+c.query, c.headers...)
		if r.StatusCode != c.status || r.Header.Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("%q %s: %d, %v", c.headers, c.query, r.StatusCode, r.Header)
		}
		if c.status == 401 && (len(r.Header.Values("WWW-Authenticate")) != 2 || !strings.Contains(r.text, `"unauthorized"`)) {
			t.Errorf("%q: %q, %s", c.headers, r.Header.Values("WWW-Authenticate"), r.text)
		}
	}
	for path, status := range map[string]int{"/healthz": 200, "/metrics": 401, "/api/sources": 401, "/": 401, "/view/data.zarr": 401, "/files/data.zarr/value": 401, "/zarr2/data.zarr/.zgroup": 401} {
		if r := ask(t, "GET", h.URL+path); r.StatusCode != status {
			t.Errorf("%s: %d", path, r.StatusCode)
		}
	}
	// A browser asks before it may send the header, without it.
	if r := ask(t, "OPTIONS", at, "Origin: http://a.b", "Access-Control-Request-Method: GET", "Access-Control-Request-Headers: authorization"); r.StatusCode != 204 {
		t.Errorf("preflight: %d", r.StatusCode)
	}
}

// The page's address with the token sets a cookie, by which all else is answered.
func TestTokenOfAPage(t *testing.T) {
	h := started(t, serve.Options{Token: "secret"}, folder(t))
	r := ask(t, "GET", h.URL+"/view/data.zarr/a%20b?token=secret&x=1")
	cookies := r.Cookies()
	if r.StatusCode != 303 || r.Header.Get("Location") != "./a%20b?x=1" || len(cookies) != 1 {
		t.Fatalf("%d, %v", r.StatusCode, r.Header)
	}
	c := cookies[0]
	if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || strings.Contains(c.Value, "secret") {
		t.Errorf("cookie %s", c)
	}
	for _, path := range []string{"/view/data.zarr", "/api/sources", "/zarr/data.zarr/zarr.json", "/assets/index.js"} {
		if r := ask(t, "GET", h.URL+path, "Cookie: "+c.Name+"="+c.Value); r.StatusCode != 200 {
			t.Errorf("%s: %d", path, r.StatusCode)
		}
	}
	if r := ask(t, "GET", h.URL+"//evil.example/?token=secret"); strings.HasPrefix(r.Header.Get("Location"), "//") {
		t.Errorf("leads to %s", r.Header.Get("Location"))
	}
}

func TestOptionsThatCannotBe(t *testing.T) {
	for _, o := range []serve.Options{{Write: true}, {Password: "x"}, {CacheDir: "/dev/null/x"}} {
		if _, err := serve.New(o); err == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
	if h := serve.Handler(nil); h == nil {
		t.Error("no handler")
	}
}
