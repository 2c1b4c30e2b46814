package file

import (
	"path/filepath"
	"strings"

	"github.com/omnizarr/zarr/store"
)

// Identity names the file or folder at key by its real path, so that it is the
// same through whichever symbolic link it is reached. What is not there yet has
// the name that it will have when it is made.
func (s *Store) Identity(key string) string {
	if key == "" {
		return s.id
	}
	rel, err := filepath.Rel(s.real, store.RealPath(filepath.Join(s.real, filepath.FromSlash(key))))
	if rel = filepath.ToSlash(rel); err != nil || rel == ".." || strings.HasPrefix(rel, "../") {
		rel = key // such links are refused when they are followed
	}
	if rel == "." {
		return s.id
	}
	return store.JoinURL(s.id, rel)
}
