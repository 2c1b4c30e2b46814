package s3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/omnizarr/zarr/store"
)

// said makes an answer in the form of S3.
func answered(r *http.Request, status int, header http.Header, body string) *http.Response {
	if header == nil {
		header = make(http.Header)
	}
	return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)), Request: r}
}

func fault(code, message string) string {
	return fmt.Sprintf("<Error><Code>%s</Code><Message>%s</Message></Error>", code, message)
}

// tripper is a server without a network.
type tripper func(r *http.Request) *http.Response

func (f tripper) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		r.Body.Close()
	}
	return f(r), nil
}

// with opens a bucket on a made-up server, with fixed credentials.
func with(t *testing.T, url string, server tripper) *Store {
	t.Helper()
	clean(t)
	s, err := Open(ctx, url, Options{Transport: server, Wait: 1, MaxWait: 1, Credentials: fixed(Credentials{ID: "me", Secret: "secret", Token: "session"})})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestTheRegionIsFound asks in the wrong region, at AWS and elsewhere, with and without
// credentials, by one goroutine and by many.
func TestTheRegionIsFound(t *testing.T) {
	var asked atomic.Int32
	var last atomic.Pointer[http.Request]
	right := func(r *http.Request) bool {
		return strings.Contains(r.Header.Get("Authorization"), "/eu-west-3/s3/") || r.Header.Get("Authorization") == "" && strings.Contains(r.URL.Host, "eu-west-3")
	}
	server := func(status int, header http.Header, body string) tripper {
		return func(r *http.Request) *http.Response {
			asked.Add(1)
			last.Store(r)
			if right(r) {
				return answered(r, 200, nil, "value")
			}
			return answered(r, status, header, body)
		}
	}
	told := http.Header{"X-Amz-Bucket-Region": {"eu-west-3"}}
	const malformed = "<Error><Code>AuthorizationHeaderMalformed</Code><Message>wrong</Message><Region>eu-west-3</Region></Error>"
	for name, c := range map[string]struct {
		url    string
		server tripper
		host   string
	}{
		"301":       {"s3://bucket/d", server(301, told, ""), "bucket.s3.eu-west-3.amazonaws.com"},
		"400":       {"s3://bucket/d?region=us-west-1", server(400, nil, malformed), "bucket.s3.eu-west-3.amazonaws.com"},
		"dots":      {"s3://my.bucket/d", server(301, told, ""), "s3.eu-west-3.amazonaws.com"},
		"anonymous": {"s3://bucket/d?anonymous=true", server(301, told, ""), "bucket.s3.eu-west-3.amazonaws.com"},
		"endpoint":  {"s3://bucket/d?endpoint=http://127.0.0.1:1", server(400, nil, malformed), "127.0.0.1:1"},
	} {
		s := with(t, c.url, c.server)
		asked.Store(0)
		for range 2 {
			if b, _, err := s.Get(ctx, "k", store.All(), nil); err != nil || string(b) != "value" {
				t.Errorf("%s: %q, %v", name, b, err)
			}
		}
		if asked.Load() != 3 || last.Load().URL.Host != c.host {
			t.Errorf("%s: %d requests, to %s", name, asked.Load(), last.Load().URL)
		}
		s = with(t, c.url, c.server)
		var wg sync.WaitGroup
		for range 16 {
			wg.Go(func() {
				if _, err := s.Put(ctx, "k", []byte("x"), store.PutOptions{}); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			})
		}
		wg.Wait()
	}
	s := with(t, "s3://bucket/d", func(r *http.Request) *http.Response {
		return answered(r, 301, http.Header{"X-Amz-Bucket-Region": {"us-east-1"}}, "")
	})
	if _, _, err := s.Get(ctx, "k", store.All(), nil); err == nil || !strings.Contains(err.Error(), "301") {
		t.Errorf("a region that leads nowhere: %v", err)
	}
	s = with(t, "s3://bucket/d", func(r *http.Request) *http.Response {
		return answered(r, 301, http.Header{"X-Amz-Bucket-Region": {"evil.example/"}}, "")
	})
	if _, _, err := s.Get(ctx, "k", store.All(), nil); err == nil || !strings.Contains(err.Error(), "301") {
		t.Errorf("a region that is none: %v", err)
	}
}

// TestExpiredCredentials are fetched anew, once.
func TestExpiredCredentials(t *testing.T) {
	clean(t)
	fetched := 0
	good := 2
	server := tripper(func(r *http.Request) *http.Response {
		if r.Header.Get("X-Amz-Security-Token") == fmt.Sprint("token-", good) && strings.Contains(r.Header.Get("Authorization"), fmt.Sprint("Credential=id-", good, "/")) {
			return answered(r, 200, nil, "value")
		}
		return answered(r, 400, nil, fault("ExpiredToken", "The provided token has expired."))
	})
	open := func(from provider) *Store {
		s, err := Open(ctx, "s3://bucket/d", Options{Transport: server, Wait: 1, MaxWait: 1, Credentials: from})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := open(func(context.Context) (Credentials, error) {
		fetched++
		return Credentials{ID: fmt.Sprint("id-", fetched), Secret: "s", Token: fmt.Sprint("token-", fetched)}, nil
	})
	for range 2 {
		if b, _, err := s.Get(ctx, "k", store.All(), nil); err != nil || string(b) != "value" || fetched != 2 {
			t.Errorf("%q, %v, fetched %d times", b, err, fetched)
		}
	}
	fetched = 0
	s = open(func(context.Context) (Credentials, error) {
		fetched++
		return Credentials{ID: "id", Secret: "s", Token: "t"}, nil
	})
	_, _, err := s.Get(ctx, "k", store.All(), nil)
	if err == nil || !strings.Contains(err.Error(), "ExpiredToken") || !strings.Contains(err.Error(), "get new credentials") || fetched != 2 {
		t.Errorf("%v, fetched %d times", err, fetched)
	}
}

// TestCredentialsAreKeptAsLongAsTheyAreGood lets time pass.
func TestCredentialsAreKeptAsLongAsTheyAreGood(t *testing.T) {
	clean(t)
	synctest.Test(t, func(t *testing.T) {
		fetched := 0
		k := &keyring{busy: make(chan struct{}, 1), from: func(context.Context) (Credentials, error) {
			fetched++
			return Credentials{ID: "a", Expires: time.Now().Add(time.Hour)}, nil
		}}
		for range 121 {
			if _, err := k.get(ctx); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Minute)
		}
		if fetched != 3 {
			t.Errorf("fetched %d times in two hours", fetched)
		}
	})
}

// TestClocks has a server whose clock is ahead by a day.
func TestClocks(t *testing.T) {
	const ahead = 24 * time.Hour
	tolerant, asked := true, 0
	s := with(t, "s3://bucket/d", nil)
	synctest.Test(t, func(t *testing.T) {
		var err error
		s, err = Open(ctx, "s3://bucket/d", Options{Wait: 1, MaxWait: 1, Credentials: fixed(Credentials{ID: "me", Secret: "s"}), Transport: tripper(func(r *http.Request) *http.Response {
			asked++
			at, err := time.Parse(stamp, r.Header.Get("X-Amz-Date"))
			if err == nil && tolerant && at.Sub(time.Now().Add(ahead)).Abs() < 15*time.Minute && strings.Contains(r.Header.Get("Authorization"), at.Format("20060102")) {
				return answered(r, 200, nil, "value")
			}
			return answered(r, 403, http.Header{"Date": {time.Now().Add(ahead).UTC().Format(http.TimeFormat)}}, fault("RequestTimeTooSkewed", "too large"))
		})})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if b, _, err := s.Get(ctx, "k", store.All(), nil); err != nil || string(b) != "value" {
				t.Errorf("%q, %v", b, err)
			}
		}
		if asked != 3 {
			t.Errorf("%d requests", asked)
		}
		tolerant, asked = false, 0
		if _, _, err := s.Get(ctx, "k", store.All(), nil); err == nil || !strings.Contains(err.Error(), "set the clock") || asked > 2 {
			t.Errorf("%v after %d requests", err, asked)
		}
	})
}

