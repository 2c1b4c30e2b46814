package lock

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/omnizarr/zarr/internal/partial"
	"github.com/omnizarr/zarr/store"
)

const (
	// renewed is how often who has a lease says so.
	renewed = 3 * time.Second
	// ended is after which time a lease that nobody renews is that of a process which
	// has ended. It is measured by who waits, so that clocks need not agree.
	ended = 15 * time.Second
)

// lease is a value in a store that others leave alone.
type lease struct {
	s    store.Store
	key  string
	text string // says whose it is
	n    int    // of renewals, so that each has other bytes
	tag  string

	stop func()
	done sync.WaitGroup
	lost error
}

// takeLease puts the value where there is none, or in the place of one that nobody has
// renewed for long. With wait it waits for others to remove theirs.
func takeLease(ctx context.Context, s store.Store, key string, wait bool) (release func() error, err error) {
	host, _ := os.Hostname() // only words
	l := &lease{s: s, key: key, text: fmt.Sprintf("process %d on %s, %016x", os.Getpid(), host, rand.Uint64())}
	seen, since := "", time.Time{}
	for try := 0; ; try++ {
		err := l.put(ctx, store.PutOptions{IfAbsent: true})
		if err == nil {
			return l.hold(), nil
		}
		if !errors.Is(err, store.ErrPrecondition) {
			return nil, err
		}
		text, info, err := s.Get(ctx, key, store.UpTo(4096), nil)
		switch {
		case errors.Is(err, store.ErrNotExist):
			continue // given back meanwhile
		case err != nil:
			return nil, err
		case info.ETag != seen && seen != "" && !wait, try >= patience:
			who, _, _ := strings.Cut(string(text), ",")
			return nil, partial.BusyBy(who)
		case info.ETag != seen:
			seen, since = info.ETag, time.Now()
		case time.Since(since) >= ended:
			err := l.put(ctx, store.PutOptions{IfMatch: seen})
			if err == nil {
				return l.hold(), nil
			}
			if !errors.Is(err, store.ErrPrecondition) {
				return nil, err
			}
			seen = ""
		}
		about := min(renewed/32<<min(try, 3), renewed/4) // soon at first, as who has it renews it
		if wait {
			about = min(10*time.Millisecond<<min(try, 5), 300*time.Millisecond)
		}
		if err := pause(ctx, about); err != nil {
			return nil, err
		}
	}
}

func (l *lease) put(ctx context.Context, opt store.PutOptions) error {
	l.n++
	info, err := l.s.Put(ctx, l.key, fmt.Appendf(nil, "%s, %d\n", l.text, l.n), opt)
	if err == nil {
		l.tag = info.ETag
	}
	return err
}

// hold renews the lease until it is given back.
func (l *lease) hold() (release func() error) {
	ctx, stop := context.WithCancel(context.Background())
	l.stop = stop
	l.done.Go(func() { l.renew(ctx) })
	return l.release
}

func (l *lease) renew(ctx context.Context) {
	// More often at first, so that who comes soon after need not wait long to be told.
	for wait := renewed / 16; ; wait = min(2*wait, renewed) {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		err := l.put(ctx, store.PutOptions{IfMatch: l.tag})
		if errors.Is(err, store.ErrPrecondition) {
			// It may be our own of a try whose answer did not come.
			text, info, err := l.s.Get(ctx, l.key, store.UpTo(4096), nil)
			if err == nil && strings.HasPrefix(string(text), l.text+",") {
				l.tag = info.ETag
				continue
			}
			if errors.Is(err, store.ErrNotExist) { // who has the folder may have cleared it
				err = l.put(ctx, store.PutOptions{IfAbsent: true})
			}
			if err == nil && len(text) > 0 || errors.Is(err, store.ErrPrecondition) {
				l.lost = errors.New("the lock was not renewed in time, and somebody else has taken it: look at what was written")
				return
			}
		}
	}
}

// release removes the value, if it is still our own.
func (l *lease) release() error {
	l.stop()
	l.done.Wait()
	if l.lost != nil {
		return l.lost
	}
	ctx, stop := context.WithTimeout(context.Background(), ended)
	defer stop()
	text, _, err := l.s.Get(ctx, l.key, store.UpTo(4096), nil)
	switch {
	case errors.Is(err, store.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !strings.HasPrefix(string(text), l.text+","):
		return fmt.Errorf("%w: somebody else has taken the lock", ErrBusy)
	}
	return l.s.Delete(ctx, l.key)
}
