package job

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

// CopyOptions say what the copy looks like; the zero value keeps everything as
// it is in the source.
type CopyOptions struct {
	// Format is what is written: "zarr3", which is the default, "zarr2", "n5", or
	// one file that is a "tiff" or a "cog".
	Format string
	// Reversed and PadEdges are for the format "n5", see zarr.Reversed and
	// zarr.PadEdges: the dimensions of a dataset are then those of the array in the
	// opposite order, and blocks at the end of a dimension are stored whole.
	Reversed, PadEdges bool
	// TIFF is for the formats "tiff" and "cog". Of Chunks they take the last two,
	// rounded up to multiples of sixteen, for tiles.
	TIFF TIFFOptions
	// Chunks and Shards are the shapes in the copy. In a hierarchy they are for
	// the arrays with as many axes; the others keep theirs. Either of them lays
	// the array out anew: without Shards it has none then.
	Chunks, Shards []int
	// Codecs is the JSON of a codecs list, for inner chunks if there are
	// shards. The default is the source's. For a TIFF file it may be a single
	// tiff-tile, whose compression, predictor and tile are taken.
	Codecs json.RawMessage
	// DataType is what numbers are converted to, by value: a number that the
	// type does not have is an error, except that floats are rounded. Arrays of
	// other types keep theirs in a hierarchy, and are refused alone.
	DataType string
	// Pad makes every chunk a file of a format by a header before it: "tiff" or
	// "n5", see package codec/pad. Arrays whose type the format does not have
	// get none in a hierarchy, and are refused alone. The copy is written with
	// the codecs of package codec/std then.
	Pad string
	// Overwrite removes what is in the place of the copy. Without it a copy goes
	// only where nothing is, or where a copy was begun with the same options.
	Overwrite bool
	Workers   int            // blocks at once; default: the number of processors
	Memory    int64          // bytes of blocks at once; default 512 MiB
	Progress  func(Progress) // called after every block
	// Open are options for the nodes of the copy.
	Open []zarr.Option
}

// ErrNotEmpty says that the place of a copy holds something else.
var ErrNotEmpty = errors.New("there is something else already")

// Copy writes an array, or a group with everything below it, to a URL. Shapes, fill
// values, attributes and names of dimensions stay; chunks, shards, codecs and the
// type of numbers are what opts says. A hierarchy of Zarr gets consolidated metadata
// when it has more than one array. In N5, which fills with zeros only, another fill
// value is written where the source stores nothing, shards become their chunks, and
// images of OME-NGFF get the attributes that programs for N5 look for as well.
//
// The array is written in blocks that are whole chunks or shards of the copy,
// so that no chunk is written twice. Blocks of which the source stores nothing
// are passed over. A copy that was interrupted and is started again ends with
// the same bytes.
func Copy(ctx context.Context, src zarr.Node, url string, opts CopyOptions) error {
	return copyTo(ctx, src, place{url: url}, opts)
}

// CopyInto is Copy to a path of a store.
func CopyInto(ctx context.Context, src zarr.Node, dst store.Store, path string, opts CopyOptions) error {
	return copyTo(ctx, src, place{store: dst, path: path}, opts)
}

// place is where a copy goes, by URL or in a store.
type place struct {
	url   string
	store store.Store
	path  string
	opts  []zarr.Option
}

func (p place) open(ctx context.Context) (zarr.Node, error) {
	opts := append(slices.Clone(p.opts), zarr.BypassConsolidated())
	if p.store != nil {
		return zarr.OpenStore(ctx, p.store, p.path, opts...)
	}
	return zarr.Open(ctx, p.url, opts...)
}

func (p place) group(ctx context.Context) (*zarr.Group, error) {
	opts := append(slices.Clone(p.opts), zarr.BypassConsolidated())
	if p.store != nil {
		return zarr.CreateGroupIn(ctx, p.store, p.path, opts...)
	}
	return zarr.CreateGroup(ctx, p.url, opts...)
}

func (p place) array(ctx context.Context, spec zarr.ArraySpec) (*zarr.Array, error) {
	if p.store != nil {
		return zarr.CreateArrayIn(ctx, p.store, p.path, spec, p.opts...)
	}
	return zarr.CreateArray(ctx, p.url, spec, p.opts...)
}

