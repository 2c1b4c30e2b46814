package source

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"path"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/convention"
	"github.com/omnizarr/zarr/locate"
	"github.com/omnizarr/zarr/store"
)

// file is an object of a convention whose file has links.
type file interface {
	convention.Object
	convention.Resolving
	convention.Sharing
}

// place is a hierarchy, or a folder of several.
type place struct {
	source *Source
	at     string // its path in the source, without "/" in front
	url    string // "" for a node that was given

	// of the source's lock
	users int
	last  int64

	lock   chan struct{} // one at a time opens it and looks whether it has changed
	opened bool
	look   atomic.Int64  // when it is to be looked at next, in nanoseconds; 0 before it is open
	every  time.Duration // how often it is looked at

	folder  *folder             // nil for a hierarchy
	subject *convention.Subject // the root, as it is stored
	file    file                // nil outside of conventions
	root    zarr.Node           // the root that is shown
	stamp   string              // of its documents, or of the file that it is
	files   store.Store         // as they are stored, once somebody asked
	filesAt locate.Location

	mu     sync.Mutex
	nodes  map[string]*kept // by path without "/" in front
	closed bool
}

func newPlace(s *Source, at string) *place {
	return &place{source: s, at: at, lock: make(chan struct{}, 1), nodes: map[string]*kept{}}
}

