package azblob

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/omnizarr/zarr/locate"
	"github.com/omnizarr/zarr/store"
)

func TestOpenURL(t *testing.T) {
	const key = "Z2VoZWlt" // "geheim"
	for _, c := range []struct {
		url  string
		env  map[string]string
		want string // how requests are allowed, the container's URL, what it is known by
	}{
		{"azblob://c", map[string]string{"AZURE_STORAGE_ACCOUNT": "me", "AZURE_STORAGE_KEY": key}, "key https://me.blob.core.windows.net/c azblob://c?account=me"},
		{"azblob://c/x", map[string]string{"AZURE_STORAGE_ACCOUNT_NAME": "me", "AZURE_STORAGE_ACCOUNT_KEY": key}, "key https://me.blob.core.windows.net/c azblob://c/x?account=me"},
		{"azblob://c/x?account=you", map[string]string{"AZURE_STORAGE_ACCOUNT": "me", "AZURE_STORAGE_KEY": key}, "token https://you.blob.core.windows.net/c azblob://c/x?account=you"},
		{"azblob://c?account=me&anonymous=true", map[string]string{"AZURE_STORAGE_KEY": key}, "nobody https://me.blob.core.windows.net/c azblob://c?account=me&anonymous=true"},
		{"azblob://c", map[string]string{"AZURE_STORAGE_ACCOUNT": "me", "AZURE_STORAGE_SAS_TOKEN": "?sv=1&sig=geheim"}, "sas https://me.blob.core.windows.net/c azblob://c?account=me"},
		{"azblob://c/x?account=me&sv=1&sig=geheim", nil, "sas https://me.blob.core.windows.net/c azblob://c/x?account=me"},
		{"azblob://c", map[string]string{"AZURE_STORAGE_CONNECTION_STRING": "DefaultEndpointsProtocol=https;AccountName=me;AccountKey=" + key + ";EndpointSuffix=core.chinacloudapi.cn"},
			"key https://me.blob.core.chinacloudapi.cn/c azblob://c?account=me&endpoint=https://me.blob.core.chinacloudapi.cn"},
		{"azblob://c", map[string]string{"AZURE_STORAGE_CONNECTION_STRING": "BlobEndpoint=https://me.blob.core.windows.net/;SharedAccessSignature=sv=1&sig=geheim"},
			"sas https://me.blob.core.windows.net/c azblob://c?account=me"},
		{"azblob://c", map[string]string{"AZURE_STORAGE_CONNECTION_STRING": "UseDevelopmentStorage=true"},
			"key http://127.0.0.1:10000/devstoreaccount1/c azblob://c?account=devstoreaccount1&endpoint=http://127.0.0.1:10000/devstoreaccount1"},
		{"azblob://c?account=you", map[string]string{"AZURE_STORAGE_CONNECTION_STRING": "AccountName=me;AccountKey=" + key}, "token https://you.blob.core.windows.net/c azblob://c?account=you"},
		{"azblob://c?endpoint=http://127.0.0.1:1/", map[string]string{"AZURE_STORAGE_ACCOUNT": "me", "AZURE_STORAGE_KEY": key},
			"key http://127.0.0.1:1/me/c azblob://c?account=me&endpoint=http://127.0.0.1:1/me"},
		{"azblob://c?endpoint=http://127.0.0.1:1/me", map[string]string{"AZURE_STORAGE_KEY": key}, "key http://127.0.0.1:1/me/c azblob://c?account=me&endpoint=http://127.0.0.1:1/me"},
		{"azblob://c?endpoint=https://me.blob.core.windows.net&anonymous=true", nil, "nobody https://me.blob.core.windows.net/c azblob://c?account=me&anonymous=true"},
		{"azblob://c", nil, "error: no account is named: add ?account=NAME"},
		{"azblob://c?account=a.b", nil, "error: no name of an account"},
		{"azblob://c?account=me", map[string]string{"AZURE_STORAGE_KEY": "geheim!"}, "error: not in base64"},
		{"azblob://c?account=me", map[string]string{"AZURE_STORAGE_SAS_TOKEN": "geheim"}, "error: no shared access signature"},
		{"azblob://c?account=me&endpoint=http://example.org", nil, "error: not https"},
		{"azblob://c?account=me&endpoint=http://example.org&sig=geheim", nil, "error: not https"},
		{"azblob://c?account=me&tocken=geheim", nil, "error: tocken"},
		{"azblob://?account=me", nil, "error: no bucket"},
	} {
		noEnv(t)
		for name, v := range c.env {
			t.Setenv(name, v)
		}
		s, err := Open(t.Context(), c.url, Options{})
		if why, ok := strings.CutPrefix(c.want, "error: "); ok {
			if err == nil || !strings.Contains(err.Error(), why) || strings.Contains(err.Error(), "geheim") {
				t.Errorf("%s: %v, want %q", c.url, err, why)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.url, err)
			continue
		}
		who := "nobody"
		switch {
		case s.key != nil:
			who = "key"
		case s.sas != nil:
			who = "sas"
		case s.tokens != nil:
			who = "token"
		}
		if got := fmt.Sprint(who, " ", s.api.String(), " ", s.Identity("")); got != c.want {
			t.Errorf("%s: %s, want %s", c.url, got, c.want)
		}
		if strings.Contains(s.URL(), "geheim") || locate.Identity(c.url) != s.Identity("") {
			t.Errorf("%s: URL %s, identity %s", c.url, s.URL(), locate.Identity(c.url))
		}
	}
}

