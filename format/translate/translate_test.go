package translate_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/format/translate"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
	"github.com/omnizarr/zarr/store/storetest"
)

func plain(s store.Store) *translate.Store {
	return translate.New(s, meta.Registry{}, []translate.Form{translate.Plain(s, meta.Registry{})}, nil)
}

func TestAStoreOfZarr3IsAStore(t *testing.T) {
	storetest.Run(t, func(*testing.T) store.Store { return plain(mem.New()) })
}

// counting counts requests by key.
type counting struct {
	store.Store
	gets []string
}

func (c *counting) Get(ctx context.Context, key string, r store.Range, dst []byte) ([]byte, store.Info, error) {
	c.gets = append(c.gets, key)
	return c.Store.Get(ctx, key, r, dst)
}

// A node of Zarr v3 costs a request, and its document passes as it is spelled.
func TestZarr3PassesThrough(t *testing.T) {
	ctx := context.Background()
	inner := &counting{Store: mem.New()}
	s := plain(inner)
	const text = ` {"node_type":"group","zarr_format":3}`
	if _, err := s.Put(ctx, "a/zarr.json", []byte(text), store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	got, info, err := s.Get(ctx, "a/zarr.json", store.All(), nil)
	if err != nil || string(got) != text || info.Format != "" {
		t.Errorf("%s, %v, %v", got, info, err)
	}
	if _, info, err = s.Node(ctx, "a", true); err != nil || info.Format != translate.PlainFormat {
		t.Errorf("%v, %v", info, err)
	}
	if _, _, err := s.Node(ctx, "b", true); !errors.Is(err, store.ErrNotExist) {
		t.Error(err)
	}
	if got := strings.Join(inner.gets, " "); got != "a/zarr.json a/zarr.json b/zarr.json" {
		t.Errorf("asked for %s", got)
	}
	if s.Format() != translate.PlainFormat || translate.Raw(s) != store.Store(inner) || translate.Raw(inner) != store.Store(inner) {
		t.Error("the store below is not shown")
	}
}
