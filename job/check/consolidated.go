package check

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/job"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
)

// consolidated compares a group's consolidated metadata with the documents of
// the nodes below it, and tells what is wrong with which. g was opened without
// it; listed says that the store can tell which nodes there are, and apart are groups
// that need not be in it.
func consolidated(ctx context.Context, root zarr.Node, g *zarr.Group, listed bool, apart []string, tell func(path, problem string)) {
	c := g.Metadata().Consolidated
	if c == nil {
		return
	}
	at := job.Path(root, g)
	for _, path := range c.Ignored {
		tell(at, strictjson.Quote(path)+" is no path of a node")
	}
	seen := map[string]bool{}
	for path := range c.Paths("") {
		seen[path] = true
		if text := compare(ctx, g, c, path); text != "" {
			tell(join(at, path), text)
		}
		if ctx.Err() != nil {
			return
		}
	}
	if !listed {
		return
	}
	for n, err := range g.Walk(ctx) {
		if err != nil {
			continue // reported where the node itself is verified
		}
		if path := job.Path(g, n)[1:]; !seen[path] && !isApart(apart, join(at, path)) {
			tell(join(at, path), "the node is not in that of "+at)
		}
	}
}

// isApart reports whether a path is one of some groups, or below one.
func isApart(groups []string, path string) bool {
	return slices.ContainsFunc(groups, func(g string) bool {
		g = "/" + strings.Trim(g, "/")
		return g != "/" && (path == g || strings.HasPrefix(path, g+"/"))
	})
}

func join(at, path string) string {
	if at == "/" {
		return "/" + path
	}
	return at + "/" + path
}

// compare says how a node's entry differs from its document, "" if it does not.
func compare(ctx context.Context, g *zarr.Group, c *meta.Consolidated, path string) string {
	entry, err := c.Get(path)
	if err != nil {
		return err.Error()
	}
	own, err := g.Open(ctx, path)
	if errors.Is(err, store.ErrNotExist) {
		return "there is no such node"
	}
	if err != nil {
		return "" // reported where the node itself is verified
	}
	same, err := meta.Same(entry, job.Metadata(own))
	if err != nil {
		return err.Error()
	}
	if !same {
		return "stale, the node's own document is different"
	}
	return ""
}
