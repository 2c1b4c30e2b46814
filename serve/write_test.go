package serve_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/serve"
	"github.com/omnizarr/zarr/serve/servetest"
)

const bearer = "Authorization: Bearer secret"

func TestWrite(t *testing.T) {
	dir := folder(t)
	h := started(t, serve.Options{Write: true, Token: "secret", Limits: serve.Limits{Body: 1 << 16}}, dir) // little enough to be read to its end after it is refused, as clients want it
	at := h.URL + "/zarr/data.zarr/c/0"
	put := func(body string, headers ...string) reply {
		return send(t, "PUT", at, strings.NewReader(body), append(headers, bearer)...)
	}
	r := put("one", "If-None-Match: *")
	first := r.Header.Get("ETag")
	if r.StatusCode != 201 || first == "" {
		t.Fatalf("%d, ETag %s, %s", r.StatusCode, first, r.text)
	}
	for _, c := range []struct {
		headers []string
		status  int
	}{
		{[]string{"If-None-Match: *"}, 412},
		{[]string{`If-Match: "other"`}, 412},
		{[]string{"If-None-Match: " + first}, 412},
	} {
		if r := put("never", c.headers...); r.StatusCode != c.status {
			t.Errorf("%q: %d", c.headers, r.StatusCode)
		}
	}
	content := func() string {
		b, err := os.ReadFile(filepath.Join(dir, "c", "0"))
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		return string(b)
	}
	if got := content(); got != "one" {
		t.Errorf("stored %q", got)
	}
	if r := put("two", "If-Match: "+first); r.StatusCode != 204 || r.Header.Get("ETag") == first {
		t.Errorf("%d %s", r.StatusCode, r.Header.Get("ETag"))
	}
	if r := put("two", "If-Match: "+strings.TrimSuffix(put("two").Header.Get("ETag"), `"`)+`-gzip"`); r.StatusCode != 204 { // as browsers get it with documents
		t.Errorf("the tag of the compressed value: %d", r.StatusCode)
	}
	if r := put("late", "If-Match: "+first); r.StatusCode != 412 || content() != "two" {
		t.Errorf("%d, stored %q", r.StatusCode, content())
	}
	if r := ask(t, "GET", h.URL+"/files/data.zarr/c/0", bearer); r.text != "two" {
		t.Errorf("read back %q", r.text)
	}
	if r := put(strings.Repeat("x", 1<<16+1)); r.StatusCode != 413 || content() != "two" {
		t.Errorf("too large: %d, stored %d bytes", r.StatusCode, len(content()))
	}
	if r := send(t, "PUT", at, io.MultiReader(strings.NewReader(strings.Repeat("x", 1<<16+1))), bearer); r.StatusCode != 413 || content() != "two" {
		t.Errorf("too large, of unknown length: %d, stored %d bytes", r.StatusCode, len(content()))
	}
	if r := ask(t, "DELETE", at, bearer, "If-Match: "+first); r.StatusCode != 412 || content() != "two" {
		t.Errorf("%d", r.StatusCode)
	}
	for range 2 {
		if r := ask(t, "DELETE", at, bearer); r.StatusCode != 204 || content() != "" {
			t.Errorf("%d, stored %q", r.StatusCode, content())
		}
	}
}

