package conformance

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/omnizarr/zarr/internal/faulty"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/s3"
)

// TestCredentialsThatExpire has those of a session end while much is under way. They are
// fetched anew, once for all, and nobody notices.
func TestCredentialsThatExpire(t *testing.T) {
	p := inMemory(t)
	var fetched atomic.Int32
	s, err := s3.Open(ctx, p.cloud.URL, s3.Options{Part: 100_000, Wait: quick.Wait, MaxWait: quick.MaxWait, Credentials: func(context.Context) (s3.Credentials, error) {
		return s3.Credentials{ID: "id", Secret: "secret", Token: fmt.Sprint("token-", fetched.Add(1))}, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	keys := make([]string, thorough.Of(20, 100))
	for i := range keys {
		keys[i] = fmt.Sprintf("k/%03d", i)
	}
	var bad atomic.Pointer[string]
	p.proxy.Plan(faulty.Plan{Fault: func(r *http.Request, _ int) faulty.Fault {
		if token := bad.Load(); token != nil && r.Header.Get("X-Amz-Security-Token") == *token {
			return faulty.Expired
		}
		return faulty.None
	}})
	for round, do := range []func(key string) error{
		func(key string) error {
			_, err := s.Put(ctx, key, pattern(1000, key), store.PutOptions{IfAbsent: true})
			return err
		},
		func(key string) error { return get(ctx, s, key, store.Part(100, 200), pattern(1000, key)) },
		func(key string) error {
			_, err := store.PutFrom(ctx, s, key, strings.NewReader(string(pattern(120_000, key))), -1, 1<<20)
			return err
		},
		func(key string) error {
			got, err := list(s, "k/", "")
			if err == nil && !slices.Equal(got, keys) {
				err = fmt.Errorf("listed %d keys", len(got))
			}
			return err
		},
		func(key string) error { return s.Delete(ctx, key) },
	} {
		all(t, keys, do)
		ended := fmt.Sprint("token-", fetched.Load())
		bad.Store(&ended)
		if n := int(fetched.Load()); n != round+1 {
			t.Errorf("credentials were fetched %d times in %d rounds", n, round+1)
		}
	}
}

// TestCredentialsThatHaveExpired cannot be got over, and are not tried again and again.
func TestCredentialsThatHaveExpired(t *testing.T) {
	p := inMemory(t)
	s := p.open(t, store.Remote{})
	p.proxy.Plan(faulty.Plan{Fault: func(*http.Request, int) faulty.Fault { return faulty.Expired }})
	_, _, err := s.Get(ctx, "k", store.All(), nil)
	if err == nil || !strings.Contains(err.Error(), "ExpiredToken") || !strings.Contains(err.Error(), "new credentials") || strings.Contains(err.Error(), "secret") {
		t.Errorf("got %v", err)
	}
	if n := p.proxy.Requests(); n != 1 {
		t.Errorf("%d requests", n)
	}
}
