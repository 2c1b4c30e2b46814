package hdmf

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/translate"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/journal"
)

// Option changes how files are opened.
type Option func(*options)

type options struct {
	zarr []zarr.Option
}

// Allow lets the file refer to files at and below places, paths or URLs, besides
// the folder around it.
func Allow(places ...string) Option { return Zarr(zarr.Allow(places...)) }

// Zarr passes options on to the engine, also for files that are referred to.
func Zarr(opts ...zarr.Option) Option { return func(o *options) { o.zarr = append(o.zarr, opts...) } }

// File is an HDMF file. It may be used by several goroutines.
type File struct {
	root    *zarr.Group
	under   *zarr.Group // what root was made of, nil if that is itself
	opts    []zarr.Option
	place   string // where others find it, "" if nowhere
	outer   *File  // that opened this one, and closes it
	schemas catalog

	mu      sync.Mutex
	sources map[string]*source // by the text of a reference
	files   map[string]*File   // by place; of the outermost file
	known   map[string]*known  // the links of some groups, by their paths
}

// source is the file that a source means, or why there is none.
type source struct {
	done   chan struct{} // closed when it is known
	file   *File
	err    error
	gaveUp bool // whoever looked was called off: that is nobody else's answer
}

// Open opens the file at a URL.
func Open(ctx context.Context, url string, opts ...Option) (*File, error) {
	var o options
	for _, f := range opts {
		f(&o)
	}
	g, err := zarr.OpenGroup(ctx, url, o.zarr...)
	if err != nil {
		return nil, err
	}
	return newFile(ctx, g, o.zarr), nil
}

// Of gives the file whose root group is open already. opts are for files that it
// refers to. Closing the file closes the group.
func Of(ctx context.Context, root *zarr.Group, opts ...Option) *File {
	var o options
	for _, f := range opts {
		f(&o)
	}
	return newFile(ctx, root, o.zarr)
}

func newFile(ctx context.Context, g *zarr.Group, opts []zarr.Option) *File {
	f := &File{root: g, opts: opts, place: zarr.Place(ctx, g), sources: map[string]*source{}}
	if f.place != "" && g.Path() != "" {
		f.place = strings.TrimSuffix(f.place, "/") + "/" + g.Path()
	}
	f.files = map[string]*File{f.place: f}
	if whole := committed(ctx, g, opts); whole != nil {
		f.root, f.under = whole, g
	}
	return f
}

// committed gives a file as it is after a commit that is under way, or that was
// interrupted, and that some documents do not tell of yet; nil if there is none.
// Consolidated metadata tells of all of a commit or of nothing, and the root is in the
// same document in V3.
func committed(ctx context.Context, g *zarr.Group, opts []zarr.Option) *zarr.Group {
	if g.Consolidated() && g.Format() != "zarr2" {
		return nil
	}
	s, err := store.Sub(translate.Raw(g.Store()), g.Path())
	if err != nil {
		return nil
	}
	if s = journal.Committed(ctx, s); s == nil {
		return nil
	}
	n, err := zarr.OpenStore(ctx, s, "", opts...)
	if err != nil {
		return nil
	}
	whole, _ := n.(*zarr.Group)
	return whole
}

// Is reports whether a group looks like the root of an HDMF file: it names cached
// schemas, or it has a type, or one of the first nodes in it has a type, links or
// references. A node that names cached schemas is a file of its own and says nothing
// about the group around it. Nodes that are broken do not either; a store that does
// not answer is an error.
func Is(ctx context.Context, g *zarr.Group) (bool, error) {
	if g == nil {
		return false, nil
	}
	if isObject(g.Metadata().Attributes) {
		return true, nil
	}
	looked := 0
	var unknown error
	for n, err := range g.Children(ctx) {
		switch {
		case err == nil:
			if attrs := (&object{node: n}).attrs(); isObject(attrs) && attrs.Raw(schemaLocation) == nil {
				return true, nil
			}
		case store.Unavailable(err):
			unknown = err
		}
		if looked++; looked == 8 {
			break
		}
	}
	return false, unknown
}

func isObject(attrs *meta.Attributes) bool {
	if attrs.Raw("namespace") != nil && typeName(attrs) != "" {
		return true
	}
	return slices.ContainsFunc(reserved, func(name string) bool { return attrs.Raw(name) != nil })
}

// Plain reports whether nothing but links and references looks like HDMF: files of HDF5 have
// these of themselves. Then nothing is known of types, and there are no schemas.
func (f *File) Plain() bool {
	return f.root.Format() == "hdf5" && f.attrs().Raw(schemaLocation) == nil && typeName(f.attrs()) == ""
}

// Close gives up the file and those that were opened for its links and
// references.
func (f *File) Close() error {
	if f.outer != nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	var err error
	for _, other := range f.files {
		err = errors.Join(err, other.root.Close())
		if other.under != nil {
			err = errors.Join(err, other.under.Close())
		}
	}
	return err
}

// Root is the group that holds everything.
func (f *File) Root() *Group { return &Group{object: object{f, f.root, "/"}, group: f.root} }

// Zarr is the root group as the engine has it.
func (f *File) Zarr() *zarr.Group { return f.root }

