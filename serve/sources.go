package serve

import (
	"context"
	"iter"
	"net/http"

	"github.com/omnizarr/zarr/store"
)

// listSources answers /zarr/ and its like: the names of what is served, as folders.
func (s *Server) listSources(w http.ResponseWriter, r *http.Request, t target) error {
	if !t.folder {
		toFolder(w, r)
		return nil
	}
	return s.sendListing(w, r, names{s}, "")
}

// names are the sources of a server as a folder of folders.
type names struct{ s *Server }

func (n names) URL() string { return "the server" }

func (n names) Get(_ context.Context, key string, _ store.Range, dst []byte) ([]byte, store.Info, error) {
	return dst, store.Info{}, store.WrapError("get", n.URL(), key, store.ErrNotExist)
}

func (n names) List(context.Context, string, string) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		for _, src := range n.s.sources.All() {
			if !yield(store.Entry{Key: src.Name() + "/", Size: -1, IsPrefix: true}, nil) {
				return
			}
		}
	}
}
