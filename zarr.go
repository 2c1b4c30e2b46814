// Package zarr reads and writes chunked arrays: Zarr hierarchies in any store,
// and other formats that are shown as such.
//
//	a, err := zarr.OpenArray(ctx, "em.zarr/s0")
//	vol, err := zarr.Read[uint16](ctx, a, zarr.Slice("0:64, :, ::2"))
//
// A node is opened by URL: a path, file://, http(s)://, mem:, a .zip anywhere in
// the path. Group and Array are the two kinds of nodes. Reading decodes chunks
// in parallel, straight into the caller's memory; writing puts whole chunks, or
// changes parts of them safely among goroutines. Everything takes a context.
//
// Every error is an *Error, which names the operation, the node and the chunk;
// errors.Is tells its kind:
//
//	ErrNoNode      no node there (also fs.ErrNotExist)
//	ErrExist       there is a node already (also fs.ErrExist)
//	ErrNotArray    a group where an array is wanted
//	ErrNotGroup    an array where a group is wanted
//	ErrType        elements are of another type than was asked for
//	ErrSelection   a selection does not fit the array, or the memory given for it
//	ErrRange       an index outside an axis, a value that a type cannot hold
//	ErrReadOnly    the store takes no values
//	ErrPath        no path that a node can have
//	ErrFormat      a file of no format that is known
//	ErrScheme      a URL of no scheme that is known
//	ErrCodec       an array of a codec that is not registered
//	ErrDataType    an array of a data type that is not registered
//	ErrData        bytes that are not what the codecs expect, a damaged file
//	ErrTooLarge    more memory than a limit allows
//	ErrMissing     a chunk that is not there, under FailMissing
//	ErrUnfinished  what is left of a copy that was interrupted
//	ErrNotAllowed  a reference to a file that may not be read, see Allow
//
// Errors of contexts are wrapped too: errors.Is(err, context.Canceled) holds.
//
// How a read flows: the selection becomes a plan (which chunks, which part of
// each), every chunk's bytes come from a store.Store and go through a
// codec.Chain into an nd.View. See ARCHITECTURE.md.
package zarr

