package n5

import (
	"context"
	"iter"

	"github.com/omnizarr/zarr/store"
)

// List yields what lies below prefix, with zarr.json in place of attributes.json.
func (s *Store) List(ctx context.Context, prefix, delimiter string) iter.Seq2[store.Entry, error] {
	return store.Relist(s.Store.List(ctx, prefix, delimiter), func(name string) string {
		switch name {
		case attributesName:
			return documentName
		case documentName:
			return "" // of an adopted container; what it says, attributes.json says too
		}
		return name
	})
}
