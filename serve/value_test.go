package serve_test

import (
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/omnizarr/zarr/serve"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

// each runs a test on values that are files, and on such that are none.
func each(t *testing.T, test func(t *testing.T, base string)) {
	dir := folder(t)
	memory := mem.Shared(t.Name())
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err == nil {
			_, err = memory.Put(t.Context(), name, data, store.PutOptions{})
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	h := started(t, serve.Options{}, dir, "mem:"+t.Name())
	t.Run("files", func(t *testing.T) { test(t, h.URL+"/files/data.zarr") })
	t.Run("others", func(t *testing.T) { test(t, h.URL+"/files/"+t.Name()[:strings.Index(t.Name(), "/")]) })
}

func TestRanges(t *testing.T) {
	each(t, func(t *testing.T, base string) {
		for _, c := range []struct {
			header string
			status int
			text   string
			ranges string
		}{
			{"bytes=0-3", 206, "abcd", "bytes 0-3/26"},
			{"bytes=22-", 206, "wxyz", "bytes 22-25/26"},
			{"bytes=-4", 206, "wxyz", "bytes 22-25/26"},
			{"bytes=-400", 206, letters, "bytes 0-25/26"},
			{"bytes=20-4000", 206, "uvwxyz", "bytes 20-25/26"},
			{"bytes=25-25", 206, "z", "bytes 25-25/26"},
			{"BYTES = 1-2", 206, "bc", "bytes 1-2/26"},
			{"bytes=0-99999999999999999999999", 206, letters, "bytes 0-25/26"},
			{"bytes=5-6,40-50", 206, "fg", "bytes 5-6/26"},
			{"bytes=0-25,1-24", 200, letters, ""}, // more than the whole
			{"lines=1-2", 200, letters, ""},
			{"bytes=26-", 416, "", "bytes */26"},
			{"bytes=99999999999999999999999-", 416, "", "bytes */26"},
			{"bytes=-0", 416, "", "bytes */26"},
			{"bytes=4-2", 416, "", "bytes */26"},
			{"bytes=a-b", 416, "", "bytes */26"},
			{"bytes=", 416, "", "bytes */26"},
			{"bytes=--4", 416, "", "bytes */26"},
			{"bytes=" + strings.Repeat("0-0,", 64) + "1-1", 416, "", "bytes */26"},
		} {
			r := ask(t, "GET", base+"/value", "Range: "+c.header)
			if r.StatusCode != c.status || c.text != "" && r.text != c.text || r.Header.Get("Content-Range") != c.ranges {
				t.Errorf("%s: %d %q, %q", c.header, r.StatusCode, r.text, r.Header.Get("Content-Range"))
			}
			if r.StatusCode != 416 && r.ContentLength != int64(len(c.text)) {
				t.Errorf("%s: length %d", c.header, r.ContentLength)
			}
		}
		if r := ask(t, "GET", base+"/empty", "Range: bytes=0-"); r.StatusCode != 416 || r.Header.Get("Content-Range") != "bytes */0" {
			t.Errorf("a part of nothing: %d %q", r.StatusCode, r.Header.Get("Content-Range"))
		}
		if r := ask(t, "GET", base+"/empty"); r.StatusCode != 200 || r.ContentLength != 0 {
			t.Errorf("nothing: %d, %d bytes", r.StatusCode, r.ContentLength)
		}
	})
}

func TestSeveralRanges(t *testing.T) {
	each(t, func(t *testing.T, base string) {
		r := ask(t, "GET", base+"/value", "Range: bytes=0-1, 24-, -1")
		kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
		if err != nil || r.StatusCode != 206 || kind != "multipart/byteranges" || r.ContentLength != int64(len(r.text)) {
			t.Fatalf("%d %s, %d bytes of %d, %v", r.StatusCode, kind, len(r.text), r.ContentLength, err)
		}
		got := ""
		for parts := multipart.NewReader(strings.NewReader(r.text), params["boundary"]); ; {
			p, err := parts.NextPart()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(p)
			if err != nil {
				t.Fatal(err)
			}
			got += fmt.Sprintf("%s %s;", p.Header.Get("Content-Range"), text)
		}
		if got != "bytes 0-1/26 ab;bytes 24-25/26 yz;bytes 25-25/26 z;" {
			t.Error(got)
		}
	})
}

// HEAD says what GET would, and reads nothing.
func TestHead(t *testing.T) {
	each(t, func(t *testing.T, base string) {
		get, head := ask(t, "GET", base+"/value"), ask(t, "HEAD", base+"/value", "Range: bytes=0-3")
		if head.StatusCode != 200 || head.text != "" || head.ContentLength != 26 {
			t.Errorf("%d, %q, length %d", head.StatusCode, head.text, head.ContentLength)
		}
		for _, name := range []string{"ETag", "Content-Type", "Accept-Ranges", "Cache-Control", "Last-Modified"} {
			if head.Header.Get(name) != get.Header.Get(name) {
				t.Errorf("%s: %q and %q", name, head.Header.Get(name), get.Header.Get(name))
			}
		}
		if head.Header.Get("Content-Type") != "application/octet-stream" || head.Header.Get("Cache-Control") != "no-cache" {
			t.Error(head.Header)
		}
		if r := ask(t, "HEAD", base+"/gone"); r.StatusCode != 404 || r.text != "" {
			t.Errorf("%d %q", r.StatusCode, r.text)
		}
	})
}

func TestConditions(t *testing.T) {
	each(t, func(t *testing.T, base string) {
		first := ask(t, "GET", base+"/value")
		tag := first.Header.Get("ETag")
		if !strings.HasPrefix(tag, `"`) || !strings.HasSuffix(tag, `"`) || len(tag) < 3 {
			t.Fatalf("ETag %s is not strong", tag)
		}
		for _, c := range []struct {
			headers []string
			status  int
			text    string
		}{
			{[]string{"If-None-Match: " + tag}, 304, ""},
			{[]string{`If-None-Match: "other", W/` + tag}, 304, ""},
			{[]string{"If-None-Match: *"}, 304, ""},
			{[]string{`If-None-Match: "other"`}, 200, letters},
			{[]string{"If-Match: " + tag}, 200, letters},
			{[]string{`If-Match: "other"`}, 412, ""},
			{[]string{"If-Match: W/" + tag}, 412, ""},
			// The tag of the compressed form is of the same version, but its parts are others.
			{[]string{"If-Match: " + strings.TrimSuffix(tag, `"`) + `-gzip"`}, 200, letters},
			{[]string{"If-Range: " + strings.TrimSuffix(tag, `"`) + `-gzip"`, "Range: bytes=1-2"}, 200, letters},
			{[]string{"If-Range: " + tag, "Range: bytes=1-2"}, 206, "bc"},
			{[]string{`If-Range: "other"`, "Range: bytes=1-2"}, 200, letters},
			{[]string{"If-Range: W/" + tag, "Range: bytes=1-2"}, 200, letters},
			{[]string{"If-None-Match: " + tag, "Range: bytes=1-2"}, 304, ""},
		} {
			r := ask(t, "GET", base+"/value", c.headers...)
			if r.StatusCode != c.status || r.text != c.text {
				t.Errorf("%q: %d %q", c.headers, r.StatusCode, r.text)
			}
			if r.StatusCode == 304 && r.Header.Get("ETag") != tag {
				t.Errorf("%q: ETag %s", c.headers, r.Header.Get("ETag"))
			}
		}
	})
}

// The ETag changes with the file, and so does the time.
func TestChangedFile(t *testing.T) {
	dir := folder(t)
	h := started(t, serve.Options{}, dir)
	at := h.URL + "/files/data.zarr/value"
	first := ask(t, "GET", at)
	when := first.Header.Get("Last-Modified")
	if r := ask(t, "GET", at, "If-Modified-Since: "+when); r.StatusCode != 304 {
		t.Errorf("not modified since %s: %d", when, r.StatusCode)
	}
	if r := ask(t, "GET", at, "If-Range: "+when, "Range: bytes=0-0"); r.StatusCode != 206 {
		t.Errorf("the same since %s: %d", when, r.StatusCode)
	}
	if err := os.WriteFile(filepath.Join(dir, "value"), []byte("other"), 0o666); err != nil {
		t.Fatal(err)
	}
	old := time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)
	if err := os.Chtimes(filepath.Join(dir, "value"), old, old); err != nil {
		t.Fatal(err)
	}
	r := ask(t, "GET", at, "If-None-Match: "+first.Header.Get("ETag"))
	if r.StatusCode != 200 || r.text != "other" || r.Header.Get("Last-Modified") != "Sat, 03 Feb 2001 04:05:06 GMT" {
		t.Errorf("%d %q %s", r.StatusCode, r.text, r.Header.Get("Last-Modified"))
	}
	if r := ask(t, "GET", at, "If-Unmodified-Since: Sat, 03 Feb 2001 04:05:05 GMT"); r.StatusCode != 412 {
		t.Errorf("modified since: %d", r.StatusCode)
	}
}

// Documents are compressed for who asks, chunks never: parts of them would be parts of
// something else.
func TestCompression(t *testing.T) {
	each(t, func(t *testing.T, base string) {
		plain, small := ask(t, "GET", base+"/big.json"), ask(t, "GET", base+"/big.json", "Accept-Encoding: br, gzip;q=0.5")
		if small.Header.Get("Content-Encoding") != "gzip" || len(small.text) > len(plain.text)/4 || !strings.Contains(small.Header.Get("Vary"), "Accept-Encoding") {
			t.Fatalf("%d bytes of %d, %v", len(small.text), len(plain.text), small.Header)
		}
		z, err := gzip.NewReader(strings.NewReader(small.text))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(z)
		if err != nil || string(text) != plain.text {
			t.Errorf("%d bytes, %v", len(text), err)
		}
		tag := small.Header.Get("ETag")
		if tag == plain.Header.Get("ETag") {
			t.Error("two forms have one ETag")
		}
		if r := ask(t, "GET", base+"/big.json", "Accept-Encoding: gzip", "If-None-Match: "+tag); r.StatusCode != 304 {
			t.Errorf("the same again: %d", r.StatusCode)
		}
		for _, headers := range [][]string{{"Accept-Encoding: gzip;q=0"}, {"Accept-Encoding: gzip", "Range: bytes=0-3"}} {
			if r := ask(t, "GET", base+"/big.json", headers...); r.Header.Get("Content-Encoding") != "" {
				t.Errorf("%q: %s", headers, r.Header.Get("Content-Encoding"))
			}
		}
		if r := ask(t, "GET", base+"/value", "Accept-Encoding: gzip"); r.Header.Get("Content-Encoding") != "" || r.text != letters {
			t.Errorf("a chunk is compressed: %v", r.Header)
		}
	})
}

// What is in a store is never run by a browser.
func TestNothingIsRun(t *testing.T) {
	each(t, func(t *testing.T, base string) {
		r := ask(t, "GET", base+"/page.html")
		if r.Header.Get("Content-Type") != "application/octet-stream" || r.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Error(r.Header)
		}
	})
}

func TestMaxAge(t *testing.T) {
	dir := folder(t)
	for _, c := range []struct {
		o    serve.Options
		want string
	}{
		{serve.Options{MaxAge: time.Hour}, "public, max-age=3600"},
		{serve.Options{MaxAge: time.Hour, Token: "t"}, "private, max-age=3600"},
	} {
		r := ask(t, http.MethodGet, started(t, c.o, dir).URL+"/files/data.zarr/value?token=t")
		if got := r.Header.Get("Cache-Control"); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
