package write

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/locate"
	"github.com/omnizarr/zarr/store"
)

// sourcesOf gives the sources by which a file refers to others.
func sourcesOf(ctx context.Context, f *hdmf.File) ([]string, error) {
	sources := map[string]bool{}
	for m, err := range hdmf.References(ctx, f.Root(), true) {
		// A list of references is copied one by one; an attribute that is none as it is.
		if _, element := m.Holder.(*hdmf.Dataset); err == nil && element && m.Attribute == "" && !m.Empty {
			err = m.Err
		}
		if err != nil {
			return nil, unread(f, m.Path(), err)
		}
		if m.To.Source != "" && m.To.Source != "." {
			sources[m.To.Source] = true
		}
	}
	return slices.Sorted(maps.Keys(sources)), nil
}

// survey makes sure that none of the files that are referred to is what would be
// replaced.
func (s *set) survey(ctx context.Context) error {
	for _, m := range s.files {
		for _, name := range m.sources {
			for _, to := range s.files {
				if m.means(ctx, name, to) {
					return &zarr.Error{Op: "create", URL: to.url, Err: fmt.Errorf("%s refers to it by the source %q, and would refer to itself or to nothing", m.file.URL(), name)}
				}
			}
		}
	}
	return nil
}

// means says whether a source of a file means what lies where a copy is to be.
func (m *member) means(ctx context.Context, name string, to *member) bool {
	if other, err := m.file.Source(ctx, name); err == nil {
		return other != m.file && store.Overlap(to.here, identity(other.Zarr()))
	}
	// There may be no leave to open it, which is no leave to remove it.
	if to.place == "" {
		return false
	}
	own := placeOf(ctx, m.file)
	switch {
	case strings.Contains(name, "://") || filepath.IsAbs(name):
		return store.Overlap(to.here, locate.Identity(name))
	case own == "":
		return false
	}
	return store.Overlap(to.here, locate.Identity(beside(own, name))) || store.Overlap(to.here, locate.Identity(beside(own, "../"+name)))
}
