package conformance

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/omnizarr/zarr/internal/faulty"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/store"
)

// changes has faults with all that is no read.
func changes(f func(*http.Request, int) faulty.Fault) func(*http.Request, int) faulty.Fault {
	return func(r *http.Request, n int) faulty.Fault {
		if r.Method == http.MethodGet || r.Method == http.MethodHead {
			return faulty.None
		}
		return f(r, n)
	}
}

// change is a put that goes wrong once, or each time.
type change struct {
	fault faulty.Fault
	what  string
	// before is whether there is a value already.
	before bool
	// opt gives the conditions, given the tag of the value before.
	opt func(tag string) store.PutOptions
	// refused is whether the condition does not hold.
	refused bool
}

func (c change) String() string { return fmt.Sprintf("%s: %v", c.what, c.fault) }

func (c change) key() string { return fmt.Sprintf("fault-%d/%s", c.fault, c.what) }

func (c change) old() []byte { return pattern(3000, "old "+c.key()) }
func (c change) new() []byte { return pattern(4000, "new "+c.key()) }

func puts(faults []faulty.Fault) []change {
	var out []change
	absent := func(string) store.PutOptions { return store.PutOptions{IfAbsent: true} }
	match := func(tag string) store.PutOptions { return store.PutOptions{IfMatch: tag} }
	for _, f := range faults {
		out = append(out,
			change{f, "made", false, func(string) store.PutOptions { return store.PutOptions{} }, false},
			change{f, "replaced", true, func(string) store.PutOptions { return store.PutOptions{} }, false},
			change{f, "made if absent", false, absent, false},
			change{f, "there already", true, absent, true},
			change{f, "replaced if the same", true, match, false},
			change{f, "changed meanwhile", true, func(string) store.PutOptions { return store.PutOptions{IfMatch: `"12345"`} }, true},
		)
	}
	return out
}

// prepare puts what is there before, and gives the tags.
func prepare(t *testing.T, s store.Store, list []change) map[string]string {
	t.Helper()
	tags := make([]string, len(list))
	at := make([]int, len(list))
	for i := range at {
		at[i] = i
	}
	all(t, at, func(i int) error {
		c := list[i]
		if !c.before {
			return nil
		}
		info, err := s.Put(ctx, c.key(), c.old(), store.PutOptions{})
		tags[i] = info.ETag
		return err
	})
	out := map[string]string{}
	for i, c := range list {
		out[c.key()] = tags[i]
	}
	return out
}

// TestPutsThatGoWrongOnce wants each to be done as if nothing had gone wrong, also where
// the server did it and the answer was lost.
func TestPutsThatGoWrongOnce(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		s := p.open(t, store.Remote{})
		list := puts(mended)
		tags := prepare(t, s, list)
		p.proxy.Plan(faulty.Plan{Fault: changes(faulty.Named()), RetryAfter: "0"})
		p.proxy.Reset()
		all(t, list, func(c change) error {
			info, err := s.Put(ctx, c.key(), c.new(), c.opt(tags[c.key()]))
			if c.refused {
				if !errors.Is(err, store.ErrPrecondition) {
					return fmt.Errorf("not refused: %w", err)
				}
				return get(ctx, s, c.key(), store.All(), c.old())
			}
			if err != nil {
				return err
			}
			if err := get(ctx, s, c.key(), store.All(), c.new()); err != nil {
				return err
			}
			if _, now, err := s.Get(ctx, c.key(), store.Part(0, 0), nil); err != nil || now.ETag != info.ETag {
				return fmt.Errorf("put gives tag %q, get %q: %w", info.ETag, now.ETag, err)
			}
			return nil
		})
		for _, f := range mended {
			if p.proxy.Count(f) == 0 {
				t.Errorf("no request met %v", f)
			}
		}
	})
}