// A document that would make the node, and all below it, unreadable is refused.
func TestWrongDocumentsAreNotWritten(t *testing.T) {
	dir := folder(t)
	h := started(t, serve.Options{Write: true, Token: "secret"}, dir)
	was, err := os.ReadFile(filepath.Join(dir, "zarr.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, doc := range []string{"", "{", "[1]", "{}", `{"zarr_format":2,"node_type":"group"}`, `{"zarr_format":3,"node_type":"array"}`, string(was) + "x"} {
		for _, form := range []string{"/zarr", "/files"} {
			if r := send(t, "PUT", h.URL+form+"/data.zarr/zarr.json", strings.NewReader(doc), bearer); r.StatusCode != 400 {
				t.Errorf("%s %q: %d %s", form, doc, r.StatusCode, r.text)
			}
		}
	}
	if is, err := os.ReadFile(filepath.Join(dir, "zarr.json")); err != nil || string(is) != string(was) {
		t.Errorf("%s, %v", is, err)
	}
	if r := send(t, "PUT", h.URL+"/zarr/data.zarr/zarr.json", strings.NewReader(string(was)), bearer); r.StatusCode != 204 {
		t.Errorf("%d %s", r.StatusCode, r.text)
	}
}

// What breaks off on its way changes nothing.
func TestWriteThatBreaksOff(t *testing.T) {
	dir := folder(t)
	h := started(t, serve.Options{Write: true, Token: "secret"}, dir)
	conn, err := net.Dial("tcp", strings.TrimPrefix(h.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "PUT /zarr/data.zarr/value HTTP/1.1\r\nHost: localhost\r\n%s\r\nContent-Length: 1000\r\n\r\nhalf", bearer)
	if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	r, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err == nil {
		r.Body.Close()
		if r.StatusCode < 400 {
			t.Errorf("%d", r.StatusCode)
		}
	}
	if got, err := os.ReadFile(filepath.Join(dir, "value")); err != nil || string(got) != letters {
		t.Errorf("stored %q, %v", got, err)
	}
}

// Who may not write changes nothing, whatever the method is called.
func TestNobodyElseWrites(t *testing.T) {
	dir := folder(t)
	open := started(t, serve.Options{}, dir)
	guarded := started(t, serve.Options{Write: true, Token: "secret"}, dir)
	readOnly := started(t, serve.Options{Token: "secret"}, dir)
	page := ask(t, "GET", guarded.URL+"/?token=secret").Cookies()[0]
	for _, method := range []string{"PUT", "DELETE", "POST", "PATCH", "MKCOL", "MOVE", "CONNECT", "TRACE", "GET", "put"} {
		for _, c := range []struct {
			base    string
			headers []string
		}{
			{open.URL, nil}, {open.URL, []string{"X-HTTP-Method-Override: DELETE"}}, {readOnly.URL, []string{bearer}},
			{guarded.URL, nil}, {guarded.URL, []string{"Cookie: " + page.Name + "=" + page.Value}}, {guarded.URL, []string{"Authorization: Bearer wrong"}},
		} {
			if method == "CONNECT" {
				continue
			}
			for _, path := range []string{"/zarr/data.zarr/value", "/files/data.zarr/value?token=secret"} {
				r := send(t, method, c.base+path, strings.NewReader("never"), c.headers...)
				if method != "GET" && r.StatusCode != 401 && r.StatusCode != 405 {
					t.Errorf("%s %s %q: %d", method, path, c.headers, r.StatusCode)
				}
			}
		}
	}
	if got, err := os.ReadFile(filepath.Join(dir, "value")); err != nil || string(got) != letters {
		t.Errorf("stored %q, %v", got, err)
	}
}

// What is not stored as it is shown, or no Zarr at all, is not changed below /zarr.
func TestOnlyZarrIsWritten(t *testing.T) {
	dir := servetest.Samples(t)
	a, err := zarr.CreateArray(t.Context(), filepath.Join(dir, "odd.zarr"), zarr.ArraySpec{
		Shape: []int{4}, DataType: "uint8", Codecs: []byte(`["bytes", {"name": "pad", "configuration": {"location": "start", "nbytes": 8}}]`)})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	var urls []string
	for _, name := range []string{"odd.zarr", "sub/old.zarr", "sub/cells.n5", "image.tif", "packed.zip", "plain.zarr", "sub"} {
		urls = append(urls, filepath.Join(dir, name))
	}
	h := started(t, serve.Options{Write: true, Token: "secret"}, urls...)
	for path, status := range map[string]int{
		"/zarr/odd.zarr/c/0": 403, "/files/odd.zarr/c/0": 201, "/zarr/old.zarr/a/0.0": 403, "/files/old.zarr/a/9.9": 201, "/zarr2/old.zarr/a/0.0": 204, "/zarr2/old.zarr/a/.zarray": 400, "/files/old.zarr/a/.zattrs": 400, "/zarr2/old.zarr/b/.zgroup": 400, "/zarr2/old.zarr/.zmetadata": 400, "/zarr2/plain.zarr/a/0.0": 403, "/zarr2/odd.zarr/0": 403,
		"/zarr2/@codecs=gzip/old.zarr/a/0.0": 405,
		"/zarr/image.tif/0/c/0/0":            403, "/files/image.tif/image.tif": 403, "/zarr/packed.zip/a/c/0": 403, "/zarr/sub/new": 403,
		"/zarr/plain.zarr/a/c/9/9": 201, "/zarr/@codecs=gzip/plain.zarr/a/c/0/0": 405, "/zarr/plain.zarr/a/": 405, "/zarr/plain.zarr/.omnizarr-edit": 403,
		"/zarr/plain.zarr/a/zarr.json": 400, "/api/sources": 405, "/": 405, "/zarr/plain.zarr/../x": 404, "/zarr/gone/x": 404,
	} {
		r := send(t, "PUT", h.URL+path, strings.NewReader("value"), bearer)
		if r.StatusCode != status {
			t.Errorf("%s: %d, want %d: %s", path, r.StatusCode, status, r.text)
		}
	}
}

// TestWritingZarr2 has a client make an array in a store of Zarr v2, and write its chunks.
func TestWritingZarr2(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "old.zarr")
	g, err := zarr.CreateGroup(t.Context(), dir, zarr.As("zarr2"))
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	h := started(t, serve.Options{Write: true, Token: "secret"}, dir)
	for _, c := range []struct {
		key, value string
		status     int
	}{
		{"a/.zarray", `{"zarr_format":2,"shape":[4],"chunks":[2],"dtype":"|u1","compressor":null,"fill_value":0,"order":"C","filters":[{"id":7}]}`, 400},
		{"a/.zarray", `{"zarr_format":2,"shape":[4],"chunks":[2],"dtype":"|u1","compressor":null,"fill_value":0,"order":"C","filters":null}`, 201},
		{"a/.zattrs", `[]`, 400},
		{"a/.zattrs", `{"unit":"mV"}`, 201},
		{"a/0", "ab", 201}, {"a/1", "cd", 201}, {"a/1", "CD", 204},
	} {
		if r := send(t, "PUT", h.URL+"/zarr2/old.zarr/"+c.key, strings.NewReader(c.value), bearer); r.StatusCode != c.status || c.status == 400 && !strings.Contains(r.text, c.key) {
			t.Fatalf("%s: %d %s", c.key, r.StatusCode, r.text)
		}
	}
	if r := ask(t, "GET", h.URL+"/zarr2/old.zarr/a/1", bearer); r.text != "CD" {
		t.Errorf("read back %q", r.text)
	}
	a, err := zarr.OpenArray(t.Context(), filepath.Join(dir, "a"))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if got, err := zarr.Read[uint8](t.Context(), a, zarr.All()); err != nil || string(got.Data) != "abCD" {
		t.Errorf("%q, %v", got.Data, err)
	}
}
