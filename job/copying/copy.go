// Package copying writes arrays and hierarchies anew, with other chunks, shards,
// codecs or data type, in any format that has a Format.
package copying

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/coordinates"
	"github.com/omnizarr/zarr/job"
	"github.com/omnizarr/zarr/locate"
	"github.com/omnizarr/zarr/store"
)

// Options say what the copy looks like; the zero value keeps everything as it is
// in the source.
type Options struct {
	// To is what is written; the default is Zarr v3.
	To Format
	// Chunks and Shards are the shapes in the copy. In a hierarchy they are for
	// the arrays with as many axes; the others keep theirs. Either of them lays
	// the array out anew: without Shards it has none then.
	Chunks, Shards []int
	// Codecs is the JSON of a codecs list, for inner chunks if there are
	// shards. The default is the source's.
	Codecs json.RawMessage
	// DataType is what numbers are converted to, by value: a number that the
	// type does not have is an error, except that floats are rounded. Arrays of
	// other types keep theirs in a hierarchy, and are refused alone.
	DataType string
	// Pad makes every chunk a file by a header before it: one of pad.Names, see
	// package codec/pad. Arrays whose type that kind of file does not have get none
	// in a hierarchy, and are refused alone. The copy is written with the codecs of
	// package codec/std then.
	Pad string
	// Slice is what is copied of the array, as package coordinates reads it, and of those
	// in a hierarchy along the dimensions that it names: an index drops the dimension.
	// Coordinates are options for it.
	Slice       string
	Coordinates []coordinates.Option
	// Lossy allows codecs that lose precision where chunks are encoded anew; without it
	// they are ErrLossy.
	Lossy bool
	// NodesOnly leaves out what lies beside the nodes of the source and is no part of
	// them, such as a README or the tables of other programs.
	NodesOnly bool
	// Overwrite removes what is in the place of the copy. Without it a copy goes
	// only where nothing is, or where a copy was begun with the same options.
	Overwrite bool
	// Verify reads the copy back and compares it with the source before it is done.
	// Where codecs lose precision, it is only decoded.
	Verify  bool
	Workers int // blocks at once; default: the number of processors
	// Memory bounds the bytes that the copy takes; default: a quarter of what the
	// process may use. A chunk or shard that needs more is zarr.ErrTooLarge. What the
	// source has in flight comes on top, see zarr.InFlight.
	Memory   int64
	Progress func(job.Progress) // called after every block
	// Open are options for the nodes of the copy.
	Open []zarr.Option
}

// ErrNotEmpty says that the place of a copy holds something else.
var ErrNotEmpty = errors.New("there is something else already")

// Format is what copies are written as. Nodes is one for formats whose groups and
// arrays the engine makes; others make files of their own.
type Format interface {
	// Name is what people call it, as in copy --to NAME.
	Name() string
	// Copy writes a node to a place. Its options have limits. What the engine reads and
	// writes of chunks is counted, and so are seconds: the rest of the summary is the
	// format's.
	Copy(ctx context.Context, src zarr.Node, to Place, opts Options) (Summary, error)
}

// Copy writes an array, or a group with everything below it, to a URL. Shapes, fill
// values, attributes and names of dimensions stay; chunks, shards, codecs and the
// type of numbers are what opts says. A hierarchy of Zarr gets consolidated metadata
// when it has more than one array.
//
// The array is written in blocks that are whole chunks or shards of the copy,
// so that no chunk is written twice. Blocks of which the source stores nothing
// are passed over. A copy that was interrupted and is started again ends with
// the same bytes.
func Copy(ctx context.Context, src zarr.Node, url string, opts Options) (Summary, error) {
	return copyTo(ctx, src, Place{URL: url}, opts)
}

// Into is Copy to a path of a store.
func Into(ctx context.Context, src zarr.Node, dst store.Store, path string, opts Options) (Summary, error) {
	return copyTo(ctx, src, Place{Store: dst, Path: path}, opts)
}

// complete puts the defaults in place of what is not said.
func (o Options) complete() (Options, error) {
	var err error
	if o.Workers, o.Memory, err = job.Limits(o.Workers, o.Memory); err != nil {
		return o, fmt.Errorf("copy: %w", err)
	}
	if o.To == nil {
		o.To = Zarr3()
	}
	if _, ok := o.To.(Nodes); !ok && o.Slice != "" {
		return o, fmt.Errorf("copy to %s: a slice is for copies to formats of folders; make one first", o.To.Name())
	}
	return o, nil
}

func copyTo(ctx context.Context, src zarr.Node, to Place, opts Options) (sum Summary, err error) {
	if opts, err = opts.complete(); err != nil {
		return sum, err
	}
	if err := CheckApart(src, to); err != nil {
		return sum, err
	}
	var foreign Foreign
	if takes, ok := opts.To.(FileTaker); !ok || !takes.TakesFiles() {
		if foreign, err = FindForeign(ctx, src); err != nil {
			return sum, err
		}
	}
	sum, err = Measured(ctx, func(ctx context.Context) (Summary, error) { return opts.To.Copy(ctx, src, to, opts) })
	sum.Files = slices.Concat([]string{}, sum.Files)
	sum.NotCopied = slices.Concat([]string{}, sum.NotCopied, foreign.Left, foreign.Files)
	return sum, err
}

