package write

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
)

// Editor changes a file in place. Values are stored at once, behind the ends of
// what is there or beside it; what makes them count is kept until Commit. After an
// error that says that values may have been stored by half, it does nothing more.
//
// An Editor is for one goroutine, and for one editor of a file at a time: if a
// document that it replaces was changed by somebody else, Commit is an error, but
// values that both have stored behind the same end have replaced each other.
type Editor struct {
	*target
	file *hdmf.File
	err  error // why nothing can be committed any more
	// old are keys of chunks that nothing refers to after the commit, by array.
	old       map[string][]string
	lengths   map[string]int  // of the arrays that grow, before they did
	left      journal         // what an interrupted commit may have left
	announced bool            // a journal is stored
	taken     map[string]bool // datasets that somebody records into
}

// Edit opens the file at a URL to change it. Options but Pickle, NoPickle, Locate, DataType
// and Zarr say nothing to it.
func Edit(ctx context.Context, url string, opts Options) (*Editor, error) {
	t, err := openTarget(ctx, url, opts, false, isDocument)
	if err != nil {
		return nil, err
	}
	e := &Editor{target: t, old: map[string][]string{}, lengths: map[string]int{}, taken: map[string]bool{}}
	t.place = e.refer
	err = e.open(ctx)
	if t.layout = hdmf.V3; err == nil && e.file.Layout() == hdmf.V2 {
		t.layout = hdmf.V2
		err = e.open(ctx) // with what its layout needs
	}
	if err == nil {
		err = e.recall(ctx)
	}
	if err == nil && t.layout == hdmf.V2 {
		// What is read now must still be there when it is replaced.
		if _, _, err = t.held.Get(ctx, ".zmetadata", store.UpTo(meta.MaxBytes), nil); errors.Is(err, store.ErrNotExist) {
			err = nil
		}
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
	return fillIDs(ctx, e.file, r), ctx.Err()
}

// File shows the file with the changes so far.
func (e *Editor) File() *hdmf.File { return e.file }

// Commit stores the documents of what was changed: those of nodes in an order in
// which a reader finds the old rows or the new ones, and new groups only with all
// that they hold; then the consolidated metadata, so that its readers see all
// changes at once. If only the latter fails, the error says so by ErrStale.
//
// Nothing is stored, and the error is store.ErrPrecondition, if somebody else has
// changed a document that would be replaced. Chunks of which nobody needs to know
// any more may stay, if the store does not let go of them, until another Commit.
func (e *Editor) Commit(ctx context.Context) error {
	if e.err != nil {
		return fmt.Errorf("nothing was committed, since there was an error before: %w", e.err)
	}
	var err error
	if len(e.touched) > 0 || len(e.held.Changes()) > 0 {
		err = e.reconsolidate(ctx)
	}
	keys := e.held.Changes()
	if err == nil {
		err = e.held.Unchanged(ctx, keys)
	}
	if err == nil && len(keys) > 0 {
		err = e.announce(ctx, keys)
	}
	if err != nil {
		return e.fail("/", err)
	}
	last := slices.IndexFunc(keys, isRoot)
	if last < 0 {
		last = len(keys)
	}
	if err := e.held.Flush(ctx, keys[:last]); err != nil {
		return e.fail("/", err)
	}
	if err := e.held.Flush(ctx, keys[last:]); err != nil {
		if last > 0 {
			err = fmt.Errorf("%w: %w", ErrStale, err)
		}
		return e.fail("/", err)
	}
	e.tidy(ctx)
	return nil
}

// tidy removes what is needed no more. All is committed, so that an error is none:
// what stays is tried again.
func (e *Editor) tidy(ctx context.Context) {
	for node, keys := range e.old {
		e.old[node] = slices.DeleteFunc(keys, func(key string) bool { return e.held.Base().Delete(ctx, key) == nil })
	}
	e.held.Settled()
	e.touched = nil
	_ = e.settle(ctx) // a journal of what is done misleads nobody
}

// ErrStale says that all changes are stored but those of the root: readers of
// consolidated metadata may still see what was there before. Whoever opens the file
// with Edit and commits, be it nothing, makes up for it, but for the attributes of
// the root itself.
var ErrStale = errors.New("changes are stored, but not in the documents of the root")

// Close gives the file up. What was not committed is lost.
func (e *Editor) Close() error {
	e.file.Close() // those that were looked into for references
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

// usable says why the editor can do nothing any more.
func (e *Editor) usable() error {
	if e.err != nil {
		return fmt.Errorf("nothing can be changed, since there was an error before: %w", e.err)
	}
	return nil
}

// SetAttribute gives an object an attribute: a value with a JSON form, a
// hdmf.Reference, or lists and maps of these.
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
	if err := e.usable(); err != nil {
		return nil, err
	}
	o, err := e.file.Object(ctx, at)
	if err == nil && (o.File() != e.file || o.Path() != path.Clean("/"+at)) {
		err = fmt.Errorf("is behind a link to %s, which is to be edited itself", o.Path())
	}
	return o, err
}