// TestNothingIsSignedForOthers sends requests to a server that redirects them.
func TestNothingIsSignedForOthers(t *testing.T) {
	clean(t)
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t.Errorf("the other server is asked: %s %s, with %v", r.Method, r.URL, r.Header)
	}))
	defer other.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", other.URL+r.URL.Path)
			w.WriteHeader(status)
		}))
		s, err := Open(ctx, "s3://bucket/d?endpoint="+server.URL, Options{Remote: store.Remote{Retries: -1}, Credentials: fixed(Credentials{ID: "me", Secret: "secret", Token: "session"})})
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := s.Get(ctx, "k", store.All(), nil); err == nil {
			t.Error("get: no error")
		}
		if _, err := s.Put(ctx, "k", []byte("x"), store.PutOptions{}); err == nil {
			t.Error("put: no error")
		}
		server.Close()
	}
}

// TestAPublicBucketThatNobodyMayList is read as a web server is, and not written.
func TestAPublicBucketThatNobodyMayList(t *testing.T) {
	for _, url := range []string{"s3://bucket/d?anonymous=true", "s3://bucket/d"} {
		anonymous := strings.Contains(url, "?")
		puts := 0
		s := with(t, url, func(r *http.Request) *http.Response {
			if r.Method == http.MethodPut {
				puts++
			}
			if r.URL.RawQuery != "" {
				return answered(r, 403, nil, fault("AccessDenied", "Access Denied"))
			}
			return answered(r, 200, nil, "value")
		})
		for _, err := range s.List(ctx, "", "/") {
			if errors.Is(err, store.ErrNoList) != anonymous || err == nil || !strings.Contains(err.Error(), "AccessDenied") {
				t.Errorf("list of %s: %v", url, err)
			}
		}
		if b, _, err := s.Get(ctx, "k", store.All(), nil); err != nil || string(b) != "value" {
			t.Errorf("get of %s: %q, %v", url, b, err)
		}
		_, err := s.Put(ctx, "k", nil, store.PutOptions{})
		if errors.Is(err, store.ErrReadOnly) != anonymous || (puts > 0) == anonymous {
			t.Errorf("put to %s: %v", url, err)
		}
	}
}

