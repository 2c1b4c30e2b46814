package conformance

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/omnizarr/zarr/internal/faulty"
	"github.com/omnizarr/zarr/store"
)

var ctx = context.Background()

// mended are the faults that no caller need know of: the request is made again.
var mended = append(faulty.Passing(), faulty.Busy, faulty.Unanswered, faulty.Trickle)

// read is one that goes wrong once.
type read struct {
	fault faulty.Fault
	what  string
	r     store.Range
}

func (r read) String() string { return fmt.Sprintf("%s: %v", r.what, r.fault) }

func (r read) key() string { return fmt.Sprintf("fault-%d/%s", r.fault, r.what) }

func reads(faults []faulty.Fault) []read {
	var out []read
	for _, f := range faults {
		out = append(out, read{f, "whole", store.All()}, read{f, "part", store.Part(1000, 2000)}, read{f, "end", store.Suffix(500)}, read{f, "limited", store.UpTo(1 << 20)})
	}
	return out
}

// TestReadsThatGoWrongOnce reads values whose first request meets a fault.
func TestReadsThatGoWrongOnce(t *testing.T) {
	readable(t, func(t *testing.T, p place) {
		s := p.open(t, store.Remote{Hedge: -1})
		list := reads(faulty.All())
		all(t, list, func(r read) error { return p.seed(s, r.key(), pattern(5000, r.key())) })
		p.proxy.Plan(faulty.Plan{Fault: faulty.Only("GET", faulty.Named()), RetryAfter: "0"})
		p.proxy.Reset()
		all(t, reads(mended), func(r read) error { return get(ctx, s, r.key(), r.r, pattern(5000, r.key())) })
		for _, f := range mended {
			if p.proxy.Count(f) == 0 {
				t.Errorf("no request met %v", f)
			}
		}
		all(t, reads([]faulty.Fault{faulty.Expired, faulty.Misdirected}), func(r read) error {
			return clear(r.key(), get(ctx, s, r.key(), r.r, pattern(5000, r.key())))
		})
		// Where nothing comes, a second request brings it.
		hedged := p.open(t, store.Remote{Hedge: 20 * time.Millisecond})
		all(t, reads([]faulty.Fault{faulty.Silent})[:2], func(r read) error { return get(ctx, hedged, r.key(), r.r, pattern(5000, r.key())) })
	})
}

// clear wants no error, or one that names the key and does not say that it is missing,
// nor that data are other than they are.
func clear(key string, err error) error {
	if err == nil || strings.Contains(err.Error(), key) && !errors.Is(err, store.ErrNotExist) && !strings.Contains(err.Error(), "WRONG") {
		return nil
	}
	return fmt.Errorf("unclear: %w", err)
}

// TestReadsThatAlwaysGoWrong wants a clear error.
func TestReadsThatAlwaysGoWrong(t *testing.T) {
	readable(t, func(t *testing.T, p place) {
		s := p.open(t, store.Remote{Retries: 1, Hedge: -1})
		faults := []faulty.Fault{
			faulty.Error, faulty.Busy, faulty.Slower, faulty.Lost, faulty.Unanswered, faulty.Cut, faulty.Short, faulty.More,
			faulty.Expired, faulty.Misdirected, faulty.Less, faulty.Elsewhere,
		}
		list := reads(faults)
		all(t, list, func(r read) error { return p.seed(s, r.key(), pattern(5000, r.key())) })
		p.proxy.Plan(faulty.Plan{Fault: always(faulty.Only("GET", faulty.Named())), RetryAfter: "0"})
		all(t, list, func(r read) error {
			err := get(ctx, s, r.key(), r.r, pattern(5000, r.key()))
			_, whole := r.r.IsAll()
			if err == nil && !(whole && (r.fault == faulty.Less || r.fault == faulty.Elsewhere)) {
				return errors.New("no error")
			}
			if r.fault == faulty.Misdirected && p.values == nil && !strings.Contains(err.Error(), "307") {
				return fmt.Errorf("what is signed for one server went to another: %w", err)
			}
			return clear(r.key(), err)
		})
	})
}