// end closes what was opened by URL; a store is its owner's. After an error an
// archive that was begun is left as it was before.
func (p place) end(n zarr.Node, err error) error {
	if p.store != nil {
		return err
	}
	if err == nil {
		return n.Close()
	}
	if d, ok := store.As[interface{ Discard() error }](n.Store()); ok {
		return errors.Join(err, d.Discard())
	}
	n.Close()
	return err
}

func copyTo(ctx context.Context, src zarr.Node, to place, opts CopyOptions) error {
	if opts.Memory <= 0 {
		opts.Memory = defaultMemory
	}
	if opts.Workers <= 0 {
		opts.Workers = runtime.GOMAXPROCS(0)
	}
	if opts.Format == tiffTarget || opts.Format == cogTarget {
		if to.store != nil {
			return fmt.Errorf("a %s is written to a path, not into a store", opts.Format)
		}
		return copyTIFF(ctx, src, to.url, opts)
	}
	// All that can be wrong with the source or the options shows before
	// anything is written.
	groups, arrays, err := sources(ctx, src)
	if err != nil {
		return err
	}
	format, err := padding(opts.Pad)
	if err != nil {
		return err
	}
	target, err := targetOf(opts)
	if err != nil {
		return err
	}
	if format != nil && target.isN5() {
		return errors.New("blocks of N5 have their own header, and no other in front of it")
	}
	specs, err := layouts(src, arrays, opts, format, target)
	if err != nil {
		return err
	}
	if target.isN5() {
		if err := target.describeLevels(groups, specs); err != nil {
			return err
		}
	}
	to.opts = padOptions(format, opts.Open)
	if err := makeRoom(ctx, src, to, groups, arrays, opts.Overwrite); err != nil {
		return err
	}
	to.opts = append(to.opts[:len(to.opts):len(to.opts)], target.options()...)
	c := &copier{src: src, opts: opts, target: target, track: tracker{tell: opts.Progress}}
	if a, ok := src.(*zarr.Array); ok {
		dst, resumed, err := createArray(ctx, target, specs["/"], to.array, to.open)
		if err != nil {
			return err
		}
		return to.end(dst, c.run(ctx, []*copyOf{{path: "/", src: a, dst: dst, resumed: resumed}}))
	}
	root, err := to.group(ctx)
	if err != nil {
		return err
	}
	return to.end(root, c.hierarchy(ctx, root, groups, arrays, specs))
}

// sources lists the nodes of the source by path, root included.
func sources(ctx context.Context, src zarr.Node) (groups map[string]*zarr.Group, arrays map[string]*zarr.Array, err error) {
	groups, arrays = map[string]*zarr.Group{}, map[string]*zarr.Array{}
	add := func(n zarr.Node) {
		switch n := n.(type) {
		case *zarr.Array:
			arrays[nodePath(src, n)] = n
		case *zarr.Group:
			groups[nodePath(src, n)] = n
		}
	}
	add(src)
	if g, ok := src.(*zarr.Group); ok {
		for n, err := range g.Walk(ctx) {
			if err != nil {
				return nil, nil, err
			}
			add(n)
		}
	}
	return groups, arrays, ctx.Err()
}

// makeRoom checks what is in the place of the copy, in any format, and removes it
// if asked.
func makeRoom(ctx context.Context, src zarr.Node, to place, groups map[string]*zarr.Group, arrays map[string]*zarr.Array, overwrite bool) error {
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
	if err := checkApart(src, old); err != nil {
		return err
	}
	if overwrite {
		return remove(ctx, old)
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
		path := nodePath(old, n)
		_, isGroup := n.(*zarr.Group)
		if isGroup && groups[path] == nil || !isGroup && arrays[path] == nil {
			return fail("%w, such as %s", ErrNotEmpty, path)
		}
	}
	return nil
}

