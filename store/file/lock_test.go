package file

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"testing"

	"github.com/omnizarr/zarr/store"
)

// Stores of the same folder share nothing but the file system, as processes do: each adds
// to a number under the condition that nobody else has meanwhile.
func TestConditionsHoldAmongStores(t *testing.T) {
	if !hasLocks {
		t.Skip("this system has no locks of files")
	}
	for _, portable := range []bool{false, true} {
		dir, ctx := t.TempDir(), t.Context()
		const many, times = 6, 30
		var wg sync.WaitGroup
		for range many {
			wg.Go(func() {
				s, err := Open(dir, Options{portable: portable})
				if err != nil {
					t.Error(err)
					return
				}
				defer s.Close()
				for range times {
					if err := add(ctx, s); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		s, err := Open(dir, Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if got, _, err := s.Get(ctx, "a/n", store.All(), nil); err != nil || string(got) != strconv.Itoa(many*times) {
			t.Errorf("portable %v: %s, %v", portable, got, err)
		}
		for e, err := range s.Hidden(ctx, "") {
			t.Errorf("left: %s, %v", e.Key, err)
		}
	}
}

// add adds one to a number.
func add(ctx context.Context, s *Store) error {
	for {
		text, info, err := s.Get(ctx, "a/n", store.All(), nil)
		opt := store.PutOptions{IfMatch: info.ETag}
		if errors.Is(err, store.ErrNotExist) {
			text, opt, err = []byte("0"), store.PutOptions{IfAbsent: true}, nil
		}
		if err != nil {
			return err
		}
		n, err := strconv.Atoi(string(text))
		if err != nil {
			return err
		}
		if _, err = s.Put(ctx, "a/n", []byte(strconv.Itoa(n+1)), opt); !errors.Is(err, store.ErrPrecondition) {
			return err
		}
	}
}

func TestAValueOfATagIsDeleted(t *testing.T) {
	for _, portable := range []bool{false, true} {
		s, err := Open(t.TempDir(), Options{portable: portable})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		old, err := s.Put(t.Context(), "a/b", []byte("1"), store.PutOptions{})
		if err != nil {
			t.Fatal(err)
		}
		now, err := s.Put(t.Context(), "a/b", []byte("2"), store.PutOptions{})
		if err != nil || now.ETag == old.ETag {
			t.Fatal(now, err)
		}
		if err := s.DeleteMatch(t.Context(), "a/b", old.ETag); !errors.Is(err, store.ErrPrecondition) {
			t.Errorf("another value was deleted: %v", err)
		}
		if err := s.DeleteMatch(t.Context(), "a/b", now.ETag); err != nil {
			t.Error(err)
		}
		for _, key := range []string{"a/b", "c/d"} {
			if err := s.DeleteMatch(t.Context(), key, now.ETag); !errors.Is(err, store.ErrPrecondition) {
				t.Errorf("%s is not there: %v", key, err)
			}
		}
	}
}

// unlocked is a folder of a file system without locks.
type unlocked struct{ backend }

func (b unlocked) folder(dir string) (folder, error) {
	d, err := b.backend.folder(dir)
	return unlockedFolder{d}, err
}

type unlockedFolder struct{ folder }

func (unlockedFolder) lock(string) (func() error, error) { return nil, errNoLock }

// Without locks, who comes second is told as long as the other was there before it looked.
func TestConditionsWithoutLocks(t *testing.T) {
	each(t, func(t *testing.T, opt Options) {
		dir, ctx := t.TempDir(), t.Context()
		one, two := open(t, dir, opt), open(t, dir, opt)
		one.b, two.b = unlocked{one.b}, unlocked{two.b}
		old, err := one.Put(ctx, "a/b", []byte("1"), store.PutOptions{IfAbsent: true})
		if err != nil {
			t.Fatal(err)
		}
		now, err := two.Put(ctx, "a/b", []byte("2"), store.PutOptions{IfMatch: old.ETag})
		if err != nil {
			t.Fatal(err)
		}
		for name, opt := range map[string]store.PutOptions{"if absent": {IfAbsent: true}, "if it is the old one": {IfMatch: old.ETag}} {
			if _, err := one.Put(ctx, "a/b", []byte("3"), opt); !errors.Is(err, store.ErrPrecondition) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if err := one.DeleteMatch(ctx, "a/b", old.ETag); !errors.Is(err, store.ErrPrecondition) {
			t.Errorf("deleted: %v", err)
		}
		if text, info, err := one.Get(ctx, "a/b", store.All(), nil); err != nil || string(text) != "2" || info.ETag != now.ETag {
			t.Errorf("%q, %v", text, err)
		}
	})
}
