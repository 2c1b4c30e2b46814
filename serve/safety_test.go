package serve_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/omnizarr/zarr/serve"
)

// rawGet sends a request line as it is, and reads the answer.
func rawGet(t *testing.T, base, path string, headers ...string) reply {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(base, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n%s\r\n", path, strings.Join(append(headers, ""), "\r\n"))
	r, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return reply{r, string(text)}
}

// No address leads out of a source.
func TestTraversal(t *testing.T) {
	dir := folder(t)
	if err := os.WriteFile(filepath.Join(filepath.Dir(dir), "secret"), []byte("outside"), 0o666); err != nil {
		t.Fatal(err)
	}
	h := started(t, serve.Options{}, dir)
	var tries []string
	for _, up := range []string{"..", "%2e%2e", "%2E.", ".%2e", "%252e%252e", "..%2f", "%2e%2e%2f", "..%5c", "..\\", "...", "....//", "..;", "%c0%ae%c0%ae", "..%00", ".", "%2f..", "//.."} {
		for _, form := range []string{"/zarr", "/zarr2", "/files"} {
			tries = append(tries, form+"/data.zarr/"+up+"/secret", form+"/data.zarr/"+up+"secret", form+"/"+up+"/secret", form+"/data.zarr/deep/"+up+"/"+up+"/secret", form+"/"+up+"/data.zarr/"+up+"/secret")
		}
		tries = append(tries, "/assets/"+up+"/viewer.go", "/view/"+up+"/"+up+"/secret", "/"+up+"/secret")
	}
	tries = append(tries, "/files/data.zarr//"+filepath.ToSlash(filepath.Dir(dir))+"/secret", "/files/data.zarr/value%00.json", "/files/@"+"/..", "/files/data.zarr/C:/secret", "/files/"+strings.Repeat("a/", 5000))
	for _, path := range tries {
		r := rawGet(t, h.URL, path)
		page := strings.HasPrefix(path, "/view/") && r.StatusCode == 200 && strings.Contains(r.text, "<html")
		if strings.Contains(r.text, "outside") || strings.Contains(r.text, "package viewer") || r.StatusCode != 404 && r.StatusCode != 400 && r.StatusCode != 307 && !page {
			t.Errorf("%s: %d %.200s", path, r.StatusCode, r.text)
		}
	}
}

// A symbolic link that leads out of a source is as if it were not there; one that stays
// inside is followed.
func TestLinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a right that tests may not have")
	}
	dir := folder(t)
	outside := filepath.Join(filepath.Dir(dir), "outside")
	if err := os.MkdirAll(filepath.Join(outside, "c"), 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"secret": "outside", "zarr.json": `{"zarr_format":3,"node_type":"group","attributes":{"outside":1}}`, "c/0": "outside"} {
		if err := os.WriteFile(filepath.Join(outside, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"file": filepath.Join(outside, "secret"), "out": outside, "up": "../outside", "in": "value", "loop": "loop", "root": "/"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	h := started(t, serve.Options{}, dir, filepath.Dir(dir))
	for _, path := range []string{"file", "out/secret", "up/secret", "out/zarr.json", "up/c/0", "out", "out/", "loop", "root/etc/hostname", "root/etc/"} {
		for _, form := range []string{"/files/data.zarr/", "/zarr/data.zarr/", "/zarr2/data.zarr/"} {
			r := ask(t, "GET", h.URL+form+path)
			if strings.Contains(r.text, `"outside"`) || r.text == "outside" || r.StatusCode != 404 {
				t.Errorf("%s%s: %d %.200s", form, path, r.StatusCode, r.text)
			}
		}
	}
	if r := ask(t, "GET", h.URL+"/files/data.zarr/in"); r.text != letters {
		t.Errorf("a link inside: %d %q", r.StatusCode, r.text)
	}
}

// A server on loopback knows its own names alone: a page of others may have theirs lead to
// it.
func TestHosts(t *testing.T) {
	h := started(t, serve.Options{Hosts: []string{serve.Loopback, "data.example.org"}}, folder(t))
	for host, status := range map[string]int{
		"localhost": 200, "localhost:8080": 200, "LOCALHOST": 200, "127.0.0.1": 200, "127.0.0.1:1": 200, "127.1.2.3": 200, "[::1]:8080": 200, "[::1]": 200, "app.localhost": 200, "localhost.": 200,
		"data.example.org": 200, "Data.Example.Org:443": 200, "evil.example": 403, "localhost.evil.example": 403, "127.0.0.1.evil.example": 403, "10.0.0.1": 403, "0.0.0.0:80": 403, "[::]": 403, "evil@localhost": 403,
	} {
		for _, path := range []string{"/files/data.zarr/value", "/", "/api/sources", "/healthz"} {
			r := ask(t, "GET", h.URL+path, "Host: "+host)
			if r.StatusCode != status {
				t.Errorf("%s of %s: %d", path, host, r.StatusCode)
			}
		}
	}
}

// Pages of others are told of every answer, and asked beforehand what they may.
func TestCORS(t *testing.T) {
	h := started(t, serve.Options{}, folder(t))
	for path, status := range map[string]int{"/files/data.zarr/value": 200, "/files/data.zarr/gone": 404, "/zarr/data.zarr/zarr.json": 200, "/zarr/data.zarr/.zarray": 404, "/zarr/gone/zarr.json": 404, "/api/nothing": 404, "/api/sources": 200, "/nothing": 404} {
		r := ask(t, "GET", h.URL+path, "Origin: https://viewer.example")
		if r.StatusCode != status || r.Header.Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("%s: %d %q", path, r.StatusCode, r.Header.Get("Access-Control-Allow-Origin"))
		}
		for _, name := range []string{"Content-Range", "ETag", "Content-Length", "X-Shape", "X-Data-Type", "X-Series", "X-Exact"} {
			if !strings.Contains(r.Header.Get("Access-Control-Expose-Headers"), name) {
				t.Errorf("%s: %s is not exposed", path, name)
			}
		}
	}
	r := ask(t, "OPTIONS", h.URL+"/zarr/data.zarr/c/0", "Origin: https://viewer.example", "Access-Control-Request-Method: GET", "Access-Control-Request-Headers: range", "Access-Control-Request-Private-Network: true")
	if r.StatusCode != 204 || r.Header.Get("Access-Control-Allow-Methods") != "GET, HEAD, OPTIONS" || r.Header.Get("Access-Control-Allow-Private-Network") != "true" {
		t.Errorf("%d %v", r.StatusCode, r.Header)
	}
	for _, name := range []string{"Range", "If-None-Match", "Authorization"} {
		if !strings.Contains(r.Header.Get("Access-Control-Allow-Headers"), name) {
			t.Errorf("%s is not allowed", name)
		}
	}
	some := started(t, serve.Options{Origins: []string{"https://viewer.example"}}, folder(t))
	for origin, want := range map[string]string{"https://viewer.example": "https://viewer.example", "https://evil.example": ""} {
		r := ask(t, "GET", some.URL+"/files/data.zarr/value", "Origin: "+origin)
		if r.Header.Get("Access-Control-Allow-Origin") != want || !strings.Contains(strings.Join(r.Header.Values("Vary"), ","), "Origin") {
			t.Errorf("%s: %v", origin, r.Header)
		}
	}
}

// A name that no file can have is that of nothing.
func TestLongNames(t *testing.T) {
	h := started(t, serve.Options{}, folder(t))
	for _, form := range []string{"/zarr", "/zarr2", "/files"} {
		for _, name := range []string{strings.Repeat("a", 300), strings.Repeat("a", 300) + "/zarr.json", strings.Repeat("a/", 3000) + "zarr.json"} {
			if r := ask(t, "GET", h.URL+form+"/data.zarr/"+name); r.StatusCode != 404 {
				t.Errorf("%s: %d %.100s", form, r.StatusCode, r.text)
			}
		}
	}
}

// Listings are for people, for fsspec, which reads links, and for programs.
func TestListing(t *testing.T) {
	dir := folder(t)
	for _, name := range []string{"a b", "<i>", "c:d", "100%"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	h := started(t, serve.Options{}, dir)
	page := ask(t, "GET", h.URL+"/files/data.zarr/")
	for _, want := range []string{`<a href="zarr.json">zarr.json</a> 53`, `<a href="deep/">deep/</a>`, `<a href="a%20b">a b</a>`, `<a href="%3Ci%3E">&lt;i&gt;</a>`, `<a href="./c:d">c:d</a>`, `<a href="100%25">100%</a>`} {
		if !strings.Contains(page.text, want) {
			t.Errorf("no %s in %s", want, page.text)
		}
	}
	if page.Header.Get("Content-Type") != "text/html; charset=utf-8" || !strings.Contains(page.Header.Get("Content-Security-Policy"), "default-src 'none'") {
		t.Error(page.Header)
	}
	for _, r := range []reply{ask(t, "GET", h.URL+"/files/data.zarr/deep/?list"), ask(t, "GET", h.URL+"/files/data.zarr/deep/", "Accept: application/json")} {
		if r.text != `{"path":"/deep/","entries":[{"name":"er/"}]}`+"\n" || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s, %v", r.text, r.Header)
		}
	}
	if r := ask(t, "GET", h.URL+"/files/data.zarr/?list&after=value"); r.text != `{"path":"/","entries":[{"name":"zarr.json","size":53}]}`+"\n" {
		t.Error(r.text)
	}
	// Without the slash it is somewhere else, for links to lead where they should.
	for _, path := range []string{"/files/data.zarr", "/files/data.zarr/deep", "/zarr/data.zarr", "/zarr"} {
		r := ask(t, "GET", h.URL+path)
		if r.StatusCode != 307 || r.Header.Get("Location") != "./"+filepath.Base(path)+"/" {
			t.Errorf("%s: %d %s", path, r.StatusCode, r.Header.Get("Location"))
		}
	}
	if r := ask(t, "GET", h.URL+"/files/data.zarr/nothing/"); r.StatusCode != 404 {
		t.Errorf("a folder that is not there: %d", r.StatusCode)
	}
}

// TestFilesOfDamagedSources: what cannot be opened can be looked at.
func TestFilesOfDamagedSources(t *testing.T) {
	dir := folder(t)
	damaged := filepath.Join(dir, "image.tif")
	for name, text := range map[string]string{filepath.Join(dir, "zarr.json"): "{", damaged: "II*\x00\xff\xff\xff\xff"} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	h := started(t, serve.Options{}, dir, damaged)
	for address, want := range map[string]string{"/files/data.zarr/zarr.json": "{", "/files/data.zarr/value": letters, "/files/image.tif/image.tif": "II*\x00\xff\xff\xff\xff"} {
		for range 2 {
			if r := ask(t, "GET", h.URL+address); r.StatusCode != 200 || r.text != want {
				t.Errorf("%s: %d %.200s", address, r.StatusCode, r.text)
			}
		}
	}
	if r := ask(t, "GET", h.URL+"/files/data.zarr/", "Accept: application/json"); r.StatusCode != 200 || !strings.Contains(r.text, "value") {
		t.Errorf("the listing: %d %s", r.StatusCode, r.text)
	}
	for _, address := range []string{"/zarr/data.zarr/zarr.json", "/zarr/image.tif/zarr.json"} {
		if r := ask(t, "GET", h.URL+address); r.StatusCode != 502 {
			t.Errorf("%s: %d %s", address, r.StatusCode, r.text)
		}
	}
	if r := ask(t, "GET", h.URL+"/files/data.zarr/../../etc/passwd"); r.StatusCode == 200 {
		t.Error("what lies outside")
	}
}

// TestErrorsAreShort: a long request is not repeated whole.
func TestErrorsAreShort(t *testing.T) {
	h := started(t, serve.Options{}, folder(t))
	long := strings.Repeat("äx", 8000)
	for _, address := range []string{
		"/zarr/" + long + "/zarr.json", "/zarr/data.zarr/zarr.json?codecs=" + long, "/zarr/data.zarr/zarr.json?pyramid=" + long, "/files/data.zarr/" + long,
		"/api/" + long, "/api/node?source=" + long, "/api/node?source=data.zarr&path=/" + long, "/api/slice?source=data.zarr&path=/" + long,
	} {
		r := ask(t, "GET", h.URL+address)
		if r.StatusCode < 400 || len(r.text) > 2000 || !utf8.ValidString(r.text) {
			t.Errorf("%.40s: %d, an answer of %d bytes: %.100s", address, r.StatusCode, len(r.text), r.text)
		}
	}
}
