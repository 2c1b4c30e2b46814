package plain

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/ngff"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/raster"
	"github.com/omnizarr/zarr/serve/kept"
	"github.com/omnizarr/zarr/serve/levels"
)

// Pyramids shows the nodes of another with smaller versions of every image that lacks them,
// which are made when they are asked for and kept in the cache. An image that is a single
// array is a group then, of the array as "0" and the smaller versions from "1" on; in a
// hierarchy of Zarr that is an array whose axes are called y and x, or the root.
func Pyramids(nodes Nodes, cache *kept.Cache) Nodes {
	return &pyramids{Nodes: nodes, cache: cache, images: map[string]*image{}}
}

type pyramids struct {
	Nodes
	cache *kept.Cache

	mu     sync.Mutex
	images map[string]*image // by path
}

// image is a node with levels that are made, or one without.
type image struct {
	of    zarr.Node   // what it is made of
	doc   meta.Node   // the document of that
	group *zarr.Group // nil if there is nothing to make
	names []string    // of the levels

	mu     sync.Mutex
	arrays map[string]*zarr.Array // levels that were opened, so that each is one node
}

// mostImages is how many are remembered.
const mostImages = 1024

// at gives the image at a path, with no group if there is none or nothing to make, and the
// node that is there.
func (p *pyramids) at(ctx context.Context, at string) (*image, zarr.Node, error) {
	n, err := p.Nodes.Node(ctx, at)
	if err != nil {
		return nil, nil, err
	}
	var doc meta.Node
	switch n := n.(type) {
	case *zarr.Array:
		doc = n.Metadata()
	case *zarr.Group:
		doc = n.Metadata()
	}
	p.mu.Lock()
	img := p.images[at]
	p.mu.Unlock()
	if img != nil && img.of == n && img.doc == doc {
		return img, n, nil
	}
	img = &image{of: n, doc: doc, arrays: map[string]*zarr.Array{}}
	if err := p.find(ctx, at, n, img); err != nil {
		return nil, nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.images) >= mostImages {
		clear(p.images)
	}
	p.images[at] = img
	return img, n, nil
}

// find looks for levels that have to be made.
func (p *pyramids) find(ctx context.Context, at string, n zarr.Node, img *image) error {
	if _, ok := n.(*zarr.Array); ok && at != "/" && p.isLevel(ctx, at) {
		return nil
	}
	version, err := p.Nodes.Version(ctx, at)
	if err != nil {
		return err
	}
	found, err := levels.Of(ctx, n, levels.Options{Cache: p.cache, Key: strings.Join([]string{p.URL(), n.URL(), at, version}, "\x00")})
	switch {
	case errors.Is(err, raster.ErrNone) || errors.Is(err, raster.ErrLine) || errors.Is(err, zarr.ErrType) || errors.Is(err, zarr.ErrCodec):
		return nil // no image
	case err != nil:
		return ctx.Err() // what is wrong is told by the node itself
	case found.Stored == len(found.Levels):
		return nil
	}
	if _, ok := n.(*zarr.Array); ok && at != "/" && isZarr(n) && (found.Axes[found.Y].Type != "space" || found.Axes[found.X].Type != "space") {
		return nil // samples, a matrix: nothing says that it is a picture
	}
	g, err := found.Group(ctx)
	if errors.Is(err, errors.ErrUnsupported) {
		return nil // no words for it in OME-NGFF
	}
	if err != nil {
		return err
	}
	images, err := ngff.Images(g.Attributes())
	if err != nil {
		return err
	}
	for _, l := range images[0].Levels {
		img.names = append(img.names, l.Path)
	}
	img.group = g
	return nil
}

// isLevel reports whether an array is one of the levels of the image around it.
func (p *pyramids) isLevel(ctx context.Context, at string) bool {
	n, err := p.Nodes.Node(ctx, path.Dir(at))
	if err != nil {
		return false
	}
	images, err := ngff.Images(n.Attributes())
	return err == nil && slices.ContainsFunc(images, func(img ngff.Multiscales) bool {
		return slices.ContainsFunc(img.Levels, func(l ngff.Level) bool { return l.Path == path.Base(at) })
	})
}

// level opens a level of the image that a path lies in, nil if it is none. The array of an
// image that is one is no level of anything.
func (p *pyramids) level(ctx context.Context, at string) (*zarr.Array, error) {
	if at == "/" {
		return nil, nil
	}
	img, _, err := p.at(ctx, path.Dir(at))
	if errors.Is(err, zarr.ErrNoNode) {
		return nil, nil
	}
	name := path.Base(at)
	if err != nil || img.group == nil || !slices.Contains(img.names, name) {
		return nil, err
	}
	img.mu.Lock()
	defer img.mu.Unlock()
	if a := img.arrays[name]; a != nil {
		return a, nil
	}
	a, err := img.group.Array(ctx, name)
	if err == nil {
		img.arrays[name] = a
	}
	return a, err
}

// Node gives the group of an image, a level of it, or what else is there.
func (p *pyramids) Node(ctx context.Context, at string) (zarr.Node, error) {
	at = path.Clean("/" + at)
	if a, err := p.level(ctx, at); err != nil || a != nil {
		return a, err
	}
	img, n, err := p.at(ctx, at)
	if err != nil {
		return nil, err
	}
	if img.group != nil {
		return img.group, nil
	}
	return n, nil
}

// Names lists the levels too.
func (p *pyramids) Names(ctx context.Context, at string) ([]string, error) {
	at = path.Clean("/" + at)
	if a, err := p.level(ctx, at); err != nil || a != nil {
		return nil, err
	}
	img, _, err := p.at(ctx, at)
	if err != nil {
		return nil, err
	}
	names, err := p.Nodes.Names(ctx, at)
	for _, name := range img.names {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names, err
}

// Folder is never true of an image.
func (p *pyramids) Folder(ctx context.Context, at string) (bool, error) {
	at = path.Clean("/" + at)
	if a, err := p.level(ctx, at); err != nil || a != nil {
		return false, err
	}
	return p.Nodes.Folder(ctx, at)
}

// Version is that of what an image is made of.
func (p *pyramids) Version(ctx context.Context, at string) (string, error) {
	at = path.Clean("/" + at)
	if a, err := p.level(ctx, at); err != nil {
		return "", err
	} else if a != nil {
		at = path.Dir(at)
	}
	return p.Nodes.Version(ctx, at)
}
