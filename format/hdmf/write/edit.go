package write

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/internal/strictjson"
)

// Editor changes a file in place. Values are stored at once, behind the ends of
// what is there or beside it; what makes them count is kept until Commit. It is
// for one goroutine, and for one editor of a file at a time.
type Editor struct {
	*target
	file *hdmf.File
	err  error    // why nothing can be committed any more
	old  []string // keys of chunks that nothing refers to after the commit
}

// Edit opens the file at a URL to change it. Options but Pickle, Locate, DataType
// and Zarr say nothing to it.
func Edit(ctx context.Context, url string, opts Options) (*Editor, error) {
	t, err := openTarget(ctx, url, opts, false, isDocument)
	if err != nil {
		return nil, err
	}
	e := &Editor{target: t}
	t.place = e.refer
	err = e.open(ctx)
	if t.layout = hdmf.V3; err == nil && e.file.Layout() == hdmf.V2 {
		t.layout = hdmf.V2
		err = e.open(ctx) // with what its layout needs
	}
	if err != nil {
		return nil, errors.Join(err, t.where.Discard())
	}
	return e, nil
}

// open opens the root. Consolidated metadata may be older than the nodes
// themselves.
func (e *Editor) open(ctx context.Context) error {
	n, err := zarr.OpenStore(ctx, e.held, "", append(e.engine(), zarr.BypassConsolidated())...)
	if err != nil {
		return err
	}
	var ok bool
	if e.root, ok = n.(*zarr.Group); !ok {
		return &zarr.Error{Op: "edit", URL: n.URL(), Err: errors.New("is an array, not a file")}
	}
	e.file = hdmf.Of(ctx, e.root)
	return nil
}

// refer fills in the ids that a reference lacks.
func (e *Editor) refer(ctx context.Context, r hdmf.Reference) (hdmf.Reference, error) {
	if r.Source == "" {
		r.Source = "."
	}
	if e.layout == hdmf.V3 || r.ObjectID != "" && r.SourceObjectID != "" {
		return r, nil
	}
	if o, err := e.file.Resolve(ctx, hdmf.Reference{Source: r.Source, Path: r.Path}); err == nil {
		r.ObjectID, r.SourceObjectID = o.ID(), o.File().ID()
	}
	return r, ctx.Err()
}

// File shows the file with the changes so far.
func (e *Editor) File() *hdmf.File { return e.file }

// Commit stores the documents of what was changed: those of nodes in an order in
// which a reader finds the old rows or the new ones, then the consolidated
// metadata, so that its readers see all changes at once. If only the latter fails,
// the error says so by ErrStale.
func (e *Editor) Commit(ctx context.Context) error {
	if e.err != nil {
		return fmt.Errorf("nothing was committed, since there was an error before: %w", e.err)
	}
	if err := e.reconsolidate(ctx); err != nil {
		return e.fail("/", err)
	}
	keys := e.held.changes()
	last := slices.IndexFunc(keys, isRoot)
	if last < 0 {
		last = len(keys)
	}
	if err := e.held.flush(ctx, keys[:last]); err != nil {
		return e.fail("/", err)
	}
	if err := e.held.flush(ctx, keys[last:]); err != nil {
		if last > 0 {
			err = fmt.Errorf("%w: %w", ErrStale, err)
		}
		return e.fail("/", err)
	}
	for _, key := range e.old {
		if err := e.held.base.Delete(ctx, key); err != nil {
			return e.failed("/", err)
		}
	}
	e.old, e.touched = nil, nil
	return nil
}

// ErrStale says that all changes are stored but those of the root: readers of
// consolidated metadata may still see what was there before.
var ErrStale = errors.New("changes are stored, but not in the documents of the root")

// Close gives the file up. What was not committed is lost.
func (e *Editor) Close() error {
	if e.err != nil {
		return e.where.Discard()
	}
	return e.where.Close()
}

// fail remembers that the changes so far may be halves of something.
func (e *Editor) fail(at string, err error) error {
	if err = e.failed(at, err); err != nil && e.err == nil {
		e.err = err
	}
	return err
}

