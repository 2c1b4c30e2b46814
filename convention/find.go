package convention

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/locate"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
)

// Subject is what a URL names: a node, and if that lies in a file of a convention,
// what it is there.
type Subject struct {
	Node   zarr.Node
	Object Object // nil outside of conventions
	under  Object // that was resolved
}

// Close gives up the node and the file.
func (s *Subject) Close() error {
	switch {
	case s.under != nil:
		return errors.Join(s.Node.Close(), s.under.Close())
	case s.Object != nil:
		return s.Object.Close()
	}
	return s.Node.Close()
}

// Resolve makes the subject plain Zarr, with what links lead to in their places, if it
// is an object of a convention that can be shown so.
func (s *Subject) Resolve(ctx context.Context) error {
	o, ok := s.Object.(Resolving)
	if !ok {
		return nil
	}
	n, err := o.Resolved(ctx)
	if err != nil {
		return err
	}
	s.Node, s.Object, s.under = n, nil, s.Object
	return nil
}

// IsFile reports whether the subject is a whole file of a convention.
func (s *Subject) IsFile() bool { return s.Object != nil && s.Object.IsFile() }

// Find opens what a URL names, for reading. Objects of conventions are found out by
// looking; the URL may also lead through their links.
func Find(ctx context.Context, url string, known []Convention, opts ...zarr.Option) (*Subject, error) {
	opts = append(slices.Clone(opts), zarr.ReadOnly())
	n, err := zarr.Open(ctx, url, opts...)
	if err != nil {
		if !isGone(err) {
			return nil, err
		}
		if implicit, ierr := zarr.Open(ctx, url, append(opts, zarr.ImplicitGroup())...); ierr == nil {
			return &Subject{Node: implicit}, nil
		}
		n = nil
	}
	s, ferr := Around(ctx, url, n, known, opts...)
	if s == nil && ferr == nil {
		ferr = err
	}
	return s, ferr
}

// Around gives what the node that was opened at a URL is in the file around it, if it
// lies in one, and else the node alone. n is nil where there is no node, and only links
// may lead on; if they do not, there is no subject. The subject has the node now, or n
// was closed.
func Around(ctx context.Context, url string, n zarr.Node, known []Convention, opts ...zarr.Option) (*Subject, error) {
	for _, c := range known {
		// Other nodes are asked for only where that costs next to nothing.
		may, err := n == nil, error(nil)
		if n != nil {
			may, err = c.May(ctx, n)
		}
		if err == nil && !may && !strings.HasPrefix(n.Store().URL(), "file:") {
			continue
		}
		var file *zarr.Group
		var at string
		if err == nil {
			file, at, err = fileAround(ctx, c, url, n, opts)
		}
		if err != nil {
			if n != nil {
				n.Close()
			}
			return nil, err
		}
		if file == nil {
			continue
		}
		if n != nil && n != zarr.Node(file) {
			n.Close()
		}
		o, err := c.Open(ctx, file, at, opts...)
		if err != nil {
			return nil, err
		}
		return &Subject{Node: o.Node(), Object: o}, nil
	}
	if n == nil {
		return nil, nil
	}
	return &Subject{Node: n}, nil
}

// isGone reports whether an error says that there is nothing.
func isGone(err error) bool {
	return errors.Is(err, store.ErrNotExist) || errors.Is(err, fs.ErrNotExist)
}

// mostAbove is how many groups a file is looked for above a node.
const mostAbove = 64

// fileAround finds the file that a URL leads into, and where in it: the nearest group
// that surely is one, else the uppermost one that looks like one. n is the node at
// the URL, nil if there is none. What cannot be read above is no file, but a store that
// does not answer is an error: else it would depend on chance what a node means.
func fileAround(ctx context.Context, c Convention, url string, n zarr.Node, opts []zarr.Option) (file *zarr.Group, at string, err error) {
	defer func() {
		if err != nil && file != nil && zarr.Node(file) != n {
			file.Close()
			file = nil
		}
	}()
	take := func(g *zarr.Group, where string) (last bool, err error) {
		looks, sure, err := c.IsFile(ctx, g)
		if err != nil || !looks {
			return false, err
		}
		if file != nil && zarr.Node(file) != n {
			file.Close()
		}
		file, at = g, where
		return sure, nil
	}
	if g, ok := n.(*zarr.Group); ok {
		if last, err := take(g, "/"); last || err != nil {
			return file, at, err
		}
	}
	where := ""
	opts = append(slices.Clone(opts), zarr.Explicit())
	for range mostAbove {
		up, name, ok := locate.Above(url)
		if !ok {
			break
		}
		url, where = up, path.Join(name, where)
		g, err := zarr.OpenGroup(ctx, url, opts...)
		if err != nil {
			// Behind a link nothing need be there at all.
			if n == nil && file == nil && isGone(err) {
				continue
			}
			if store.Unavailable(err) {
				return file, at, err
			}
			break
		}
		last, err := take(g, where)
		if file != g {
			g.Close()
		}
		if last || err != nil {
			return file, at, err
		}
	}
	return file, at, nil
}

// Below lists what lies below a subject in path order, or the subject itself if it is
// an array; and what does not open as errors. The schemas of a file are not among it.
func Below(ctx context.Context, s *Subject) (entries []Entry, broken []error) {
	g, ok := s.Node.(*zarr.Group)
	switch {
	case !ok:
		entries = []Entry{{Path: "/", Node: s.Node, Object: s.Object}}
	case s.Object != nil:
		for e, err := range s.Object.Walk(ctx) {
			if err != nil {
				broken = append(broken, err)
				continue
			}
			entries = append(entries, e)
		}
	default:
		entries, broken = nodesBelow(ctx, g, g.Path())
	}
	if ctx.Err() != nil {
		broken = append(broken, ctx.Err())
	}
	return InPathOrder(entries), broken
}

func nodesBelow(ctx context.Context, g *zarr.Group, top string) (entries []Entry, broken []error) {
	for n, err := range g.Walk(ctx) {
		if err != nil {
			broken = append(broken, err)
			continue
		}
		entries = append(entries, NodeEntry(n, top))
	}
	return entries, broken
}

// Children lists what lies one level below a group.
func Children(ctx context.Context, s *Subject) (entries []Entry, broken []error) {
	g, ok := s.Node.(*zarr.Group)
	if !ok || s.Object != nil {
		entries, broken = Below(ctx, s)
		return slices.DeleteFunc(entries, func(e Entry) bool { return strings.Count(e.Path, "/") > 1 }), broken
	}
	for n, err := range g.Children(ctx) {
		if err != nil {
			broken = append(broken, err)
			continue
		}
		entries = append(entries, NodeEntry(n, g.Path()))
	}
	return InPathOrder(entries), broken
}

// NodeEntry is a node below another, whose path is top.
func NodeEntry(n zarr.Node, top string) Entry {
	return Entry{Path: "/" + strings.Trim(strings.TrimPrefix(n.Path(), top), "/"), Node: n}
}

// InPathOrder sorts entries.
func InPathOrder(entries []Entry) []Entry {
	slices.SortStableFunc(entries, func(x, y Entry) int { return meta.ComparePaths(x.Path, y.Path) })
	return entries
}
