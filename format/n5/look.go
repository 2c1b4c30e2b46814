package n5

import (
	"context"
	"errors"
	"path"

	"github.com/omnizarr/zarr/format"
	"github.com/omnizarr/zarr/store"
)

// look reports whether the folder at a path of a store, which has no node of Zarr,
// is a group or dataset of N5: it lies where a container's name says so, or it has
// the attributes.json of a dataset or of a container's root, or another one, and the
// folders in it are no nodes of Zarr.
func look(ctx context.Context, s store.Store, node string) bool {
	url := store.JoinURL(s.URL(), node)
	c := &container{store: s}
	attrs, text, _, err := c.read(ctx, node)
	if format.LastEnding(url, ".n5", ".zarr") != ".n5" {
		// One that cannot be read is said to be of N5 too, so that whoever opens it hears why.
		return isDataset(attrs) || attrs.Raw(versionMember) != nil || (err != nil || attrs != nil) && !c.zarrBelow(ctx, node)
	}
	if text != nil {
		return true
	}
	for _, err := range s.List(ctx, prefixOf(node), "/") {
		// Where nothing can be listed, a path inside a container says nothing.
		return err == nil || format.LastEnding(path.Base(url), ".n5") != ""
	}
	return false
}

// lookFurther reports whether a folder of which look does not know is a group of
// N5 all the same: it has no attributes.json, but there is a dataset not far below it.
func lookFurther(ctx context.Context, s store.Store, node string) bool {
	c := &container{store: s}
	attrs, _, _, err := c.read(ctx, node)
	return (err != nil || attrs == nil) && c.holdsDataset(ctx, node)
}

// zarrBelow reports whether one of the first folders in a folder is a node of Zarr.
func (c *container) zarrBelow(ctx context.Context, node string) bool {
	seen := 0
	for e, err := range c.store.List(ctx, prefixOf(node), "/") {
		if seen++; err != nil || seen > maxLooks {
			return false
		}
		for _, name := range []string{documentName, ".zarray", ".zgroup"} {
			if !e.IsPrefix {
				break
			}
			if _, _, err := c.store.Get(ctx, e.Key+name, store.Part(0, 1), nil); err == nil || errors.Is(err, store.ErrRange) {
				return true
			}
		}
	}
	return false
}

// holdsDataset reports whether there is a dataset not far below a folder.
func (c *container) holdsDataset(ctx context.Context, node string) bool {
	looks := 0
	return c.lookBelow(ctx, node, 0, &looks)
}

// How far a dataset is looked for in folders that say nothing of themselves.
const (
	maxLooks  = 64
	maxDepth  = 3
	maxListed = 4096
)

func (c *container) lookBelow(ctx context.Context, node string, depth int, looks *int) bool {
	seen := 0
	for e, err := range c.store.List(ctx, prefixOf(node), "/") {
		if seen++; err != nil || *looks == maxLooks || seen > maxListed {
			return false
		}
		if !e.IsPrefix {
			continue
		}
		*looks++
		below := path.Clean(e.Key)
		attrs, _, _, err := c.read(ctx, below)
		if err == nil && isDataset(attrs) || depth < maxDepth && c.lookBelow(ctx, below, depth+1, looks) {
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
