package write

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/internal/strictjson"
)

// maxDepth bounds groups inside each other.
const maxDepth = 64

// Copy writes a file anew at a URL, in the same or in the other layout: values,
// attributes, links, references, regions, schemas and ids. Links and references
// into other files stay such, and name them relative to the new place.
//
// The new file becomes one at the very end. Values are copied in parts, so that
// files may be larger than memory.
func Copy(ctx context.Context, dst string, src *hdmf.File, opts Options) error {
	if opts.Layout == 0 {
		opts.Layout = src.Layout()
	}
	t, err := newTarget(ctx, dst, opts, src.Zarr())
	if err != nil {
		return err
	}
	c := &copier{target: t, src: src, dst: zarr.Place(ctx, t.root), known: map[string]hdmf.Reference{}, files: map[string]string{}}
	t.place = c.refer
	return t.finish(ctx, c.all(ctx))
}

// copier copies one file.
type copier struct {
	*target
	src *hdmf.File
	dst string // where the new file lies, "" if nowhere

	mu    sync.Mutex
	known map[string]hdmf.Reference // what was referred to, by source and path
	files map[string]string         // sources of the new file by those of the old one
}

func (c *copier) all(ctx context.Context) error {
	if err := c.group(ctx, c.src.Root(), 0); err != nil {
		return err
	}
	texts, err := c.src.SchemaTexts(ctx)
	if err != nil || texts == nil && c.location() == "" {
		return err
	}
	at := c.location()
	if _, err := c.root.CreateGroup(ctx, at); err != nil {
		return err
	}
	if err := c.schemas(ctx, at, texts); err != nil {
		return err
	}
	return c.setLocation(ctx, at)
}

// location is where the source says that its schemas are, "" if it does not.
func (c *copier) location() string {
	raw := c.src.Root().Node().Attributes().Raw(schemaLocation)
	if raw == nil {
		return ""
	}
	at, err := strictjson.String(raw)
	if err != nil {
		members, _ := strictjson.Split(raw)
		for _, m := range members {
			if m.Name == referenceV3 || m.Name == "value" {
				r, _ := hdmf.ParseReference(m.Raw)
				at = r.Path
			}
		}
	}
	return strings.Trim(path.Clean("/"+at), "/")
}

func (c *copier) group(ctx context.Context, g *hdmf.Group, depth int) error {
	if depth > maxDepth {
		return c.failed(g.Path(), fmt.Errorf("more than %d groups inside each other", maxDepth))
	}
	if problems := g.Problems(); problems != nil {
		return c.failed(g.Path(), errors.Join(problems...))
	}
	var links []link
	var members []hdmf.Object
	for m, err := range g.Members(ctx) {
		switch {
		case err != nil:
			return err
		case m.Link != nil:
			links = append(links, link{m.Name, m.Link.Reference})
		default:
			members = append(members, m.Object)
		}
	}
	if err := c.target.group(ctx, g.Path(), g.Attributes(), links); err != nil {
		return err
	}
	for _, o := range members {
		var err error
		switch o := o.(type) {
		case *hdmf.Group:
			err = c.group(ctx, o, depth+1)
		case *hdmf.Dataset:
			err = c.one(ctx, o)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// one copies a dataset.
func (c *copier) one(ctx context.Context, d *hdmf.Dataset) error {
	src, err := fromDataset(d)
	if err != nil {
		return c.failed(d.Path(), err)
	}
	attrs := d.Attributes()
	names := d.Array().DimensionNames()
	if names != nil && !d.Scalar() && !slices.ContainsFunc(attrs, func(a hdmf.Attribute) bool { return a.Name == dimensions }) {
		a, err := attributeOf(dimensions, names)
		if err != nil {
			return c.failed(d.Path(), err)
		}
		attrs = append(attrs, a)
	}
	if t := src.what.typ; c.opts.WideIndexes && d.Type().Name == "VectorIndex" && t != nil && t.Kind() == dtype.Uint && t.Size() < 8 {
		return c.dataset(ctx, d.Path(), attrs, wide{src})
	}
	return c.dataset(ctx, d.Path(), attrs, src)
}

// maxKnown bounds what is remembered of references.
const maxKnown = 1 << 16

// refer gives a reference of the source as the new file must have it. What cannot
// be found keeps the ids that the reference has, and stays what it is.
func (c *copier) refer(ctx context.Context, r hdmf.Reference) (hdmf.Reference, error) {
	key := r.Source + "\x00" + r.Path
	c.mu.Lock()
	found, ok := c.known[key]
	c.mu.Unlock()
	if !ok {
		found = hdmf.Reference{Source: c.file(ctx, r.Source)}
		if c.layout == hdmf.V2 {
			if o, err := c.src.Resolve(ctx, hdmf.Reference{Source: r.Source, Path: r.Path}); err == nil {
				found.ObjectID, found.SourceObjectID = o.ID(), o.File().ID()
			}
		}
		if err := ctx.Err(); err != nil {
			return r, err
		}
		c.mu.Lock()
		if len(c.known) >= maxKnown {
			clear(c.known)
		}
		c.known[key] = found
		c.mu.Unlock()
	}
	r.Source = found.Source
	if r.ObjectID == "" {
		r.ObjectID = found.ObjectID
	}
	if r.SourceObjectID == "" {
		r.SourceObjectID = found.SourceObjectID
	}
	return r, nil
}

// file gives the source by which the new file refers to what the old one calls
// name.
func (c *copier) file(ctx context.Context, name string) string {
	if name == "." || name == "" {
		return "."
	}
	c.mu.Lock()
	known, ok := c.files[name]
	c.mu.Unlock()
	if ok {
		return known
	}
	out := name
	at := ""
	if o, err := c.src.Resolve(ctx, hdmf.Reference{Source: name, Path: "/"}); err == nil {
		if o.File() == c.src {
			out = "."
		}
		at = zarr.Place(ctx, o.File().Zarr())
	} else if own := zarr.Place(ctx, c.src.Zarr()); own != "" && !strings.Contains(name, "://") && !filepath.IsAbs(name) {
		at = beside(own, name)
	}
	if out != "." && at != "" && c.dst != "" {
		out = relative(c.dst, at)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.files) < maxKnown {
		c.files[name] = out
	}
	return out
}

// beside joins a relative source to the place of the file that has it.
func beside(place, name string) string {
	if u, err := url.Parse(place); err == nil && strings.Contains(place, "://") {
		u.Path = path.Join(u.Path, name)
		return u.String()
	}
	return filepath.Join(place, filepath.FromSlash(name))
}

// relative names a place from another, with slashes; as it is if the two have
// nothing in common.
func relative(from, to string) string {
	a, errA := url.Parse(from)
	b, errB := url.Parse(to)
	remote := strings.Contains(from, "://") || strings.Contains(to, "://")
	switch {
	case remote && (errA != nil || errB != nil || a.Scheme != b.Scheme || a.Host != b.Host):
		return to
	case remote:
		from, to = a.Path, b.Path
	}
	rel, err := filepath.Rel(filepath.FromSlash(from), filepath.FromSlash(to))
	if err != nil {
		return filepath.ToSlash(to)
	}
	return filepath.ToSlash(rel)
}