// Place is where a copy goes: a URL, or a path of a store.
type Place struct {
	URL   string
	Store store.Store
	Path  string

	opts []zarr.Option
}

func (p Place) open(ctx context.Context) (zarr.Node, error) {
	opts := append(slices.Clone(p.opts), zarr.BypassConsolidated())
	if p.Store != nil {
		return zarr.OpenStore(ctx, p.Store, p.Path, opts...)
	}
	return zarr.Open(ctx, p.URL, opts...)
}

func (p Place) group(ctx context.Context) (*zarr.Group, error) {
	opts := append(slices.Clone(p.opts), zarr.BypassConsolidated())
	var g *zarr.Group
	var err error
	if p.Store != nil {
		g, err = zarr.CreateGroupIn(ctx, p.Store, p.Path, opts...)
	} else {
		g, err = zarr.CreateGroup(ctx, p.URL, opts...)
	}
	if !errors.Is(err, zarr.ErrExist) {
		return g, err
	}
	// A copy that was begun goes on.
	n, err := p.open(ctx)
	if err != nil {
		return nil, err
	}
	g, ok := n.(*zarr.Group)
	if !ok {
		return nil, p.end(n, &zarr.Error{Op: "copy to", URL: n.URL(), Err: ErrNotEmpty})
	}
	return g, nil
}

func (p Place) array(ctx context.Context, spec zarr.ArraySpec) (*zarr.Array, error) {
	if p.Store != nil {
		return zarr.CreateArrayIn(ctx, p.Store, p.Path, spec, p.opts...)
	}
	return zarr.CreateArray(ctx, p.URL, spec, p.opts...)
}

// end closes what was opened by URL; a store is its owner's.
func (p Place) end(n zarr.Node, err error) error {
	if p.Store != nil || n == nil {
		return err
	}
	return End(n, err)
}

// End closes a node that was opened by URL, and gives the error that there was.
// After one, an archive that was begun is left as it was before.
func End(n zarr.Node, err error) error {
	if err == nil {
		return n.Close()
	}
	if d, ok := store.As[interface{ Discard() error }](n.Store()); ok {
		err = errors.Join(err, d.Discard())
	}
	n.Close()
	return err
}

// Copy writes a node as groups and arrays of the format.
func (f Nodes) Copy(ctx context.Context, src zarr.Node, to Place, opts Options) (sum Summary, err error) {
	// All that can be wrong with the source or the options shows before
	// anything is written.
	d, err := f.design(ctx, src, opts)
	if err != nil {
		return sum, err
	}
	foreign, err := FindForeign(ctx, src)
	if err != nil {
		return sum, err
	}
	if opts.NodesOnly {
		foreign.Left, foreign.Files = append(foreign.Left, foreign.Files...), nil
	}
	defer func() { sum.NotCopied = append(sum.NotCopied, d.lost...) }()
	to.opts = padOptions(d.header, opts.Open)
	if err := makeRoom(ctx, src, to, d.groups, d.arrays, opts.Overwrite); err != nil {
		return sum, err
	}
	to.opts = append(to.opts[:len(to.opts):len(to.opts)], f.Options...)
	c := &copier{src: src, opts: opts, format: f, design: d, foreign: foreign}
	if a, ok := src.(*zarr.Array); ok {
		dst, opened, resumed, err := f.createArray(ctx, d.specs["/"], to.array, to.open)
		if err == nil {
			c.sum, err = Elements(ctx, []Pair{{Path: "/", From: a, To: dst, Cut: d.cuts["/"], Begun: resumed}}, opts, nil)
		}
		if err == nil {
			err = c.files(ctx, dst, map[string]*zarr.Array{"/": dst})
		}
		err = to.end(opened, err)
		return c.sum, err
	}
	root, err := to.group(ctx)
	if err != nil {
		return sum, err
	}
	err = to.end(root, c.hierarchy(ctx, root))
	return c.sum, err
}

