package api

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/serve/source"
)

// Children is a page of what lies below a group.
type Children struct {
	Total    *int    `json:"total"` // of names that pass the filter
	Next     *int    `json:"next"`  // the offset of the next page
	Children []Child `json:"children"`
}

// Child is a node in a tree.
type Child struct {
	Name     string       `json:"name"`
	Path     string       `json:"path"`
	NodeType string       `json:"node_type"`
	Kind     Kind         `json:"kind"`
	Fact     string       `json:"fact"`
	More     bool         `json:"more"` // it has children itself
	Link     *source.Link `json:"link,omitempty"`
	Problem  *Problem     `json:"problem,omitempty"`
	Label    string       `json:"label,omitempty"`
	Icon     string       `json:"icon,omitempty"`    // volume or map, of images that are such
	Picture  bool         `json:"picture,omitempty"` // it has a thumbnail; a group may have one
}

// mostChildren is how many are told at once.
const mostChildren = 1000

func (s *server) children(r *request) error {
	sp, err := r.spot()
	if err != nil {
		return err
	}
	offset, err := r.integer("offset", 0, 0, 1<<31-1)
	if err != nil {
		return err
	}
	limit, err := r.integer("limit", 200, 1, mostChildren)
	if err != nil {
		return err
	}
	if _, ok := sp.node.(*zarr.Array); ok {
		return sp.fail(unsupported("%s is an array, nothing lies below it", sp.path))
	}
	names, err := sp.source.Names(r.Context(), sp.path)
	if err != nil {
		return sp.fail(err)
	}
	if filter := strings.ToLower(r.text("filter")); filter != "" {
		found := []string{}
		for _, name := range names {
			if strings.Contains(strings.ToLower(name), filter) {
				found = append(found, name)
			}
		}
		names = found
	}
	total := len(names)
	out := Children{Total: &total}
	names = names[min(offset, total):]
	if len(names) > limit {
		next := offset + limit
		names, out.Next = names[:limit], &next
	}
	if out.Children, err = s.childrenOf(r.Context(), sp.source, sp.path, names); err != nil {
		return err
	}
	return r.json(out)
}

// atOnce is how many nodes are opened at the same time for one answer.
const atOnce = 8

// childrenOf tells of nodes by their names in a group. Names that are no nodes are left
// out; what does not open is told with the reason.
func (s *server) childrenOf(ctx context.Context, src *source.Source, above string, names []string) ([]Child, error) {
	found := make([]*Child, len(names))
	var all sync.WaitGroup
	places := make(chan struct{}, atOnce)
	for i, name := range names {
		places <- struct{}{}
		all.Go(func() {
			defer func() { <-places }()
			found[i] = s.child(ctx, src, path.Join(above, name))
		})
	}
	all.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	out := []Child{}
	for _, c := range found {
		if c != nil {
			out = append(out, *c)
		}
	}
	return out, nil
}

// child tells of the node at a path, nil if there is none.
func (s *server) child(ctx context.Context, src *source.Source, at string) *Child {
	c := &Child{Name: path.Base(at), Path: at, NodeType: "group", Kind: GroupKind}
	sp, err := open(ctx, src, at)
	if err != nil {
		if errors.Is(err, zarr.ErrNoNode) && !s.isLink(ctx, src, at) {
			return nil
		}
		_, p := ProblemOf(err)
		c.Problem = &p
		return c
	}
	views := s.views(ctx, sp)
	c.Kind, c.Picture = views[0], picture(views) != ""
	c.Fact = s.fact(ctx, sp, c.Kind)
	c.Label, _ = s.names(sp)
	c.Link = s.linkTo(ctx, sp)
	if c.Kind == ImageKind {
		c.Icon = s.icon(sp)
	}
	if _, ok := sp.node.(*zarr.Array); ok {
		c.NodeType = "array"
		return c
	}
	names, err := src.Names(ctx, at)
	c.More = len(names) > 0 || err != nil
	c.Picture = c.Picture && (c.Kind != GroupKind || len(names) > 0)
	if c.Fact == "" && err == nil {
		c.Fact = counted(len(names), "item")
	}
	return c
}

// icon says which images are volumes, and which maps, by the names of their axes.
func (s *server) icon(sp *spot) string {
	var names []string
	if a, ok := sp.node.(*zarr.Array); ok {
		for i, name := range a.DimensionNames() {
			if a.Shape()[i] > 1 {
				names = append(names, strings.ToLower(name))
			}
		}
	} else if m := s.multiscales(sp.node); m != nil {
		for _, axis := range m.Axes {
			names = append(names, strings.ToLower(axis.Name))
		}
	}
	has := func(any ...string) bool {
		return slices.ContainsFunc(any, func(name string) bool { return slices.Contains(names, name) })
	}
	switch {
	case has("lat", "latitude") && has("lon", "longitude"):
		return "map"
	case has("z"):
		return "volume"
	}
	return ""
}

// isLink reports whether a name that does not open lies in a file with links, which may
// lead nowhere.
func (s *server) isLink(ctx context.Context, src *source.Source, at string) bool {
	parts, err := src.Parts(ctx, at)
	return err == nil && parts.File != ""
}