// TestPutsThatAlwaysGoWrong wants an error, and the old value or the new one, whole.
func TestPutsThatAlwaysGoWrong(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		s := p.open(t, store.Remote{Retries: 1})
		list := puts([]faulty.Fault{
			faulty.Error, faulty.Busy, faulty.Slower, faulty.Lost, faulty.Unanswered, faulty.Expired, faulty.Misdirected,
		})
		tags := prepare(t, s, list)
		p.proxy.Plan(faulty.Plan{Fault: always(changes(faulty.Named())), RetryAfter: "0"})
		all(t, list, func(c change) error {
			_, err := s.Put(ctx, c.key(), c.new(), c.opt(tags[c.key()]))
			if err == nil {
				return errors.New("no error")
			}
			if err := clear(c.key(), err); err != nil {
				return err
			}
			return wholeOrAbsent(s, c)
		})
	})
}

// wholeOrAbsent wants the value from before or the new one. Only where the server did
// what was asked for may it be the new one.
func wholeOrAbsent(s store.Store, c change) error {
	b, _, err := s.Get(ctx, c.key(), store.All(), nil)
	switch {
	case errors.Is(err, store.ErrNotExist) && !c.before, c.before && bytes.Equal(b, c.old()):
		return nil
	case err != nil:
		return err
	case bytes.Equal(b, c.new()) && !c.refused && c.fault == faulty.Unanswered:
		return nil
	}
	return fmt.Errorf("WRONG DATA: %d bytes", len(b))
}

// TestLargePutsThatGoWrong puts values that go in parts, each request of which goes
// wrong once; and then with parts that always do, of which nothing must stay.
func TestLargePutsThatGoWrong(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		faults := []faulty.Fault{faulty.Unanswered}
		if thorough.Enabled || p.memory != nil {
			faults = mended
		}
		s := p.open(t, store.Remote{})
		for _, f := range faults {
			plan := changes(faulty.Named())
			if p.direct.Scheme == "gs" {
				// fake-gcs-server takes the question how far an upload is for its end: only how it
				// begins can go wrong here. The rest is tested in store/gcs, on a server that knows.
				plan = faulty.Only(http.MethodPost, faulty.Named())
			}
			p.proxy.Plan(faulty.Plan{Fault: plan, RetryAfter: "0"})
			key := fmt.Sprintf("fault-%d/large", f)
			value := pattern(p.large(), key)
			if _, err := store.PutFrom(ctx, s, key, bytes.NewReader(value), -1, 1<<30); err != nil {
				t.Errorf("%v: %v", f, err)
				continue
			}
			p.proxy.Plan(faulty.Plan{})
			if err := get(ctx, s, key, store.All(), value); err != nil {
				t.Errorf("%v: %v", f, err)
			}
		}
		// Nobody can end an upload whose name was lost.
		if p.memory != nil && p.memory.Uploads() > len(faults) {
			t.Errorf("%d uploads are left", p.memory.Uploads())
		}
	})
}

// TestUploadsThatFailLeaveNothing stops an upload in parts at each of its requests.
func TestUploadsThatFailLeaveNothing(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		value := pattern(p.large(), "large")
		for _, f := range []faulty.Fault{faulty.Error, faulty.Unanswered} {
			for from := 0; ; from++ {
				s := p.open(t, store.Remote{Retries: -1})
				key := fmt.Sprintf("%d/stopped at %d", f, from)
				var made atomic.Int64 // requests that change something
				p.proxy.Plan(faulty.Plan{Fault: changes(func(r *http.Request, _ int) faulty.Fault {
					if r.Method == http.MethodDelete {
						return faulty.None // what was begun is given up
					}
					if made.Add(1)-1 == int64(from) {
						return f
					}
					return faulty.None
				})})
				_, err := store.PutFrom(ctx, s, key, bytes.NewReader(value), int64(len(value)), 1<<30)
				p.proxy.Plan(faulty.Plan{})
				got, _, readErr := s.Get(ctx, key, store.All(), nil)
				whole := bytes.Equal(got, value)
				if !whole && !errors.Is(readErr, store.ErrNotExist) || err == nil && !whole {
					t.Errorf("%v at request %d: %v; read %d bytes, %v", f, from, err, len(got), readErr)
				}
				if p.memory != nil {
					if left := p.memory.Uploads(); left != 0 && !(f == faulty.Unanswered && left == 1) { // whose name was lost
						t.Errorf("%v at request %d: %d uploads are left", f, from, left)
					}
				}
				if made.Load() <= int64(from) {
					break
				}
				if !thorough.Enabled && p.memory == nil {
					from++
				}
			}
		}
	})
}