// SetAttribute gives an object an attribute: a value with a JSON form, a
// hdmf.Reference, or a list of these.
func (e *Editor) SetAttribute(ctx context.Context, at, name string, value any) error {
	o, err := e.own(ctx, at)
	if err != nil {
		return e.failed(at, err)
	}
	a, err := attributeOf(name, value)
	if err != nil {
		return e.failed(at, err)
	}
	raw, err := e.attribute(ctx, a)
	attrs := o.Node().Attributes()
	if err == nil {
		err = attrs.Set(name, raw)
	}
	if err != nil {
		return e.failed(at, err)
	}
	return e.fail(at, o.Node().SetAttributes(ctx, attrs))
}

// own finds an object that lies in this file, not behind a link.
func (e *Editor) own(ctx context.Context, at string) (hdmf.Object, error) {
	o, err := e.file.Object(ctx, at)
	if err == nil && (o.File() != e.file || o.Path() != path.Clean("/"+at)) {
		err = fmt.Errorf("is behind a link to %s, which is to be edited itself", o.Path())
	}
	return o, err
}

// room checks that a new member can be made, and gives the group for it.
func (e *Editor) room(ctx context.Context, at string) (*hdmf.Group, string, error) {
	above, name := path.Split(path.Clean("/" + at))
	if err := checkName(name); err != nil {
		return nil, "", err
	}
	o, err := e.own(ctx, above)
	if err != nil {
		return nil, "", err
	}
	g, ok := o.(*hdmf.Group)
	if !ok {
		return nil, "", fmt.Errorf("%s is a dataset and holds nothing", above)
	}
	for m, err := range g.Members(ctx) {
		if err == nil && m.Name == name {
			return nil, "", ErrExist
		}
	}
	return g, name, nil
}

// Link makes a name in a group that stands for an object elsewhere.
func (e *Editor) Link(ctx context.Context, at string, to hdmf.Reference) error {
	g, name, err := e.room(ctx, at)
	if err != nil {
		return e.failed(at, err)
	}
	entry, err := e.appendLink(ctx, nil, link{name, to})
	if err != nil {
		return e.failed(at, err)
	}
	attrs := g.Node().Attributes()
	list := []byte("[]")
	if raw := attrs.Raw(e.linksName()); raw != nil {
		list = slices.Clone(raw)
	}
	empty := true
	if err := strictjson.Each(list, func(int, rawMessage) error { empty = false; return nil }); err != nil {
		return e.failed(at, strictjson.At(e.linksName(), err))
	}
	list = list[:len(list)-1]
	if !empty {
		list = append(list, ',')
	}
	if err := attrs.Set(e.linksName(), rawMessage(append(append(list, entry...), ']'))); err != nil {
		return e.failed(at, err)
	}
	return e.fail(at, g.Node().SetAttributes(ctx, attrs))
}

// AddGroup makes a group with all that it holds. The group above it is there.
func (e *Editor) AddGroup(ctx context.Context, at string, g *Group) error {
	return e.add(ctx, at, func(b *builder, at string) error {
		if err := b.name(at, g, strings.Count(at, "/")); err != nil {
			return err
		}
		return b.group(ctx, at, g)
	})
}

// AddDataset makes a dataset. The group that it is put into is there.
func (e *Editor) AddDataset(ctx context.Context, at string, d *Dataset) error {
	return e.add(ctx, at, func(b *builder, at string) error {
		b.ids[at] = d.id()
		return b.add(ctx, at, d)
	})
}

func (e *Editor) add(ctx context.Context, at string, make func(b *builder, at string) error) error {
	if _, _, err := e.room(ctx, at); err != nil {
		return e.failed(at, err)
	}
	at = path.Clean("/" + at)
	// Chunks that an interruption left must not become part of something new.
	if err := e.held.base.Delete(ctx, at[1:]+"/"); err != nil {
		return e.failed(at, err)
	}
	b := &builder{target: e.target, key: "neurodata_type", ids: map[string]string{}}
	if e.opts.DataType || e.file.Root().Node().Attributes().Raw("data_type") != nil {
		b.key = "data_type"
	}
	before := e.place
	e.place = func(ctx context.Context, r hdmf.Reference) (hdmf.Reference, error) {
		if id := b.ids[path.Clean("/"+r.Path)]; id != "" && (r.Source == "." || r.Source == "") && r.ObjectID == "" {
			r.ObjectID = id
			r.SourceObjectID = e.file.ID()
		}
		return before(ctx, r)
	}
	defer func() { e.place = before }()
	return e.fail(at, make(b, at))
}