// TestWhatAnswersMean reads errors as servers spell them.
func TestWhatAnswersMean(t *testing.T) {
	for _, c := range []struct {
		url    string
		status int
		body   string
		is     error
		says   string
		times  int
	}{
		{"s3://bucket/d", 404, fault("NoSuchKey", "no"), store.ErrNotExist, "", 1},
		{"s3://bucket/d", 404, "", store.ErrNotExist, "", 1},
		{"s3://bucket/d", 404, fault("NoSuchBucket", "no"), nil, `there is no bucket "bucket"`, 1},
		{"s3://bucket/d", 403, fault("AccessDenied", "Access\nDenied"), nil, "403 AccessDenied: Access Denied (or the key is missing", 1},
		{"s3://bucket/d?forbidden=missing", 403, fault("AccessDenied", "no"), store.ErrNotExist, "", 1},
		{"s3://bucket/d?forbidden=missing", 403, fault("SignatureDoesNotMatch", "no"), nil, "SignatureDoesNotMatch", 1},
		{"s3://bucket/d?anonymous=true", 403, fault("AccessDenied", "no"), nil, "without credentials", 1},
		{"s3://bucket/d", 503, fault("SlowDown", "Reduce your rate."), nil, "503 SlowDown: Reduce your rate. (tried 9 times)", 9},
		{"s3://bucket/d", 400, fault("RequestTimeout", "idle"), nil, "RequestTimeout", 9},
		{"s3://bucket/d", 500, "<html>busy</html>", nil, "500", 9},
		{"s3://bucket/d", 403, fault("Long", strings.Repeat("word ", 1000)), nil, "word …", 1},
	} {
		asked := 0
		s := with(t, c.url, func(r *http.Request) *http.Response { asked++; return answered(r, c.status, nil, c.body) })
		_, _, err := s.Get(ctx, "k", store.All(), nil)
		if err == nil || c.is != nil && !errors.Is(err, c.is) || c.is == nil && errors.Is(err, store.ErrNotExist) || !strings.Contains(err.Error(), c.says) || asked != c.times {
			t.Errorf("%d %s: %v after %d requests", c.status, c.body[:min(len(c.body), 60)], err, asked)
		}
		if strings.Contains(err.Error(), "\n") || len(err.Error()) > 500 || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "session") {
			t.Errorf("error %q", err)
		}
	}
}