// TestOverlap wants one place to be known under each of its names, and two accounts to be
// two places.
func TestOverlap(t *testing.T) {
	noEnv(t)
	t.Setenv("AZURE_STORAGE_ACCOUNT", "me")
	here, err := Open(t.Context(), "azblob://c/x", Options{})
	if err != nil {
		t.Fatal(err)
	}
	for raw, want := range map[string]bool{
		"azblob://c/x/y": true, "azblob://c/x?account=me": true, "azblob://c?endpoint=https://me.blob.core.windows.net": true,
		"azblob://c/x?account=you": false, "azblob://d/x": false,
	} {
		if got := store.Overlap(here.Identity(""), locate.Identity(raw)); got != want {
			t.Errorf("%s: %v, want %v", raw, got, want)
		}
	}
}

// TestSignature wants a shared access signature in each request, and in no error.
func TestSignature(t *testing.T) {
	f := &fake{wrong: func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Query().Get("sig") != "ge/heim+=" || r.Header.Get("Authorization") != "" {
			refuse(w, 403, "AuthenticationFailed")
			return true
		}
		return false
	}}
	s := f.open(t, "&sv=2&sig=ge%2Fheim%2B%3D", Options{})
	if _, err := s.Put(t.Context(), "k", []byte("v"), store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	wantValue(t, s, "k", []byte("v"))
	for _, err := range s.List(t.Context(), "", "") {
		if err != nil {
			t.Error(err)
		}
	}
	s.sas.Set("sig", "geheim")
	_, _, err := s.Get(t.Context(), "k", store.All(), nil)
	if err == nil || strings.Contains(err.Error(), "geheim") || !strings.Contains(err.Error(), "server answers 403 AuthenticationFailed: It is so.") {
		t.Errorf("%v", err)
	}
}

