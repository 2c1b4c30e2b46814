package bearer

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestSource wants one question for all who wait, a new token before the old one ends, and
// the old one to its end where no new one can be had.
func TestSource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked, fails := 0, false
		s := New(func(context.Context) (Token, error) {
			asked++
			time.Sleep(time.Second)
			if fails {
				return Token{}, errors.New("no answer")
			}
			return Token{fmt.Sprint("t", asked), time.Now().Add(time.Hour)}, nil
		})
		want := func(token string, times int) {
			t.Helper()
			if got, err := s.Get(t.Context()); got != token || asked != times || (err != nil) != (token == "") {
				t.Errorf("%q, %v, asked %d times; want %q, %d", got, err, asked, token, times)
			}
		}
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() { want("t1", 1) })
		}
		wg.Wait()
		time.Sleep(55 * time.Minute)
		want("t1", 1)
		time.Sleep(2 * time.Minute)
		want("t2", 2)
		s.Drop("t1") // which it has no more
		want("t2", 2)
		s.Drop("t2")
		want("t3", 3)
		fails = true
		time.Sleep(58 * time.Minute)
		want("t3", 4)
		time.Sleep(2 * time.Minute)
		want("", 5)
		fails = false
		want("t6", 6)
	})
}

func TestSourceGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(func(ctx context.Context) (Token, error) {
			<-ctx.Done()
			return Token{}, ctx.Err()
		})
		ctx, cancel := context.WithCancel(t.Context())
		go s.Get(ctx)
		synctest.Wait()
		other, stop := context.WithCancel(t.Context())
		stop()
		if _, err := s.Get(other); !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
		cancel()
	})
}

func TestSafe(t *testing.T) {
	for url, want := range map[string]bool{
		"https://example.org/x": true, "http://127.0.0.1:80": true, "http://localhost": true, "http://[::1]:8": true, "http://169.254.169.254/x": true,
		"http://example.org": false, "http://127.0.0.1.example.org": false, "http://localhost.example.org": false, "ftp://127.0.0.1": false, "%zz": false, "": false,
	} {
		if got := Safe(url) == nil; got != want {
			t.Errorf("%q: %v", url, Safe(url))
		}
	}
}
