package write

import (
	"context"
	"encoding/json"
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
	"github.com/omnizarr/zarr/job"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/job/landing"
	"github.com/omnizarr/zarr/store"
)

// maxDepth bounds groups inside each other.
const maxDepth = 64

// Copy writes a file anew at a URL, in the same or in the other layout: values,
// attributes, links, references, regions, schemas and ids. Links and references
// into other files stay such, and name them relative to the new place, or with WithLinks
// their copies, which are made along.
//
// The new file lands as all copies do, see package landing: it becomes one at the very
// end, one that was interrupted and is begun again goes on, and what Overwrite replaces
// stays until then where folders can be renamed. Values are copied in parts, so that
// files may be larger than memory.
func Copy(ctx context.Context, dst string, src *hdmf.File, opts Options) (copying.Summary, error) {
	if src == nil {
		return copying.Summary{}, errors.New("copy: no file to copy")
	}
	if opts.Layout == 0 {
		opts.Layout = src.Layout()
	}
	var err error
	if opts.Laid.Spread != nil && opts.Laid.Memory == 0 {
		opts.Laid.Memory = copying.SpreadMemory
	}
	if opts.Laid.Workers, opts.Laid.Memory, err = job.Limits(opts.Laid.Workers, opts.Laid.Memory); err != nil {
		return copying.Summary{}, fmt.Errorf("copy: %w", err)
	}
	return copying.Measured(ctx, func(ctx context.Context) (copying.Summary, error) {
		set, err := gather(ctx, dst, src, opts)
		if err != nil {
			return copying.Summary{}, err
		}
		return set.copy(ctx)
	})
}

// begin makes the nodes of the copy of a file of a set, and nothing in its place yet.
func (s *set) begin(ctx context.Context, m *member) (_ *copier, err error) {
	c := &copier{src: m.file, misses: misses{source: m.file}, set: s, dst: m.place}
	if c.texts, err = m.file.SchemaTexts(ctx); err == nil {
		err = checkSchemas(c.texts)
	}
	if err != nil {
		return nil, c.unread("/", err)
	}
	c.landing, err = landing.Begin(ctx, landing.Place{URL: m.url}, landing.Copy{
		Source: m.file.Zarr(), Request: s.request(m), Overwrite: s.opts.Overwrite, OwnOnly: m != s.files[0], Shared: s.opts.Laid.Spread != nil,
		Open: append([]zarr.Option{zarr.Locate(s.opts.Locate)}, s.opts.Zarr...),
	})
	if err != nil {
		return nil, err
	}
	c.target = newCopy(c.landing, s.opts)
	c.place = c.refer
	c.known, c.files = map[string]hdmf.Reference{}, map[string]string{}
	if err := c.nodes(ctx); err != nil {
		return nil, c.landing.Abandon(err)
	}
	return c, nil
}

// request is what tells copies of a file apart, besides their documents.
func (s *set) request(m *member) any {
	var links []string
	for _, other := range s.files {
		if len(s.files) > 1 && other != m {
			links = append(links, relative(m.place, other.place))
		}
	}
	return struct {
		To       string          `json:"to"`
		Codecs   json.RawMessage `json:"codecs,omitempty"`
		DataType string          `json:"data_type,omitempty"`
		Links    []string        `json:"links,omitempty"` // copies beside this one
	}{fmt.Sprint("hdmf ", s.opts.Layout), s.opts.Laid.Codecs, s.opts.Laid.DataType, links}
}

// nodes makes all nodes.
func (c *copier) nodes(ctx context.Context) (err error) {
	if c.root, err = zarr.CreateGroupIn(ctx, c.held, c.landing.Path(), append(c.engine(), zarr.As(c.format()))...); err != nil {
		return err
	}
	c.later = []work{}
	if err = c.all(ctx); err == nil {
		err = c.unread("/", c.checkLosses())
	}
	if err == nil && !c.opts.Plain {
		err = c.root.Consolidate(ctx)
	}
	return err
}

// copier copies one file.
type copier struct {
	*target
	src     *hdmf.File
	set     *set
	landing *landing.Landing
	dst     string // where the new file lies, "" if nowhere
	texts   []hdmf.SchemaText
	fitting bool // some array has as many axes as the chunks that are asked for

	mu     sync.Mutex
	known  map[string]hdmf.Reference // what was referred to, by source and path
	files  map[string]string         // sources of the new file by those of the old one
	misses misses
}

// unread says which object of the source is to blame, unless err does.
func (c *copier) unread(at string, err error) error {
	return unread(c.src, at, err)
}

func unread(src *hdmf.File, at string, err error) error {
	var known *zarr.Error
	if err == nil || errors.As(err, &known) {
		return err
	}
	return &zarr.Error{Op: "copy", URL: store.JoinURL(src.URL(), strings.TrimPrefix(at, "/")), Err: err}
}

