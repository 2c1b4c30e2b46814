package azblob

import (
	"testing"

	"github.com/omnizarr/zarr/internal/cloudtest"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/storetest"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store { return openReal(t, "deep/er") })
}

func openReal(t *testing.T, prefix string) *Store {
	t.Helper()
	s, err := Open(t.Context(), cloudtest.Azure(t).At(prefix), Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}
