package n5

import (
	"context"
	"path"
	"regexp"

	"github.com/omnizarr/zarr/store"
)

var (
	named = regexp.MustCompile(`(?i)\.n5(\.zip)?([/|]|$)`)
	last  = regexp.MustCompile(`(?i)\.n5(\.zip)?/?$`)
)

// IsName reports whether a part of a URL is the name of a container: x.n5, or
// x.n5.zip.
func IsName(url string) bool { return named.MatchString(url) }

// Look reports whether the folder at a path of a store, which has no node of Zarr,
// is a group or dataset of N5: it has an attributes.json, or lies where a
// container's name says so.
func Look(ctx context.Context, s store.Store, node string) bool {
	url := store.JoinURL(s.URL(), node)
	if _, text, _, err := (&Store{Store: s}).read(ctx, node); text != nil {
		return err == nil || IsName(url)
	}
	if !IsName(url) {
		return false
	}
	for _, err := range s.List(ctx, prefixOf(node), "/") {
		// Where nothing can be listed, a path inside a container says nothing.
		return err == nil || last.MatchString(url)
	}
	return false
}

// LookBelow reports whether there is a dataset of N5 not far below a folder that
// says nothing of itself.
func LookBelow(ctx context.Context, s store.Store, node string) bool {
	looks := 0
	return (&Store{Store: s}).lookBelow(ctx, node, 0, &looks)
}

// How far a dataset is looked for in folders that say nothing of themselves.
const (
	maxLooks = 64
	maxDepth = 3
)

func (s *Store) lookBelow(ctx context.Context, node string, depth int, looks *int) bool {
	for e, err := range s.Store.List(ctx, prefixOf(node), "/") {
		if err != nil || *looks == maxLooks {
			return false
		}
		if !e.IsPrefix {
			continue
		}
		*looks++
		below := path.Clean(e.Key)
		attrs, _, _, err := s.read(ctx, below)
		if err == nil && isDataset(attrs) || depth < maxDepth && s.lookBelow(ctx, below, depth+1, looks) {
			return true
		}
	}
	return false
}

// prefixOf is what the keys below a node begin with.
func prefixOf(node string) string {
	if node == "" {
		return ""
	}
	return node + "/"
}
