package write_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/hdmf/write"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

// powered is a store whose values are safe only when they are flushed: what was put
// since may be there or not when the power is lost, and by half if it was not put with
// Flush.
type powered struct {
	*mem.Store
	mu    sync.Mutex
	safe  map[string][]byte
	loose map[string]bool // keys that were changed since; true if half of the value may be there
	left  int             // changes until the power is lost
}

func newPowered(t testing.TB, start *mem.Store, n int) *powered {
	p := &powered{Store: copyOf(t, start), safe: map[string][]byte{}, loose: map[string]bool{}, left: n}
	for _, key := range keys(t, start, "") {
		text, _, err := start.Get(ctx, key, store.All(), nil)
		check(t, err)
		p.safe[key] = text
	}
	return p
}

// change counts a change of keys.
func (p *powered) change(half bool, change func() error, keys ...string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.left--; p.left < 0 {
		return errCrash
	}
	for _, key := range keys {
		p.loose[key] = half || p.loose[key]
	}
	return change()
}

func (p *powered) Put(ctx context.Context, key string, data []byte, opt store.PutOptions) (info store.Info, err error) {
	err = p.change(!opt.Flush, func() (err error) {
		info, err = p.Store.Put(ctx, key, data, opt)
		return err
	}, key)
	return info, err
}

func (p *powered) Delete(ctx context.Context, key string) error {
	var gone []string
	for e, err := range p.Store.List(ctx, "", "") {
		if err == nil && (e.Key == key || len(key) > 0 && key[len(key)-1] == '/' && len(e.Key) > len(key) && e.Key[:len(key)] == key) {
			gone = append(gone, e.Key)
		}
	}
	return p.change(false, func() error { return p.Store.Delete(ctx, key) }, gone...)
}

// Sync makes values safe.
func (p *powered) Sync(ctx context.Context, keys []string) error {
	return p.change(false, func() error {
		for _, key := range keys {
			text, _, err := p.Store.Get(ctx, key, store.All(), nil)
			if delete(p.safe, key); err == nil {
				p.safe[key] = text
			}
			delete(p.loose, key)
		}
		return nil
	})
}

// lost is what a loss of power leaves: of the values that were not safe, those that
// fate says.
func (p *powered) lost(t testing.TB, fate func(n int) bool) *mem.Store {
	now := maps.Clone(p.safe)
	n := 0
	for key, half := range p.loose {
		text, _, err := p.Store.Get(ctx, key, store.All(), nil)
		if n++; !fate(n) {
			continue
		}
		if delete(now, key); err == nil {
			now[key] = text
			if half {
				now[key] = text[:len(text)/2]
			}
		}
	}
	s := mem.New()
	for key, text := range now {
		_, err := s.Put(ctx, key, text, store.PutOptions{})
		check(t, err)
	}
	return s
}

// With Sync a loss of power takes nothing away that was committed, whenever it comes
// and whatever of the values that were not flushed is left; and a commit is whole.
func TestCommitsSurviveALossOfPower(t *testing.T) {
	for turn, layout := range []hdmf.Layout{hdmf.V2, hdmf.V3} {
		start := created(t, rig(), write.Options{Layout: layout})
		states := []map[string]any{dump(t, in(t, start))}
		model := copyOf(t, start)
		e := edit(t, model)
		check(t, sessionStep(e, 0))
		check(t, e.Commit(ctx))
		states = append(states, dump(t, in(t, model)))
		for n := thorough.Of(2*turn, 0); ; n += thorough.Step(4) { // the layouts take turns
			p := newPowered(t, start, n)
			e, err := write.Edit(ctx, "test://", to(p, write.Options{Sync: true}))
			check(t, err)
			if err = sessionStep(e, 0); err == nil {
				err = e.Commit(ctx)
			}
			if err != nil && !errors.Is(err, errCrash) {
				t.Fatal(err)
			}
			check(t, e.Close())
			could := states
			if err == nil {
				could = states[1:]
			}
			for i, fate := range []struct {
				name string
				left func(n int) bool
			}{
				{"nothing", func(int) bool { return false }}, {"some", func(n int) bool { return n%2 == 0 }},
				{"everything", func(int) bool { return true }}, {"others", func(n int) bool { return n%2 == 1 }},
			} {
				if !thorough.Enabled && (n/4+i)%2 != 0 {
					continue // so do these
				}
				s := p.lost(t, fate.left)
				at := fmt.Sprintf("%v: power lost after %d changes, %s that was not flushed is left", layout, n, fate.name)
				isOneOf(t, at, in(t, s), could...)
				isOneOf(t, at+", by documents", in(t, s, zarr.BypassConsolidated()), could...)
				e := edit(t, s)
				check(t, e.Commit(ctx))
				check(t, e.Close())
				isOneOf(t, at+", after a commit", in(t, s), could...)
				isOneOf(t, at+", after a commit by documents", in(t, s, zarr.BypassConsolidated()), could...)
			}
			if err == nil {
				break
			}
		}
	}
}