import (
	"context"
	"errors"
	"strconv"

	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

// Open opens the node at a URL, a *Group or an *Array.
func Open(ctx context.Context, url string, opts ...Option) (Node, error) {
	o, err := newOptions(opts)
	if err != nil {
		return nil, fail("open", url, err)
	}
	e, path, err := engineAt(ctx, url, o)
	if err != nil {
		return nil, err
	}
	n, err := openRoot(ctx, e, path)
	if err != nil {
		e.close(true)
		return nil, err
	}
	own(n)
	return n, nil
}

// OpenArray opens the array at a URL.
func OpenArray(ctx context.Context, url string, opts ...Option) (*Array, error) {
	n, err := Open(ctx, url, opts...)
	if err != nil {
		return nil, err
	}
	a, err := asArray(n)
	if err != nil {
		n.Close()
	}
	return a, err
}

// OpenGroup opens the group at a URL.
func OpenGroup(ctx context.Context, url string, opts ...Option) (*Group, error) {
	n, err := Open(ctx, url, opts...)
	if err != nil {
		return nil, err
	}
	g, err := asGroup(n)
	if err != nil {
		n.Close()
	}
	return g, err
}

// OpenStore opens the node at path ("" for the root) of a store.
func OpenStore(ctx context.Context, s store.Store, path string, opts ...Option) (Node, error) {
	if s == nil {
		return nil, fail("open", strconv.Quote(path), errNoStore)
	}
	o, err := newOptions(opts)
	if err != nil {
		return nil, fail("open", store.JoinURL(s.URL(), path), err)
	}
	e := newEngine(s, o)
	n, err := openRoot(ctx, e, path)
	if err != nil {
		e.close(true)
		return nil, err
	}
	own(n)
	return n, nil
}

var errNoStore = errors.New("no store was given")

// CreateGroup makes a group at a URL; the folders that it needs are made too. If
// there is a node already, it is ErrExist. Below an array there is no room for nodes:
// that is ErrNotGroup, in the folder of the array on this machine too.
func CreateGroup(ctx context.Context, url string, opts ...Option) (*Group, error) {
	return createAt(ctx, url, opts, nil, createGroup)
}

// RequireGroup opens the group at a URL, or makes it as CreateGroup does.
func RequireGroup(ctx context.Context, url string, opts ...Option) (*Group, error) {
	g, err := CreateGroup(ctx, url, opts...)
	if !errors.Is(err, ErrExist) {
		return g, err
	}
	return OpenGroup(ctx, url, opts...)
}

// CreateArray makes an array at a URL, under the conditions of CreateGroup; the folders
// that it needs are made too.
func CreateArray(ctx context.Context, url string, spec ArraySpec, opts ...Option) (*Array, error) {
	return createAt(ctx, url, opts, &spec, func(ctx context.Context, e *engine, path string) (*Array, error) {
		return createArray(ctx, e, path, spec)
	})
}

// CreateGroupIn makes a group at path of a store.
func CreateGroupIn(ctx context.Context, s store.Store, path string, opts ...Option) (*Group, error) {
	return createIn(ctx, s, path, opts, createGroup)
}

// CreateArrayIn makes an array at path of a store.
func CreateArrayIn(ctx context.Context, s store.Store, path string, spec ArraySpec, opts ...Option) (*Array, error) {
	return createIn(ctx, s, path, opts, func(ctx context.Context, e *engine, path string) (*Array, error) {
		return createArray(ctx, e, path, spec)
	})
}

func createIn[N Node](ctx context.Context, s store.Store, path string, opts []Option, create func(context.Context, *engine, string) (N, error)) (none N, _ error) {
	if s == nil {
		return none, fail("create", strconv.Quote(path), errNoStore)
	}
	o, err := newOptions(opts)
	if err != nil {
		return none, fail("create", store.JoinURL(s.URL(), path), err)
	}
	n, err := create(ctx, newEngine(s, o), path)
	if err != nil {
		return none, err
	}
	own(n)
	return n, nil
}

// createAt makes a node at a URL, of an array that spec tells.
func createAt[N Node](ctx context.Context, url string, opts []Option, spec *ArraySpec, create func(context.Context, *engine, string) (N, error)) (none N, _ error) {
	op := "create group"
	if spec != nil {
		op = "create array"
	}
	o, err := newOptions(opts)
	if err != nil {
		return none, fail(op, url, err)
	}
	if err := canCreate(ctx, url, *o, spec); err != nil {
		return none, fail(op, url, err)
	}
	if err := inArray(ctx, url, o); err != nil {
		return none, fail(op, url, err)
	}
	o.locate.Create = true
	e, path, err := engineAt(ctx, url, o)
	if errors.Is(err, ErrNoNode) && o.locate.ReadOnly {
		err = fail(op, url, ErrReadOnly)
	}
	if err != nil {
		return none, err
	}
	n, err := create(ctx, e, path)
	if err != nil {
		e.close(true)
		return none, err
	}
	own(n)
	return n, nil
}

// canCreate finds what is wrong before a folder is made for it: an array that cannot
// be is none in an empty store either.
func canCreate(ctx context.Context, url string, o options, spec *ArraySpec) error {
	if err := ctx.Err(); err != nil || spec == nil {
		return err
	}
	if f := o.formats.NamedIn(url); o.format == "" && f != nil && !f.Folder.Mixed {
		o.format = f.Name
	}
	_, _, err := draftArray(ctx, newEngine(mem.New(), &o), "", *spec)
	return err
}

// engineAt opens the store that a URL names.
func engineAt(ctx context.Context, url string, o *options) (*engine, string, error) {
	where, err := storeAt(ctx, url, o)
	if err != nil {
		return nil, "", err
	}
	if f := o.formats.Find(where.Format); f != nil && f.Folder != nil {
		o.format = f.Name
	} else if f := o.formats.NamedIn(store.JoinURL(where.Store.URL(), where.Path)); o.locate.Create && o.format == "" && f != nil && !f.Folder.Mixed {
		o.format = f.Name
	}
	e := newEngine(where.Store, o)
	e.location = where
	return e, where.Path, nil
}

// Node is a *Group or an *Array.
type Node interface {
	// Path is where the node lies in its store, "" for the root.
	Path() string
	// URL names the node for people.
	URL() string
	// Store is the store that holds the node.
	Store() store.Store
	// Format is the name of the format that the node is stored in, such as "zarr3".
	Format() string
	// Attributes are what users say about the node; changing them changes
	// nothing until they are given to SetAttributes.
	Attributes() *meta.Attributes
	// SetAttributes stores new attributes.
	SetAttributes(ctx context.Context, attrs *meta.Attributes) error
	// UpdateAttributes changes the attributes that the node has now: change is called
	// again when somebody else has changed them meanwhile, and loses nothing of that.
	UpdateAttributes(ctx context.Context, change func(*meta.Attributes) error) error
	// Parent opens the group that holds the node. It is closed with the node. A node
	// in a folder that is no group has none: it is ErrNoNode.
	Parent(ctx context.Context) (*Group, error)
	// Close gives up the store, if the node was opened or made by a function of
	// this package; a zip archive that was written is complete only then. Nodes
	// that were opened or made by a group share its store: their Close does
	// nothing, and they can be used until the store is closed. A store that was
	// passed in stays open.
	Close() error
}

func asArray(n Node) (*Array, error) {
	if a, ok := n.(*Array); ok {
		return a, nil
	}
	return nil, &Error{Op: "open", URL: n.URL(), Err: ErrNotArray}
}

func asGroup(n Node) (*Group, error) {
	if g, ok := n.(*Group); ok {
		return g, nil
	}
	return nil, &Error{Op: "open", URL: n.URL(), Err: ErrNotGroup}
}
