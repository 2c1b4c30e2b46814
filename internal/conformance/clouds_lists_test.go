package conformance

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/omnizarr/zarr/internal/faulty"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/store"
)

// list gives the keys below a prefix.
func list(s store.Reader, prefix, delimiter string) ([]string, error) {
	var keys []string
	for e, err := range s.List(ctx, prefix, delimiter) {
		if err != nil {
			return keys, err
		}
		keys = append(keys, e.Key)
	}
	return keys, nil
}

// folders puts n keys below a folder for each fault, and gives them.
func folders(t *testing.T, s store.Store, faults []faulty.Fault, n int) map[faulty.Fault][]string {
	t.Helper()
	var keys []string
	out := map[faulty.Fault][]string{}
	for _, f := range faults {
		for i := range n {
			key := fmt.Sprintf("fault-%d/%05d", f, i)
			keys = append(keys, key)
			out[f] = append(out[f], key)
		}
	}
	all(t, keys, func(key string) error {
		_, err := s.Put(ctx, key, []byte(key), store.PutOptions{})
		return err
	})
	return out
}

// TestListsThatGoWrong lists folders of several pages, each of which goes wrong once, or
// always: a list is whole, or it ends with an error.
func TestListsThatGoWrong(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		n := 25 // some pages, in memory
		if p.memory == nil && thorough.Enabled {
			n = 2500
		}
		s := p.open(t, store.Remote{})
		faults := append(slices.Clone(mended), faulty.Expired, faulty.Misdirected)
		keys := folders(t, s, faults, n)
		p.proxy.Plan(faulty.Plan{Fault: faulty.Named(), RetryAfter: "0"})
		all(t, mended, func(f faulty.Fault) error {
			got, err := list(s, fmt.Sprintf("fault-%d/", f), "")
			if err == nil && !slices.Equal(got, keys[f]) {
				err = fmt.Errorf("%d keys of %d", len(got), len(keys[f]))
			}
			return err
		})
		once := p.open(t, store.Remote{Retries: -1})
		p.proxy.Plan(faulty.Plan{Fault: always(faulty.Named()), RetryAfter: "0"})
		all(t, faults, func(f faulty.Fault) error {
			got, err := list(once, fmt.Sprintf("fault-%d/", f), "/")
			if err == nil && !slices.Equal(got, keys[f]) {
				return fmt.Errorf("%d keys of %d, and no error", len(got), len(keys[f]))
			}
			if errors.Is(err, store.ErrNotExist) {
				return err
			}
			return nil
		})
	})
}

// TestDeletesThatGoWrong deletes folders, each request of which goes wrong once.
func TestDeletesThatGoWrong(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		s := p.open(t, store.Remote{})
		folders(t, s, append(slices.Clone(mended), faulty.None), 25)
		p.proxy.Plan(faulty.Plan{Fault: faulty.Named(), RetryAfter: "0"})
		all(t, mended, func(f faulty.Fault) error { return s.Delete(ctx, fmt.Sprintf("fault-%d/", f)) })
		p.proxy.Plan(faulty.Plan{})
		got, err := list(s, "", "")
		if err != nil || len(got) != 25 || got[0] != "fault-0/00000" {
			t.Errorf("%d keys are left, %v", len(got), err)
		}
	})
}