// TestRefused wants a token that is refused to be replaced, and no token in errors.
func TestRefused(t *testing.T) {
	made := 0
	token := func(context.Context) (string, time.Time, error) {
		made++
		return fmt.Sprintf("geheim-%d", made), time.Time{}, nil
	}
	good := "Bearer geheim-2"
	f := &fake{wrong: func(w http.ResponseWriter, r *http.Request) bool {
		if r.Header.Get("Authorization") != good {
			refuse(w, 401, "InvalidAuthenticationInfo")
			return true
		}
		return false
	}}
	s := f.open(t, "", Options{Token: token})
	if _, err := s.Put(t.Context(), "k", []byte("v"), store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	if wantValue(t, s, "k", []byte("v")); made != 2 {
		t.Errorf("%d tokens were asked for", made)
	}
	good = "none"
	if _, _, err := s.Get(t.Context(), "k", store.All(), nil); err == nil || !strings.Contains(err.Error(), "401") || strings.Contains(err.Error(), "geheim") {
		t.Errorf("%v", err)
	}
}

func noise(n int) []byte {
	b := make([]byte, n)
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	return b
}

func wantValue(t *testing.T, s *Store, key string, data []byte) {
	t.Helper()
	got, _, err := s.Get(t.Context(), key, store.All(), nil)
	if err != nil || !bytes.Equal(got, data) {
		t.Errorf("%q: %d bytes, %v; want %d", key, len(got), err, len(data))
	}
}

// TestBlocks puts values that go in blocks, whatever happens to some of those.
func TestBlocks(t *testing.T) {
	data := noise(1<<20 + 12345)
	every := func(n int, answer int) func(*http.Request) int {
		i := 0
		return func(*http.Request) int {
			if i++; i%n == 1 {
				return answer
			}
			return 0
		}
	}
	once := func(f *fake, comp string, do func()) func(http.ResponseWriter, *http.Request) bool {
		done := false
		return func(_ http.ResponseWriter, r *http.Request) bool {
			if r.URL.Query().Get("comp") == comp && !done {
				done = true
				do()
			}
			return false
		}
	}
	for name, f := range map[string]*fake{
		"nothing goes wrong":   {},
		"answers are lost":     {after: every(3, -1)},
		"the server is busy":   {after: every(3, 503)},
		"the list is answered": {after: every(6, 500)},
		"blocks are swept away": func() *fake {
			f := &fake{}
			f.wrong = once(f, "blocklist", func() { clear(f.blocks) })
			return f
		}(),
	} {
		t.Run(name, func(t *testing.T) {
			s := f.open(t, "&anonymous=true", Options{})
			info, err := s.Put(t.Context(), "k", data, store.PutOptions{IfAbsent: true})
			if err != nil {
				t.Fatal(err)
			}
			if info.Size != int64(len(data)) || info.ETag == "" {
				t.Errorf("%+v", info)
			}
			wantValue(t, s, "k", data)
			for _, size := range []int64{-1, int64(len(data))} {
				if _, err := s.PutFrom(t.Context(), "k", iotest.HalfReader(bytes.NewReader(data)), size); err != nil {
					t.Fatal(err)
				}
				wantValue(t, s, "k", data)
			}
			if f.asked(" block ") < 15 {
				t.Errorf("requests: %q", f.log)
			}
		})
	}
}

// TestStream wants a stream to be stored wholly or not at all.
func TestStream(t *testing.T) {
	f := &fake{}
	s := f.open(t, "&anonymous=true", Options{})
	data := noise(600 << 10)
	for name, c := range map[string]struct {
		r    io.Reader
		size int64
	}{
		"fails":         {io.MultiReader(bytes.NewReader(data), iotest.ErrReader(errors.New("torn"))), -1},
		"fails at once": {iotest.ErrReader(errors.New("torn")), 5},
		"shorter":       {bytes.NewReader(data), int64(len(data)) + 1},
		"longer":        {bytes.NewReader(data), int64(len(data)) - 1},
	} {
		if _, err := s.PutFrom(t.Context(), "k", c.r, c.size); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if len(f.values) != 0 {
		t.Errorf("there is %v", f.values)
	}
	f.wrong = func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Query().Get("comp") == "blocklist" {
			clear(f.blocks)
		}
		return false
	}
	if _, err := s.PutFrom(t.Context(), "k", bytes.NewReader(data), -1); err == nil || !strings.Contains(err.Error(), "InvalidBlockList") || len(f.values) != 0 {
		t.Errorf("blocks are gone: %v", err)
	}
	f.wrong = nil
	for _, size := range []int64{0, 1, 256 << 10, 512 << 10, 600 << 10} {
		for _, announced := range []int64{-1, size} {
			if _, err := s.PutFrom(t.Context(), "k", bytes.NewReader(data[:size]), announced); err != nil {
				t.Fatal(err)
			}
			wantValue(t, s, "k", data[:size])
		}
	}
}

// TestLostAnswer is about conditional puts that are tried again though they were done.
func TestLostAnswer(t *testing.T) {
	for _, data := range [][]byte{[]byte("mine"), noise(1 << 20)} {
		f := &fake{}
		s := f.open(t, "&anonymous=true", Options{})
		lose := true
		f.after = func(r *http.Request) int {
			if lose && r.Method == http.MethodPut && r.URL.Query().Get("comp") != "block" {
				lose = false
				return 502
			}
			return 0
		}
		info, err := s.Put(t.Context(), "k", data, store.PutOptions{IfAbsent: true})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Put(t.Context(), "k", data, store.PutOptions{IfAbsent: true}); !errors.Is(err, store.ErrPrecondition) {
			t.Errorf("the same bytes by another: %v", err)
		}
		lose = true
		if info, err = s.Put(t.Context(), "k", append(data, 1), store.PutOptions{IfMatch: info.ETag}); err != nil {
			t.Fatal(err)
		}
		if _, now, _ := s.Get(t.Context(), "k", store.Part(0, 0), nil); now.ETag != info.ETag {
			t.Errorf("tag %q, want %q", info.ETag, now.ETag)
		}
		if _, err := s.Put(t.Context(), "k", data, store.PutOptions{IfMatch: `"0x77"`}); !errors.Is(err, store.ErrPrecondition) {
			t.Errorf("another tag: %v", err)
		}
	}
}

// TestSuffix counts requests, and lets the value be replaced between the two.
func TestSuffix(t *testing.T) {
	f := &fake{}
	s := f.open(t, "&anonymous=true", Options{})
	f.values["in/k"] = &value{data: []byte("0123456789"), tag: `"1"`}
	replace := 1
	f.wrong = func(_ http.ResponseWriter, r *http.Request) bool {
		if replace > 0 && r.Header.Get("If-Match") != "" {
			replace--
			f.values["in/k"] = &value{data: []byte("abcdef"), tag: `"2"`}
		}
		return false
	}
	b, info, err := s.Get(t.Context(), "k", store.Suffix(3), []byte("x"))
	if err != nil || string(b) != "xdef" || info.Size != 6 || len(f.log) != 4 {
		t.Errorf("%q, %+v, %v after %q", b, info, err, f.log)
	}
	// Now its size is known, and the end of it takes one request, as long as it is the same.
	f.log = nil
	if b, _, err = s.Get(t.Context(), "k", store.Suffix(2), nil); err != nil || string(b) != "ef" || len(f.log) != 1 {
		t.Errorf("%q, %v after %q", b, err, f.log)
	}
	for tag, data := range map[string]string{`"4"`: "a longer one", `"5"`: "x", `"6"`: ""} {
		f.values["in/k"], f.log = &value{data: []byte(data), tag: tag}, nil
		want := data[max(0, len(data)-2):]
		if b, info, err = s.Get(t.Context(), "k", store.Suffix(2), nil); err != nil || string(b) != want || info.ETag != tag || len(f.log) > 3 {
			t.Errorf("%q, %+v, %v after %q", b, info, err, f.log)
		}
		if b, _, err = s.Get(t.Context(), "k", store.Suffix(2), nil); err != nil || string(b) != want {
			t.Errorf("again: %q, %v", b, err)
		}
	}
	delete(f.values, "in/k")
	if _, _, err = s.Get(t.Context(), "k", store.Suffix(2), nil); !errors.Is(err, store.ErrNotExist) {
		t.Errorf("removed: %v", err)
	}
	f.values["in/k"] = &value{data: []byte("abcdef"), tag: `"2"`}
	o, err := s.Open(t.Context(), "k")
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	if b, _, err = o.Get(t.Context(), store.Suffix(2), nil); err != nil || string(b) != "ef" {
		t.Errorf("%q, %v", b, err)
	}
	for name, change := range map[string]func(){
		"replaced": func() { f.values["in/k"] = &value{data: []byte("ABCDEF"), tag: `"3"`} },
		"removed":  func() { delete(f.values, "in/k") },
	} {
		change()
		for _, r := range []store.Range{store.Suffix(2), store.Part(0, 2), store.All()} {
			if b, _, err := o.Get(t.Context(), r, nil); !errors.Is(err, store.ErrChanged) {
				t.Errorf("%s: %q, %v", name, b, err)
			}
		}
	}
}

func names(t *testing.T, s store.Reader, prefix, delimiter string) (all []string) {
	t.Helper()
	for e, err := range s.List(t.Context(), prefix, delimiter) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e.Key)
	}
	return all
}