// checkApart checks that neither the source nor the place of its copy is inside
// the other.
func checkApart(src, old zarr.Node) error {
	from, into := strings.TrimSuffix(src.URL(), "/")+"/", strings.TrimSuffix(old.URL(), "/")+"/"
	if (strings.HasPrefix(from, into) || strings.HasPrefix(into, from)) && !apart(src.Store(), old.Store()) {
		return &zarr.Error{Op: "copy to", URL: old.URL(), Err: fmt.Errorf("the source %s is the same place or one is inside the other", src.URL())}
	}
	return nil
}

// apart reports whether two stores in memory differ, which need not have names.
func apart(a, b store.Store) bool {
	x, isMem := store.As[*mem.Store](a)
	y, areMem := store.As[*mem.Store](b)
	return isMem && areMem && x != y
}

// remove deletes a node and all below it, its document first.
func remove(ctx context.Context, n zarr.Node) error {
	s, prefix := n.Store(), ""
	if n.Path() != "" {
		prefix = n.Path() + "/"
	}
	if err := s.Delete(ctx, prefix+documentKey); err != nil {
		return err
	}
	if prefix != "" {
		return s.Delete(ctx, prefix)
	}
	for entry, err := range s.List(ctx, "", "/") {
		if err != nil {
			return err
		}
		if err := s.Delete(ctx, entry.Key); err != nil {
			return err
		}
	}
	return nil
}

// createArray makes an array, or takes up one that a copy has begun: an array
// whose document is just the same.
func createArray(ctx context.Context, target target, spec zarr.ArraySpec, create func(context.Context, zarr.ArraySpec) (*zarr.Array, error), open func(context.Context) (zarr.Node, error)) (a *zarr.Array, resumed bool, err error) {
	a, err = create(ctx, spec)
	if err != nil && !errors.Is(err, zarr.ErrExist) || err == nil && !target.isN5() {
		return a, false, err
	}
	// N5 does not keep all that codecs can be told, and a copy that goes on must
	// write with the same ones.
	resumed = err != nil
	old, openErr := open(ctx)
	if openErr != nil {
		return nil, false, err // what is there is of another format
	}
	a, ok := old.(*zarr.Array)
	if !ok {
		return nil, false, err
	}
	same, docErr := target.sameDocument(ctx, spec, a)
	if docErr != nil {
		return nil, false, docErr
	}
	if !same {
		return nil, false, &zarr.Error{Op: "copy to", URL: a.URL(), Err: fmt.Errorf("%w, an array with other metadata", ErrNotEmpty)}
	}
	return a, resumed, nil
}

// copier runs the copy of all arrays.
type copier struct {
	src    zarr.Node
	opts   CopyOptions
	target target
	track  tracker
}

// hierarchy copies all nodes below root.
func (c *copier) hierarchy(ctx context.Context, root *zarr.Group, groups map[string]*zarr.Group, arrays map[string]*zarr.Array, specs map[string]zarr.ArraySpec) error {
	made := make(map[string]*zarr.Group, len(groups))
	for _, path := range sortedPaths(groups) {
		made[path] = root
		if path != "/" {
			var err error
			if made[path], err = root.CreateGroup(ctx, path[1:]); err != nil {
				return err
			}
		}
	}
	var work []*copyOf
	for _, path := range sortedPaths(arrays) {
		create := func(ctx context.Context, spec zarr.ArraySpec) (*zarr.Array, error) {
			return root.CreateArray(ctx, path[1:], spec)
		}
		open := func(ctx context.Context) (zarr.Node, error) { return root.Open(ctx, path[1:]) }
		dst, resumed, err := createArray(ctx, c.target, specs[path], create, open)
		if err != nil {
			return err
		}
		work = append(work, &copyOf{path: path, src: arrays[path], dst: dst, resumed: resumed})
	}
	// Behind the arrays: what these tell of images, N5 does not say twice.
	for _, path := range sortedPaths(groups) {
		if attrs := groups[path].Metadata().Attributes; attrs != nil {
			if err := made[path].SetAttributes(ctx, attrs); err != nil {
				return err
			}
		}
	}
	if err := c.run(ctx, work); err != nil {
		return err
	}
	if len(arrays) > 1 && !c.target.isN5() {
		return root.Consolidate(ctx)
	}
	return nil
}
