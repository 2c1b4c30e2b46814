package s3

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/omnizarr/zarr/internal/cloudtest"
	"github.com/omnizarr/zarr/store"
)

// leave begins an upload and does not end it, as a process that is killed.
func leave(t *testing.T, s *Store, key string) {
	t.Helper()
	a := &ask{method: http.MethodPost, key: key, query: url.Values{"uploads": {""}}}
	if _, err := s.client.Do(ctx, s.asking(a), maxAnswer); err != nil {
		t.Fatal(err)
	}
}

// hidden are the keys of uploads below a prefix, without what names the uploads.
func hidden(t *testing.T, s *Store, prefix string, before time.Time) (keys, whole []string) {
	t.Helper()
	for e, err := range s.uploadsBefore(ctx, prefix, before) {
		if err != nil {
			t.Fatal(err)
		}
		key, _, ok := strings.Cut(e.Key, uploadMark)
		if !ok || e.Why != store.Temporary || e.Modified.IsZero() {
			t.Errorf("%+v", e)
		}
		keys, whole = append(keys, key), append(whole, e.Key)
	}
	slices.Sort(keys)
	return keys, whole
}

// TestUploadsThatWereLeft finds uploads that nobody ended, by their age, and removes them
// and nothing else.
func TestUploadsThatWereLeft(t *testing.T) {
	test := func(t *testing.T, s *Store) {
		if _, err := s.Put(ctx, "a/c/0", []byte("value"), store.PutOptions{}); err != nil {
			t.Fatal(err)
		}
		for _, key := range []string{"a/c/0", "a/c/0", "a/odd & name", "b/c/0"} {
			leave(t, s, key)
		}
		soon := time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)
		keys, whole := hidden(t, s, "a/", soon)
		if want := []string{"a/c/0", "a/c/0", "a/odd & name"}; !slices.Equal(keys, want) {
			t.Errorf("%q, want %q", keys, want)
		}
		if keys, _ := hidden(t, s, "", time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)); len(keys) > 0 {
			t.Errorf("begun just now: %q", keys)
		}
		for _, key := range append(whole, whole...) { // the second time it is gone
			if err := s.Sweep(ctx, key); err != nil {
				t.Error(err)
			}
		}
		if keys, _ := hidden(t, s, "", soon); !slices.Equal(keys, []string{"b/c/0"}) {
			t.Errorf("left: %q", keys)
		}
		if got, _, err := s.Get(ctx, "a/c/0", store.All(), nil); err != nil || string(got) != "value" {
			t.Errorf("%q, %v", got, err)
		}
		if err := s.Sweep(ctx, "a/c/0"); err == nil {
			t.Error("a value was swept")
		}
	}
	t.Run("memory", func(t *testing.T) { test(t, small(t, &cloudtest.Memory{}, Options{}, nil)) })
	t.Run("server", func(t *testing.T) { test(t, onServer(t, Options{})) })
}

// TestUploadsThatMayNotBeSeen has servers that do not tell of uploads: that is no reason
// for a copy or a check to fail.
func TestUploadsThatMayNotBeSeen(t *testing.T) {
	for status, right := range map[int]bool{403: true, 405: true, 501: true, 404: true, 500: false} {
		s := small(t, &cloudtest.Memory{}, Options{Remote: store.Remote{Retries: -1}}, func(http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.WriteHeader(status)
				if status == 403 {
					w.Write([]byte("<Error><Code>AccessDenied</Code></Error>"))
				}
			})
		})
		for e, err := range s.Hidden(ctx, "") {
			if err == nil || right {
				t.Errorf("%d: %v, %v", status, e, err)
			}
		}
	}
}