func (c *copier) all(ctx context.Context) error {
	if err := c.group(ctx, c.src.Root(), 0); err != nil {
		return err
	}
	at := c.location()
	if c.texts == nil && at == "" {
		return nil
	}
	if _, err := c.root.RequireGroup(ctx, at); err != nil {
		return err
	}
	if err := c.schemas(ctx, at, c.texts); err != nil {
		return err
	}
	if err := c.schemaGroups(ctx, at); err != nil {
		return err
	}
	return c.setLocation(ctx, at)
}

// schemaGroups copies the attributes of the groups that schemas are cached in.
func (c *copier) schemaGroups(ctx context.Context, at string) error {
	root := c.src.Zarr()
	n, err := root.Open(ctx, at)
	if errors.Is(err, zarr.ErrNoNode) { // some writers leave them out of consolidated metadata
		n, err = zarr.OpenStore(ctx, root.Store(), path.Join(root.Path(), at), zarr.BypassConsolidated())
	}
	if err != nil {
		return err
	}
	one := func(n zarr.Node) error {
		attrs := n.Attributes()
		if _, ok := n.(*zarr.Group); !ok || attrs.Len() == 0 {
			return nil
		}
		below := strings.TrimPrefix(strings.TrimPrefix(n.Path(), root.Path()), "/")
		g, err := c.root.Group(ctx, below)
		if errors.Is(err, zarr.ErrNoNode) {
			g, err = c.root.CreateGroup(ctx, below)
		}
		if err != nil {
			return err
		}
		return g.SetAttributes(ctx, attrs)
	}
	if err := one(n); err != nil {
		return err
	}
	for sub, err := range n.(*zarr.Group).Walk(ctx) {
		if err == nil {
			err = one(sub)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// location is where the source says that its schemas are, "" if it does not.
func (c *copier) location() string { return strings.TrimPrefix(c.src.SchemaPath(), "/") }

func (c *copier) group(ctx context.Context, g *hdmf.Group, depth int) error {
	links, members, err := c.members(ctx, g, depth)
	if err != nil {
		return err
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

// members gives what a group holds.
func (c *copier) members(ctx context.Context, g *hdmf.Group, depth int) (links []link, objects []hdmf.Object, err error) {
	if depth > maxDepth {
		return nil, nil, c.unread(g.Path(), fmt.Errorf("more than %d groups inside each other", maxDepth))
	}
	if problems := g.Problems(); problems != nil {
		err := problems[0]
		if more := len(problems) - 1; more > 0 {
			err = fmt.Errorf("%w (and %d more links like this)", err, more)
		}
		return nil, nil, c.unread(g.Path(), err)
	}
	for m, err := range g.Members(ctx) {
		switch {
		case err != nil:
			return nil, nil, c.unread(g.Path(), err)
		case m.Link != nil:
			links = append(links, link{m.Name, m.Link.Reference})
		default:
			objects = append(objects, m.Object)
		}
	}
	return links, objects, nil
}

// one copies a dataset.
func (c *copier) one(ctx context.Context, d *hdmf.Dataset) error {
	src, attrs, err := c.read(ctx, d)
	if err == nil {
		_, err = c.array(ctx, d.Path(), attrs, src)
	}
	return c.unread(d.Path(), err)
}

// read gives a dataset as what is written, and its attributes.
func (c *copier) read(ctx context.Context, d *hdmf.Dataset) (source, []hdmf.Attribute, error) {
	src, err := fromDataset(d)
	if err != nil {
		return nil, nil, err
	}
	attrs := d.Attributes()
	names := d.Array().DimensionNames()
	if names != nil && !d.Scalar() && !slices.ContainsFunc(attrs, func(a hdmf.Attribute) bool { return a.Name == dimensions }) {
		a, err := attributeOf(dimensions, names)
		if err != nil {
			return nil, nil, err
		}
		attrs = append(attrs, a)
	}
	if t := src.what.typ; c.opts.WideIndexes && d.Type().Name == "VectorIndex" && t != nil && t.Kind() == dtype.Uint && t.Size() < 8 {
		return wide{src}, attrs, nil
	}
	laid, err := c.lays(ctx, d, src)
	return laid, attrs, err
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
			o, sure := c.misses.resolve(ctx, r.Source, r.Path)
			if o != nil {
				found.ObjectID, found.SourceObjectID = o.ID(), o.File().ID()
			}
			if sure { // which need not be remembered once more
				r.Source = found.Source
				return r, nil
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
	if other, err := c.src.Source(ctx, name); err == nil {
		if other == c.src {
			out = "."
		}
		if at = c.set.placeOf(other); at == "" {
			at = placeOf(ctx, other)
		}
	} else if own := placeOf(ctx, c.src); own != "" && !strings.Contains(name, "://") && !filepath.IsAbs(name) {
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
