package zarr

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/omnizarr/zarr/store"
)

// Children yields the nodes directly below the group by name, each opened when
// its turn comes. A node that cannot be opened is yielded as its error, and the
// iteration goes on.
func (g *Group) Children(ctx context.Context) iter.Seq2[Node, error] {
	return func(yield func(Node, error) bool) {
		if c := g.consolidatedIn(); c != nil {
			for path := range c.Metadata().Consolidated.Children(g.pathIn(c)) {
				if !yield(g.child(ctx, c, c.prefix()+path)) {
					return
				}
			}
			return
		}
		g.folder(ctx, g.prefix(), func(n Node, err error) bool { return yield(n, err) && ctx.Err() == nil }, nil)
	}
}

// Walk yields all nodes below the group, each before those that it holds. Nodes
// in folders that are no groups themselves are found too, unless consolidated
// metadata leaves them out. A node that cannot be opened is yielded as its error,
// and the iteration goes on.
func (g *Group) Walk(ctx context.Context) iter.Seq2[Node, error] {
	return func(yield func(Node, error) bool) { g.walk(ctx, yield) }
}

func (g *Group) walk(ctx context.Context, yield func(Node, error) bool) bool {
	if c := g.consolidatedIn(); c != nil {
		for path := range c.Metadata().Consolidated.Paths(g.pathIn(c)) {
			if !yield(g.child(ctx, c, c.prefix()+path)) {
				return false
			}
		}
		return true
	}
	return g.walkFolder(ctx, g.prefix(), yield)
}

// pathIn is the group's path in the consolidated metadata of c.
func (g *Group) pathIn(c *Group) string {
	return strings.TrimSuffix(g.prefix()[len(c.prefix()):], "/")
}

// maxDepth ends walks that go in circles, as symbolic links can make them.
const maxDepth = 64

func (g *Group) walkFolder(ctx context.Context, prefix string, yield func(Node, error) bool) bool {
	if strings.Count(prefix, "/") > maxDepth {
		return yield(nil, &Error{Op: "walk", URL: store.JoinURL(g.store.URL(), prefix), Err: fmt.Errorf("more than %d groups inside each other", maxDepth)})
	}
	return g.folder(ctx, prefix, func(n Node, err error) bool {
		if !yield(n, err) || ctx.Err() != nil {
			return false
		}
		sub, ok := n.(*Group)
		return !ok || err != nil || sub.walk(ctx, yield)
	}, func(prefix string) bool { return g.walkFolder(ctx, prefix, yield) })
}

// folder opens the nodes in a folder one after the other; folders in it that
// are no nodes go to other.
func (g *Group) folder(ctx context.Context, prefix string, yield func(Node, error) bool, other func(prefix string) bool) bool {
	for entry, err := range g.store.List(ctx, prefix, "/") {
		if err != nil {
			return yield(nil, g.fail("list", err))
		}
		if !entry.IsPrefix {
			continue
		}
		n, err := openNode(ctx, g.engine, strings.TrimSuffix(entry.Key, "/"))
		if errors.Is(err, ErrNoNode) {
			if other != nil && !other(entry.Key) {
				return false
			}
			continue
		}
		if !yield(n, err) {
			return false
		}
		// A document that cannot be read does not hide the nodes below it; what
		// else lies there may be chunks.
		if err != nil && other != nil && !g.folder(ctx, entry.Key, yield, nil) {
			return false
		}
	}
	return true
}
