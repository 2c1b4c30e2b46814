package zarr2

import (
	"context"
	"iter"

	"github.com/omnizarr/zarr/store"
)

// List yields what lies below prefix, with zarr.json in place of the documents of
// Zarr v2.
func (s *Store) List(ctx context.Context, prefix, delimiter string) iter.Seq2[store.Entry, error] {
	if s.mode == Three {
		return s.Store.List(ctx, prefix, delimiter)
	}
	return store.Relist(s.Store.List(ctx, prefix, delimiter), func(name string) string {
		switch name {
		case arrayName, groupName:
			return documentName
		case attributesName, consolidatedName:
			return ""
		case documentName:
			if s.mode == Two {
				return ""
			}
		}
		return name
	})
}