// URL names the file for people.
func (f *File) URL() string { return f.root.URL() }

// ID is the object id of the root, "" if it has none.
func (f *File) ID() string { return f.Root().ID() }

// Layout is how the file keeps links and references.
func (f *File) Layout() Layout {
	if f.root.Format() == "zarr2" {
		return V2
	}
	return V3
}

// ErrLinks says that a path leads through more links than a file can mean, or in a
// circle.
var ErrLinks = errors.New("links lead in a circle")

// maxLinks is how many links a path may lead through.
const maxLinks = 40

// maxPath and maxParts are how long a path may be, in bytes and in names.
const (
	maxPath  = 64 << 10
	maxParts = 1024
)

// Object finds what lies at a path, such as "/acquisition/trace/data". Links are
// followed, also into other files.
func (f *File) Object(ctx context.Context, at string) (Object, error) {
	o, err := f.find(ctx, at, new(int))
	return o, f.failed("open", at, err)
}

// Table opens the table at a path, such as "/intervals/trials".
func (f *File) Table(ctx context.Context, at string) (*Table, error) {
	g, err := f.group(ctx, "open table", at, ErrNoTable)
	if err != nil {
		return nil, err
	}
	return OpenTable(ctx, g)
}

// Series opens the time series at a path, such as "/acquisition/ElectricalSeries".
func (f *File) Series(ctx context.Context, at string) (*Series, error) {
	g, err := f.group(ctx, "open series", at, ErrNoSeries)
	if err != nil {
		return nil, err
	}
	return OpenSeries(ctx, g)
}

// group finds a group; other is what to say of a dataset.
func (f *File) group(ctx context.Context, op, at string, other error) (*Group, error) {
	o, err := f.Object(ctx, at)
	if err != nil {
		return nil, err
	}
	g, ok := o.(*Group)
	if !ok {
		return nil, f.failed(op, at, other)
	}
	return g, nil
}

// find counts the links that it follows, all of them: links that lead to paths with
// links in them may double their number each time.
func (f *File) find(ctx context.Context, at string, links *int) (Object, error) {
	at = path.Clean("/" + at)
	if at == "/" {
		return f.Root(), nil
	}
	if len(at) > maxPath || strings.Count(at, "/") > maxParts {
		return nil, fmt.Errorf("a path of %d bytes and %d parts: %w", len(at), strings.Count(at, "/"), zarr.ErrNoNode)
	}
	// Most paths have no links in them.
	n, err := f.root.Open(ctx, at[1:])
	if err == nil {
		return f.object(n), nil
	}
	if !errors.Is(err, zarr.ErrNoNode) {
		return nil, err
	}
	last, rest, err := f.reach(ctx, at, err)
	g, ok := last.(*Group)
	switch {
	case last == nil:
		return nil, err
	case !ok:
		return nil, fmt.Errorf("%s is a dataset and holds nothing: %w", last.Path(), zarr.ErrNoNode)
	}
	name, rest, _ := strings.Cut(rest, "/")
	o, err := g.follow(ctx, name, links, err)
	if err != nil || rest == "" {
		return o, err
	}
	return o.File().find(ctx, path.Join(o.Path(), rest), links)
}

// reach finds the last object on a path that is there, and the rest of the path
// behind it, with the error of its first part. missing is that of the whole path.
// Groups lie in groups, so that few parts need be tried: first the group around
// what is missing, which most often has it as a link, then halves.
func (f *File) reach(ctx context.Context, at string, missing error) (last Object, rest string, err error) {
	var ends []int // of the parts
	for i := 1; i <= len(at); i++ {
		if i == len(at) || at[i] == '/' {
			ends = append(ends, i)
		}
	}
	last, err = f.Root(), missing
	low, high := 0, len(ends) // so many parts are there, so many are not
	for try := high - 1; high-low > 1; try = (low + high) / 2 {
		switch n, failed := f.root.Open(ctx, at[1:ends[try-1]]); {
		case failed == nil:
			last, low = f.object(n), try
		case errors.Is(failed, zarr.ErrNoNode):
			err, high = failed, try
		default:
			return nil, "", failed
		}
	}
	if low == 0 {
		return last, at[1:], err
	}
	return last, at[ends[low-1]+1:], err
}

// object gives a node its place in the model.
func (f *File) object(n zarr.Node) Object {
	o := object{f, n, "/" + f.below(n)}
	if a, ok := n.(*zarr.Array); ok {
		return newDataset(o, a)
	}
	return &Group{object: o, group: n.(*zarr.Group)}
}

// below is where a node is below the root, which need not be that of its store.
func (f *File) below(n zarr.Node) string {
	return strings.TrimPrefix(strings.TrimPrefix(n.Path(), f.root.Path()), "/")
}

func (f *File) failed(op, at string, err error) error {
	var known *zarr.Error
	if err == nil || errors.As(err, &known) && !errors.Is(err, ErrLinks) && known.Op == op {
		return err
	}
	return &zarr.Error{Op: op, URL: strings.TrimSuffix(f.URL(), "/") + path.Clean("/"+at), Err: err}
}

// attrs are the attributes of the root, those that the layout reserves among them.
func (f *File) attrs() *meta.Attributes { return f.root.Metadata().Attributes }
