package hdf5_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync/atomic"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format"
	"github.com/omnizarr/zarr/format/hdf5"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

// flaky is a store whose reads fail once, at a given one.
type flaky struct {
	*mem.Store
	left atomic.Int64
}

func (f *flaky) Open(ctx context.Context, key string) (store.Object, error) {
	o, err := f.Store.Open(ctx, key)
	return flakyObject{o, f}, err
}

type flakyObject struct {
	store.Object
	f *flaky
}

func (o flakyObject) Near() bool { return true }

func (o flakyObject) Get(ctx context.Context, r store.Range, dst []byte) ([]byte, store.Info, error) {
	if o.f.left.Add(-1) == 0 {
		return dst, store.Info{}, errors.New("the line is cut")
	}
	return o.Object.Get(ctx, r, dst)
}

// told is what the documents of all nodes say.
func told(t *testing.T, s *hdf5.Store) (map[string]string, error) {
	n, err := zarr.OpenStore(ctx, s, "")
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for n, err := range n.(*zarr.Group).Walk(ctx) {
		if err != nil {
			return nil, err
		}
		text, err := n.Attributes().MarshalJSON()
		check(t, err)
		out[n.Path()] = string(text)
		if a, ok := n.(*zarr.Array); ok {
			out[n.Path()] += fmt.Sprint(a.DimensionNames())
		}
	}
	return out, nil
}

// A read that failed once leaves nothing behind that is wrong later.
func TestReadsThatFailOnceAreForgotten(t *testing.T) {
	for name, raw := range map[string][]byte{"session.nwb": session(t), "numbers.nc": archive(t, "mazes.tar.zst")["numbers.nc"]} {
		t.Run(name, func(t *testing.T) {
			m := mem.New()
			_, err := m.Put(ctx, name, raw, store.PutOptions{})
			check(t, err)
			failOnce(t, m, name)
		})
	}
}

// failOnce fails each read of a file in turn, once.
func failOnce(t *testing.T, m *mem.Store, name string) {
	s, err := hdf5.Open(ctx, m, name, format.Env{})
	check(t, err)
	want, err := told(t, s)
	check(t, err)
	check(t, s.Close())
	for k := int64(1); ; k += int64(thorough.Step(5)) {
		f := &flaky{Store: m}
		f.left.Store(k)
		s, err := hdf5.Open(ctx, f, name, format.Env{})
		if err != nil {
			continue
		}
		first, firstErr := told(t, s)
		if firstErr == nil && !maps.Equal(first, want) {
			t.Errorf("read %d: the documents are others, without an error", k)
		}
		got, err := told(t, s)
		if err != nil {
			t.Errorf("read %d: first %v, then %v", k, firstErr, err)
		} else if !maps.Equal(got, want) {
			t.Errorf("read %d: the documents are others later", k)
		}
		check(t, s.Close())
		if f.left.Load() > 0 {
			return
		}
	}
}