// makeRoom checks what is in the place of the copy, in any format, and removes it
// if asked.
func makeRoom(ctx context.Context, src zarr.Node, to Place, groups map[string]*zarr.Group, arrays map[string]*zarr.Array, overwrite bool) error {
	old, err := to.open(ctx)
	if errors.Is(err, zarr.ErrUnfinished) {
		return fmt.Errorf("%w: %w", ErrNotEmpty, err)
	}
	if err != nil {
		return nil // nothing there, or nothing that can be told from nothing: creating will say
	}
	defer to.end(old, nil)
	fail := func(format string, args ...any) error {
		return &zarr.Error{Op: "copy to", URL: old.URL(), Err: fmt.Errorf(format, args...)}
	}
	if overwrite {
		return zarr.Remove(ctx, old)
	}
	g, isGroup := old.(*zarr.Group)
	if _, ok := src.(*zarr.Group); ok != isGroup {
		return fail("%w, of another kind", ErrNotEmpty)
	}
	if !isGroup {
		return nil // its metadata is compared when it is created again
	}
	for n, err := range g.Walk(ctx) {
		if err != nil {
			return err
		}
		path := job.Path(old, n)
		_, isGroup := n.(*zarr.Group)
		if isGroup && groups[path] == nil || !isGroup && arrays[path] == nil {
			return fail("%w, such as %s", ErrNotEmpty, path)
		}
	}
	return nil
}

// CheckApart checks that neither the source nor the place of its copy is inside
// the other, before anything is made there.
func CheckApart(src zarr.Node, to Place) error {
	into, name := locate.Identity(to.URL), to.URL
	if to.Store != nil {
		into, name = store.Identity(to.Store, to.Path), store.JoinURL(to.Store.URL(), to.Path)
	}
	if into != "" && store.Overlap(store.Identity(src.Store(), src.Path()), into) {
		return &zarr.Error{Op: "copy to", URL: name, Err: fmt.Errorf("the source %s is the same place or one is inside the other", src.URL())}
	}
	return nil
}

// createArray makes an array, or takes up one that a copy has begun: an array whose
// document is just the same. It is to be closed by who opened it, the other result.
func (f Nodes) createArray(ctx context.Context, spec zarr.ArraySpec, create func(context.Context, zarr.ArraySpec) (*zarr.Array, error), open func(context.Context) (zarr.Node, error)) (a *zarr.Array, opened zarr.Node, resumed bool, err error) {
	a, err = create(ctx, spec)
	switch {
	case err == nil && !f.Forgets:
		return a, a, false, nil
	case err == nil:
		// A copy that goes on must write with the codecs that are read again.
		n, err := zarr.OpenStore(ctx, a.Store(), a.Path(), f.Options...)
		if err != nil {
			return nil, a, false, err
		}
		return n.(*zarr.Array), a, false, nil
	case !errors.Is(err, zarr.ErrExist):
		return nil, nil, false, err
	}
	old, openErr := open(ctx)
	if openErr != nil {
		return nil, nil, false, err // what is there is of another format
	}
	a, ok := old.(*zarr.Array)
	if !ok {
		return nil, old, false, err
	}
	same, err := f.sameDocument(ctx, spec, a)
	if err == nil && !same {
		err = &zarr.Error{Op: "copy to", URL: a.URL(), Err: fmt.Errorf("%w, an array with other metadata", ErrNotEmpty)}
	}
	return a, old, true, err
}

// copier runs the copy of all arrays.
type copier struct {
	src    zarr.Node
	opts   Options
	format Nodes
	*design
	foreign Foreign
	sum     Summary
}

// files copies what is no part of a node.
func (c *copier) files(ctx context.Context, root zarr.Node, arrays map[string]*zarr.Array) (err error) {
	c.sum.Files, c.sum.NotCopied, err = c.foreign.copy(ctx, c.src, root, arrays, c.opts.Memory)
	return err
}

// hierarchy copies all nodes below root.
func (c *copier) hierarchy(ctx context.Context, root *zarr.Group) error {
	groups, arrays := c.groups, c.arrays
	made := make(map[string]*zarr.Group, len(groups))
	for _, path := range job.Paths(groups) {
		made[path] = root
		if path != "/" {
			var err error
			if made[path], err = root.RequireGroup(ctx, path[1:]); err != nil {
				return err
			}
		}
	}
	var work []Pair
	for _, path := range job.Paths(arrays) {
		create := func(ctx context.Context, spec zarr.ArraySpec) (*zarr.Array, error) {
			return root.CreateArray(ctx, path[1:], spec)
		}
		open := func(ctx context.Context) (zarr.Node, error) { return root.Open(ctx, path[1:]) }
		dst, _, resumed, err := c.format.createArray(ctx, c.specs[path], create, open)
		if err != nil {
			return err
		}
		work = append(work, Pair{Path: path, From: arrays[path], To: dst, Cut: c.cuts[path], Begun: resumed})
	}
	// Behind the arrays: what these tell of images, a format need not say twice.
	for _, path := range job.Paths(groups) {
		if attrs := groups[path].Metadata().Attributes; attrs != nil {
			if err := made[path].SetAttributes(ctx, attrs); err != nil {
				return err
			}
		}
	}
	var err error
	if c.sum, err = Elements(ctx, work, c.opts, nil); err != nil {
		return err
	}
	copies := map[string]*zarr.Array{}
	for _, p := range work {
		copies[p.Path] = p.To
	}
	if err := c.files(ctx, root, copies); err != nil {
		return err
	}
	if len(arrays) > 1 && c.format.Consolidated {
		return root.Consolidate(ctx)
	}
	return nil
}
