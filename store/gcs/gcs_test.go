package gcs

import (
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/locate"
	"github.com/omnizarr/zarr/store"
)

func TestOpenURL(t *testing.T) {
	t.Setenv("STORAGE_EMULATOR_HOST", "")
	for raw, want := range map[string]string{
		"gs://b":                                 "gs://b gs://b/k",
		"gs://b/":                                "gs://b gs://b/k",
		"gs://b/x/y/":                            "gs://b/x/y gs://b/x/y/k",
		"gs://b/a%20b?anonymous=true":            "gs://b/a%20b?anonymous=true gs://b/a%20b/k?anonymous=true",
		"gs://b/x?endpoint=http://127.0.0.1:1/":  "gs://b/x?endpoint=http://127.0.0.1:1/ gs://b/x/k?endpoint=http://127.0.0.1:1",
		"gs://b?endpoint=" + google:              "gs://b?endpoint=https://storage.googleapis.com gs://b/k",
		"gs://b_1.c-d/x?userProject=p":           "gs://b_1.c-d/x?userProject=p gs://b_1.c-d/x/k?userProject=p",
		"gs://":                                  "error: no bucket",
		"gs:///x":                                "error: no bucket",
		"s3://b":                                 "error: not a URL of the form",
		"gs://u:geheim@b/x":                      "error: a user and a password",
		"gs://b/../x":                            "error: not a valid key",
		"gs://b/x#y":                             "error: %23",
		"gs://b?tocken=geheim":                   "error: tocken",
		"gs://b?anonymous=perhaps":               "error: neither true nor false",
		"gs://b?forbidden=yes":                   "error: forbidden in the URL can be missing",
		"gs://b?endpoint=ftp://x":                "error: no http or https",
		"gs://b?endpoint=http://u:geheim@host/x": "error: more than scheme",
		"gs://b/%zz?x=geheim":                    "error: not a URL",
	} {
		s, err := Open(t.Context(), raw, Options{})
		if why, ok := strings.CutPrefix(want, "error: "); ok {
			if err == nil || !strings.Contains(err.Error(), why) || strings.Contains(err.Error(), "geheim") {
				t.Errorf("%s: %v, want %q", raw, err, why)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", raw, err)
			continue
		}
		if got := s.URL() + " " + s.Identity("k"); got != want {
			t.Errorf("%s: %s, want %s", raw, got, want)
		}
		if s.Concurrency() != 64 || !s.Conditional() {
			t.Errorf("%s: %d requests at once, conditional %v", raw, s.Concurrency(), s.Conditional())
		}
	}
}

// TestOverlap wants one place to be known under each of its names, and two servers to be
// two places.
func TestOverlap(t *testing.T) {
	t.Setenv("STORAGE_EMULATOR_HOST", "127.0.0.1:4443")
	here, err := Open(t.Context(), "gs://b/x", Options{})
	if err != nil {
		t.Fatal(err)
	}
	for raw, want := range map[string]bool{
		"gs://b/x?endpoint=http://127.0.0.1:4443": true, "gs://b/x/y": true, "gs://b": true, "gs://b/x?anonymous=true": true,
		"gs://b/xy": false, "gs://b/x?endpoint=http://127.0.0.1:4444": false, "gs://b/x?endpoint=" + google: false,
	} {
		if got := store.Overlap(here.Identity(""), locate.Identity(raw)); got != want {
			t.Errorf("%s: %v, want %v", raw, got, want)
		}
	}
}

// TestWho says who is told to be asking, and that nothing secret goes over plain HTTP.
func TestWho(t *testing.T) {
	var got []string
	f := &fake{wrong: func(_ http.ResponseWriter, r *http.Request) bool {
		got = append(got, r.Header.Get("Authorization")+"|"+r.Header.Get("X-Goog-User-Project"))
		return false
	}}
	s := f.open(t, Options{})
	s.Get(t.Context(), "k", store.All(), nil)
	f.values["in/k"] = &value{data: []byte("v"), generation: 1}
	t.Setenv("STORAGE_EMULATOR_HOST", s.api.String())
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", "/nowhere/geheim.json")
	s, err := Open(t.Context(), "gs://b/in?userProject=p", Options{Transport: http.DefaultTransport})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(http.DefaultTransport.(*http.Transport).CloseIdleConnections)
	if b, _, err := s.Get(t.Context(), "k", store.All(), nil); err != nil || string(b) != "v" {
		t.Errorf("%q, %v", b, err)
	}
	if !slices.Equal(got, []string{"|", "|p"}) {
		t.Errorf("headers %q", got)
	}
	if _, err := Open(t.Context(), "gs://b?endpoint=http://example.org", Options{Token: tokens(nil)}); err == nil || !strings.Contains(err.Error(), "not https") {
		t.Errorf("a token over http: %v", err)
	}
}

// TestMissing tells a missing value from a missing bucket and from who may not read it.
func TestMissing(t *testing.T) {
	f := &fake{}
	s := f.open(t, Options{})
	status, said := 0, ""
	f.wrong = func(w http.ResponseWriter, r *http.Request) bool {
		if status != 0 {
			w.WriteHeader(status)
			w.Write([]byte(said))
		}
		return status != 0
	}
	get := func() error {
		_, _, err := s.Get(t.Context(), "k", store.All(), nil)
		return err
	}
	put := func() error {
		_, err := s.Put(t.Context(), "k", nil, store.PutOptions{})
		return err
	}
	list := func() error {
		for _, err := range s.List(t.Context(), "", "") {
			return err
		}
		return nil
	}
	if err := get(); !errors.Is(err, store.ErrNotExist) {
		t.Errorf("a missing value: %v", err)
	}
	if err := s.Delete(t.Context(), "k"); err != nil {
		t.Errorf("delete a missing value: %v", err)
	}
	status, said = 404, `{"error":{"code":404,"message":"The specified bucket does not exist.","errors":[{"reason":"notFound"}]}}`
	for name, f := range map[string]func() error{"get": get, "put": put, "list": list} {
		if err := f(); !errors.Is(err, errBucket) || errors.Is(err, store.ErrNotExist) || !strings.Contains(err.Error(), "gs://b/in") {
			t.Errorf("%s in a missing bucket: %v", name, err)
		}
	}
	said = "Not Found"
	if err := put(); !errors.Is(err, errBucket) {
		t.Errorf("put in a missing bucket: %v", err)
	}
	status, said = 403, `{"error":{"message":"somebody does not have storage.objects.get access.\nmore of it"}}`
	if err := get(); err == nil || errors.Is(err, store.ErrNotExist) || !strings.Contains(err.Error(), "403: somebody does not have storage.objects.get access.") ||
		strings.Contains(err.Error(), "more") {
		t.Errorf("forbidden: %v", err)
	}
	if status = 401; !strings.Contains(get().Error(), "no credentials were sent") {
		t.Errorf("without credentials: %v", get())
	}
	s.lax = true
	for _, status = range []int{401, 403} {
		if err := get(); !errors.Is(err, store.ErrNotExist) {
			t.Errorf("%d with forbidden=missing: %v", status, err)
		}
		if put() == nil || errors.Is(put(), store.ErrNotExist) || list() == nil {
			t.Errorf("%d of what is no read: %v", status, put())
		}
	}
	f.log = nil
	status, said = 403, `{"error":{"message":"slower","errors":[{"reason":"rateLimitExceeded"}]}}`
	if err := get(); err == nil || len(f.log) != 9 {
		t.Errorf("too fast: %v, asked %d times", err, len(f.log))
	}
}

// TestChanged wants no mix of two values.
func TestChanged(t *testing.T) {
	f := &fake{}
	s := f.open(t, Options{})
	for name, change := range map[string]func(){
		"replaced": func() { f.values["in/k"] = &value{data: []byte("abcdefghij"), generation: 2} },
		"shorter":  func() { f.values["in/k"] = &value{data: []byte("a"), generation: 3} },
		"removed":  func() { delete(f.values, "in/k") },
	} {
		f.values["in/k"] = &value{data: []byte("0123456789"), generation: 1}
		o, err := s.Open(t.Context(), "k")
		if err != nil {
			t.Fatal(err)
		}
		if b, info, err := o.Get(t.Context(), store.Suffix(2), nil); err != nil || string(b) != "89" || info.ETag != "1" || store.Tag(o) != "1" {
			t.Fatalf("%q, %+v, %v", b, info, err)
		}
		change()
		if b, _, err := o.Get(t.Context(), store.Part(2, 3), []byte("x")); !errors.Is(err, store.ErrChanged) || string(b) != "x" || !strings.Contains(err.Error(), `"k"`) {
			t.Errorf("%s: %q, %v", name, b, err)
		}
		o.Close()
	}
}

// TestList is about pages, and names that are no keys.
func TestList(t *testing.T) {
	f := &fake{perPage: 2}
	s := f.open(t, Options{})
	for _, name := range []string{"in/a.b", "in/a/1", "in/a/2", "in/a0", "in/b/", "in/b/c/", "in/b//d", "in/c/../e", "in/c/x", "inside", "in/z", "in/"} {
		f.values[name] = &value{data: []byte("v"), generation: 7}
	}
	if got, want := names(t, s, "", ""), []string{"a.b", "a/1", "a/2", "a0", "c/x", "z"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := names(t, s, "", "/"), []string{"a.b", "a/", "a0", "b/", "c/", "z"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	for e, err := range s.List(t.Context(), "", "/") {
		if err != nil || !e.IsPrefix && (e.Size != 1 || e.ETag != "7") {
			t.Errorf("%+v, %v", e, err)
		}
	}
	// All below goes, also what is no key.
	if err := s.Delete(t.Context(), "b/"); err != nil {
		t.Fatal(err)
	}
	for name := range f.values {
		if strings.HasPrefix(name, "in/b/") {
			t.Errorf("%q is still there", name)
		}
	}
	f.wrong = func(w http.ResponseWriter, r *http.Request) bool {
		w.Write([]byte(`{"items":[{"name":"in/k"}],"nextPageToken":"again"}`))
		return true
	}
	var last error
	for _, err := range s.List(t.Context(), "", "") {
		last = err
	}
	if last == nil || !strings.Contains(last.Error(), "circles") {
		t.Errorf("a listing without end: %v", last)
	}
}

// TestDeleteFails wants to hear of what could not be removed.
func TestDeleteFails(t *testing.T) {
	f := &fake{}
	s := f.open(t, Options{})
	for _, name := range []string{"in/a/1", "in/a/2", "in/a/3"} {
		f.values[name] = &value{}
	}
	f.wrong = func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodDelete && strings.HasSuffix(r.URL.Path, "2") {
			http.Error(w, "no", http.StatusForbidden)
			return true
		}
		return false
	}
	if err := s.Delete(t.Context(), "a/"); err == nil || !strings.Contains(err.Error(), "403") {
		t.Errorf("%v", err)
	}
}

func TestLocate(t *testing.T) {
	f := &fake{}
	s := f.open(t, Options{})
	f.values["in/a b"] = &value{data: []byte("v")}
	url, off, n, err := store.Locate(t.Context(), s, "a b")
	if err != nil || !strings.HasPrefix(url, "gs://b/in/a%20b?endpoint=") || off != 0 || n != -1 {
		t.Errorf("%s %d %d %v", url, off, n, err)
	}
	if _, _, _, err := store.Locate(t.Context(), s, "c"); !errors.Is(err, store.ErrNotExist) {
		t.Errorf("missing: %v", err)
	}
}

// TestUnlisted is about a bucket whose values are public, and not the list of them: it is
// read as a web server is, and not written.
func TestUnlisted(t *testing.T) {
	f := &fake{}
	s := f.open(t, Options{})
	f.values["in/k"] = &value{data: []byte("v"), generation: 1}
	f.wrong = func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/storage/v1/b/b/o" {
			return false
		}
		w.WriteHeader(401)
		io.WriteString(w, `{"error":{"message":"Anonymous caller does not have storage.objects.list access."}}`)
		return true
	}
	var err error
	for _, err = range s.List(t.Context(), "", "/") {
	}
	if !errors.Is(err, store.ErrNoList) || !strings.Contains(err.Error(), "storage.objects.list") {
		t.Errorf("%v", err)
	}
	wantValue(t, s, "k", []byte("v"))
	_, put := s.Put(t.Context(), "k", nil, store.PutOptions{})
	_, from := s.PutFrom(t.Context(), "k", strings.NewReader(""), 0)
	for _, err := range []error{put, from, s.Delete(t.Context(), "k"), s.Delete(t.Context(), "x/")} {
		if !errors.Is(err, store.ErrReadOnly) {
			t.Errorf("written: %v", err)
		}
	}
	// With credentials it is an error like others: what is there must be seen.
	n := 0
	s = f.open(t, Options{Token: tokens(&n)})
	f.wrong = func(w http.ResponseWriter, r *http.Request) bool {
		http.Error(w, "no", http.StatusForbidden)
		return true
	}
	for _, err = range s.List(t.Context(), "", "/") {
	}
	if err == nil || errors.Is(err, store.ErrNoList) {
		t.Errorf("with credentials: %v", err)
	}
}
