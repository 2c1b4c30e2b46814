package write

import (
	"context"
	"errors"
	"fmt"
	"path"

	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/lock"
)

// Editor changes a file in place. Values are stored at once, behind the ends of
// what is there or beside it; what makes them count is kept until Commit. After an
// error that says that values may have been stored by half, it does nothing more.
//
// One process changes a file at a time: for another one Edit gives ErrBusy, until the
// first has closed its editors or has ended, however it did. That is so for files in
// folders of this machine; elsewhere it is for the caller to see to it. Within a
// process a file may have any number of editors, which may be used by several
// goroutines: they change the same file together, each sees what the others have
// done, and whoever commits commits all of it.
type Editor struct {
	*writer
	closed bool
}

// ErrBusy says that another process changes the file.
var ErrBusy = lock.ErrBusy

var errClosed = errors.New("the editor is closed")

// Edit opens the file at a URL to change it. A commit that was interrupted is
// completed. Options but Sync, Plain, Pickle, NoPickle, Unchecked, Locate, DataType and Zarr say
// nothing to it, and those of the first editor that is open count for all, but for Sync.
func Edit(ctx context.Context, url string, opts Options) (*Editor, error) {
	t, err := openTarget(ctx, url, opts, false, isKept)
	if err != nil {
		return nil, err
	}
	w, err := share(ctx, t)
	if err != nil {
		return nil, err
	}
	return &Editor{writer: w}, nil
}

// lock keeps others from changing the file until what it gives is called.
func (e *Editor) lock() (unlock func()) {
	e.mu.Lock()
	return e.mu.Unlock
}

// File shows the file with the changes so far.
func (e *Editor) File() *hdmf.File { return e.file }

// Archive reports whether the file is in an archive, of which a commit is nothing until
// the last editor is closed: a crash leaves the archive as it was before Edit.
func (e *Editor) Archive() bool {
	_, is := store.As[interface{ Discard() error }](e.where.Store)
	return is
}

// Close gives the file up. What was not committed when its last editor is closed is
// lost.
func (e *Editor) Close() error {
	unlock := e.lock()
	was := e.closed
	e.closed = true
	unlock()
	if was {
		return nil
	}
	return e.leave()
}

// usable says why the editor can do nothing any more.
func (e *Editor) usable() error {
	if e.closed {
		return errClosed
	}
	if e.err != nil {
		return fmt.Errorf("nothing can be changed, since there was an error before: %w", e.err)
	}
	return nil
}

// SetAttribute gives an object an attribute: a value with a JSON form, a
// hdmf.Reference, or lists and maps of these.
func (e *Editor) SetAttribute(ctx context.Context, at, name string, value any) error {
	defer e.lock()()
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