// TestList is about pages, names that are no keys, and such as XML cannot hold.
func TestList(t *testing.T) {
	f := &fake{perPage: 2}
	s := f.open(t, "&anonymous=true", Options{})
	for _, name := range []string{"in/a.b", "in/a/1", "in/a/2", "in/a0", "in/b/", "in/c//e", "in/c/x", "inside", "in/q&<\uffff>", "in/z"} {
		f.values[name] = &value{data: []byte("v"), tag: `"7"`}
	}
	if got, want := names(t, s, "", ""), []string{"a.b", "a/1", "a/2", "a0", "c/x", "q&<\uffff>", "z"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := names(t, s, "", "/"), []string{"a.b", "a/", "a0", "b/", "c/", "q&<\uffff>", "z"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	for e, err := range s.List(t.Context(), "", "") {
		if err != nil || e.Size != 1 || e.ETag != `"7"` {
			t.Errorf("%+v, %v", e, err)
		}
	}
	if err := s.Delete(t.Context(), "c/"); err != nil || f.values["in/c//e"] != nil || f.values["in/c/x"] != nil || f.values["in/z"] == nil {
		t.Errorf("%v, left %v", err, f.values)
	}
}

// TestFolders is about accounts that have folders: with names of their own, in an order of
// their own, there also when they are empty.
func TestFolders(t *testing.T) {
	f := &fake{folders: true}
	s := f.open(t, "&anonymous=true", Options{})
	for _, name := range []string{"in", "in/a", "in/a/b", "in/a/b/empty", "in/c"} {
		f.values[name] = &value{folder: true}
	}
	for _, name := range []string{"in/a.z", "in/a/1", "in/a/b/2", "in/c/3"} {
		f.values[name] = &value{data: []byte("v"), tag: `"7"`}
	}
	if got, want := names(t, s, "", ""), []string{"a.z", "a/1", "a/b/2", "c/3"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := names(t, s, "", "/"), []string{"a.z", "a/", "c/"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if err := s.Delete(t.Context(), "a/"); err != nil {
		t.Fatal(err)
	}
	for name := range f.values {
		if strings.HasPrefix(name, "in/a/") {
			t.Errorf("%q is still there", name)
		}
	}
	if len(f.values) != 5 {
		t.Errorf("left %v", f.values)
	}
}

// TestMissing tells a missing value from a missing container and from who may not read it.
func TestMissing(t *testing.T) {
	f := &fake{}
	s := f.open(t, "&anonymous=true", Options{})
	code, status := "", 0
	f.wrong = func(w http.ResponseWriter, r *http.Request) bool {
		if status != 0 {
			refuse(w, status, code)
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
	status, code = 404, "ContainerNotFound"
	for name, f := range map[string]func() error{"get": get, "put": put, "list": list} {
		if err := f(); !errors.Is(err, errContainer) || errors.Is(err, store.ErrNotExist) {
			t.Errorf("%s in a missing container: %v", name, err)
		}
	}
	status, code = 409, "PublicAccessNotPermitted"
	if err := get(); err == nil || !strings.Contains(err.Error(), "PublicAccessNotPermitted: It is so. (no credentials were sent)") {
		t.Errorf("not public: %v", err)
	}
	f.log = nil
	status, code = 503, "ServerBusy"
	if err := get(); err == nil || len(f.log) != 9 || !strings.Contains(err.Error(), "503 ServerBusy: It is so. (tried 9 times)") {
		t.Errorf("too fast: %v, asked %d times", err, len(f.log))
	}
}

func TestLocate(t *testing.T) {
	f := &fake{}
	s := f.open(t, "&anonymous=true", Options{})
	f.values["in/a b"] = &value{data: []byte("v")}
	url, off, n, err := store.Locate(t.Context(), s, "a b")
	if err != nil || !strings.HasPrefix(url, "azblob://c/in/a%20b?account=a&") || off != 0 || n != -1 {
		t.Errorf("%s %d %d %v", url, off, n, err)
	}
	if _, _, _, err := store.Locate(t.Context(), s, "c"); !errors.Is(err, store.ErrNotExist) {
		t.Errorf("missing: %v", err)
	}
}

// TestUnlisted is about a container whose values are public, and not the list of them: it
// is read as a web server is, and not written.
func TestUnlisted(t *testing.T) {
	for code, status := range map[string]int{"ResourceNotFound": 404, "NoAuthenticationInformation": 401, "AuthorizationFailure": 403} {
		f := &fake{}
		s := f.open(t, "&anonymous=true", Options{})
		f.values["in/k"] = &value{data: []byte("v"), tag: `"1"`}
		f.wrong = func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Query().Get("comp") != "list" {
				return false
			}
			refuse(w, status, code)
			return true
		}
		var err error
		for _, err = range s.List(t.Context(), "", "/") {
		}
		if !errors.Is(err, store.ErrNoList) || errors.Is(err, errContainer) {
			t.Errorf("%s: %v", code, err)
		}
		wantValue(t, s, "k", []byte("v"))
		if _, err := s.Put(t.Context(), "k", nil, store.PutOptions{}); !errors.Is(err, store.ErrReadOnly) {
			t.Errorf("written: %v", err)
		}
		if err := s.Delete(t.Context(), "k"); !errors.Is(err, store.ErrReadOnly) {
			t.Errorf("removed: %v", err)
		}
	}
}