// alone waits until nobody else opens the place.
func (p *place) alone(ctx context.Context) (done func(), err error) {
	select {
	case p.lock <- struct{}{}:
		return func() { <-p.lock }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// open opens what lies at the place, unless that is done. above is the folder that it
// lies in, nil for the source itself.
func (p *place) open(ctx context.Context, above *place) error {
	done, err := p.alone(ctx)
	if err != nil {
		return err
	}
	defer done()
	if p.opened {
		return nil
	}
	if p.source.given != nil {
		err = p.take(ctx, p.source.given)
	} else {
		err = p.find(ctx, above)
	}
	if err != nil {
		return err
	}
	p.every = lookElsewhere
	if u := p.root.Store().URL(); strings.HasPrefix(u, "file:") || strings.HasPrefix(u, "mem:") || strings.HasPrefix(u, "hdmf-view:file:") {
		p.every = lookHere
	}
	p.opened = true
	p.looked()
	return nil
}

// looked says that the place has just been looked at.
func (p *place) looked() {
	if p.folder != nil {
		p.look.Store(math.MaxInt64) // what lies in it is looked at by itself
		return
	}
	p.look.Store(time.Now().Add(p.every).UnixNano())
}

// settled reports whether the place is open, and need not be looked at yet.
func (p *place) settled() bool { return time.Now().UnixNano() < p.look.Load() }

// take makes the place of a node that was given.
func (p *place) take(ctx context.Context, n zarr.Node) error {
	p.subject = &convention.Subject{Node: n}
	if g, ok := n.(*zarr.Group); ok {
		for _, c := range p.source.set.opt.Kinds.Conventions() {
			_, sure, err := c.IsFile(ctx, g)
			if err != nil {
				return err
			}
			if !sure {
				continue
			}
			o, err := c.Open(ctx, g, "/", p.source.set.opt.Open...)
			if err != nil {
				return err
			}
			p.subject = &convention.Subject{Node: o.Node(), Object: o}
			break
		}
	}
	return p.show(ctx)
}

// find opens what the URL names.
func (p *place) find(ctx context.Context, above *place) error {
	opt := p.source.set.opt
	p.url = p.source.url
	if above != nil {
		name := path.Base(p.at)
		if err := above.folder.has(ctx, name); err != nil {
			return err
		}
		p.url = childURL(above.folder.url, name)
	}
	n, err := zarr.Open(ctx, p.url, opt.Open...)
	if errors.Is(err, zarr.ErrNoNode) || errors.Is(err, fs.ErrNotExist) {
		f, ferr := openFolder(ctx, p.url, p.source.set)
		if ferr != nil {
			return err // which says what was looked for
		}
		p.folder = f
		p.root, err = zarr.OpenStore(ctx, &shelf{p.source, p.at, f}, "")
		if err != nil {
			return errors.Join(err, f.close())
		}
		return nil
	}
	if err != nil {
		return err
	}
	if p.subject, err = convention.Around(ctx, p.url, n, opt.Kinds.Conventions(), opt.Open...); err != nil {
		return err
	}
	if err := p.show(ctx); err != nil {
		p.subject.Close()
		return err
	}
	return nil
}

// show makes the root that is shown of the one that is stored.
func (p *place) show(ctx context.Context) (err error) {
	p.root = p.subject.Node
	if f, ok := p.subject.Object.(file); ok {
		if p.root, err = f.Resolved(ctx); err != nil {
			return err
		}
		p.file = f
	}
	p.stamp, err = p.stampNow(ctx)
	return err
}

// close gives up what was opened.
func (p *place) close() error {
	p.mu.Lock()
	was := p.closed
	p.closed = true
	p.mu.Unlock()
	if was || !p.opened || p.source.given != nil {
		return nil
	}
	var errs []error
	if p.filesAt.Store != nil {
		errs = append(errs, p.filesAt.Close())
	}
	switch {
	case p.folder != nil:
		errs = append(errs, p.folder.close())
	case p.file != nil:
		errs = append(errs, p.root.Close(), p.subject.Close())
	default:
		errs = append(errs, p.subject.Close())
	}
	return errors.Join(errs...)
}

// mostNodes is how many nodes of a hierarchy stay open.
const mostNodes = 4096

// node gives the node at a path of the place.
func (p *place) node(ctx context.Context, at string) (zarr.Node, error) {
	k, err := p.keep(ctx, at)
	if err != nil {
		return nil, err
	}
	return k.node, nil
}

// openNode opens it.
func (p *place) openNode(ctx context.Context, at string) (zarr.Node, error) {
	if at == "" {
		return p.root, nil
	}
	g, ok := p.root.(*zarr.Group)
	if !ok {
		return nil, &zarr.Error{Op: "open", URL: store.JoinURL(p.root.URL(), at), Err: zarr.ErrNoNode}
	}
	n, err := g.Open(ctx, at)
	if errors.Is(err, zarr.ErrNoNode) {
		if implicit := p.implicit(ctx, g, at); implicit != nil {
			n, err = implicit, nil
		}
	}
	return n, err
}

// implicit gives the group that a folder in a hierarchy is which has no document, but
// perhaps holds nodes; nil if there is no such folder, or it lies in an array.
func (p *place) implicit(ctx context.Context, root *zarr.Group, at string) zarr.Node {
	for up := path.Dir(at); up != "."; up = path.Dir(up) {
		n, err := root.Open(ctx, up)
		if errors.Is(err, zarr.ErrNoNode) {
			continue
		}
		if _, ok := n.(*zarr.Group); err != nil || !ok {
			return nil
		}
		break
	}
	if c := root.Metadata().Consolidated; c != nil && root.Consolidated() {
		for range c.Paths(at) {
			return p.group(ctx, at)
		}
		return nil
	}
	for e, err := range root.Store().List(ctx, path.Join(root.Path(), at)+"/", "/") {
		if err != nil {
			return nil
		}
		if e.IsPrefix {
			return p.group(ctx, at)
		}
	}
	return nil
}

// group is one that only the source has.
func (p *place) group(ctx context.Context, at string) zarr.Node {
	n, err := zarr.OpenStore(ctx, &shelf{p.source, path.Join(p.at, at), nil}, "")
	if err != nil {
		return nil
	}
	return n
}

// subjectAt is the node at a path with what it is in its file.
func (p *place) subjectAt(ctx context.Context, at string) (*convention.Subject, error) {
	if p.file != nil {
		o, err := p.file.At(ctx, path.Join(p.file.Path(), at))
		if err == nil {
			return &convention.Subject{Node: o.Node(), Object: o}, nil
		}
		// What only the view has is no object.
		n, nerr := p.node(ctx, at)
		if nerr != nil {
			return nil, err
		}
		return &convention.Subject{Node: n}, nil
	}
	if at == "" && p.subject != nil {
		return p.subject, nil
	}
	n, err := p.node(ctx, at)
	if err != nil {
		return nil, err
	}
	return &convention.Subject{Node: n}, nil
}

// Names lists what lies directly below a group, without opening it: some of it may turn
// out to be no node. It is sorted as people count: s2 before s10.
func (s *Source) Names(ctx context.Context, at string) ([]string, error) {
	p, inner, err := s.find(ctx, at)
	if err != nil {
		return nil, err
	}
	if p.folder != nil {
		names, err := p.folder.names(ctx)
		return names, s.failed(at, err)
	}
	n, err := p.node(ctx, inner)
	if err != nil {
		return nil, s.failed(at, err)
	}
	if _, ok := n.(*zarr.Group); !ok {
		return nil, nil
	}
	root := p.root.(*zarr.Group)
	var names []string
	if c := root.Metadata().Consolidated; c != nil && root.Consolidated() {
		below := strings.TrimPrefix(inner+"/", "/")
		last := ""
		for at := range c.Paths(inner) {
			if name, _, _ := strings.Cut(at[len(below):], "/"); name != last {
				names = append(names, name)
				last = name
			}
		}
		return inOrder(names), nil
	}
	prefix := path.Join(root.Path(), inner)
	if prefix != "" {
		prefix += "/"
	}
	for e, err := range root.Store().List(ctx, prefix, "/") {
		if err != nil {
			return inOrder(names), s.failed(at, err)
		}
		name := strings.TrimSuffix(e.Key[len(prefix):], "/")
		if !e.IsPrefix || zarr.IsOwn(name) {
			continue
		}
		if names = append(names, name); len(names) > mostNames {
			return inOrder(names), s.failed(at, tooMany())
		}
	}
	return inOrder(names), nil
}
