package zarr

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/omnizarr/zarr/format"
	"github.com/omnizarr/zarr/format/translate"
	"github.com/omnizarr/zarr/internal/reach"
	"github.com/omnizarr/zarr/locate"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/refs"
)

// Find finds the store that a URL names, and the node in it, as Open does, and
// opens neither: for those who look at documents themselves. A file of another
// format is a store then. The caller must Close the location.
func Find(ctx context.Context, url string, opts ...Option) (locate.Location, error) {
	o, err := newOptions(opts)
	if err != nil {
		return locate.Location{}, fail("open", url, err)
	}
	return storeAt(ctx, url, o)
}

// Make is Find for what is to be written: a folder or an archive that is missing is
// made, an archive that was begun goes on. If replace is set, an archive is made anew
// though there is one, which stays until the location is closed.
func Make(ctx context.Context, url string, replace bool, opts ...Option) (locate.Location, error) {
	o, err := newOptions(opts)
	if err != nil {
		return locate.Location{}, fail("create", url, err)
	}
	if err := inArray(ctx, url, o); err != nil {
		return locate.Location{}, fail("create", url, err)
	}
	o.locate.Create, o.locate.Resume, o.locate.Replace = true, true, replace
	return storeAt(ctx, url, o)
}

// storeAt opens the store that a URL names, that of a file if it leads into one.
func storeAt(ctx context.Context, url string, o *options) (locate.Location, error) {
	opt := o.locate
	opt.AllowFile, opt.Formats = true, o.formats
	only := o.formats.Find(o.format)
	wantsFile := only != nil && only.File != nil
	opt.AsFile = opt.AsFile || wantsFile
	where, err := locate.Open(ctx, url, opt)
	if err != nil {
		return locate.Location{}, failedOpen(url, err)
	}
	if !where.File && !opt.Create {
		if where, err = fileIn(ctx, where, o); err != nil {
			where.Discard()
			return locate.Location{}, failedOpen(url, err)
		}
	}
	if !where.File && !wantsFile {
		return where, nil
	}
	inside, err := openFile(ctx, where, o)
	if errors.Is(err, store.ErrNotExist) && !opt.AsFile && !opt.Create && where.Format == "" {
		// A hierarchy may be called as files are, such as a file that is served as Zarr.
		opt.AsFolder = true
		if folder, err := locate.Open(ctx, url, opt); err == nil && !folder.File {
			where.Discard()
			return folder, nil
		}
	}
	if err != nil {
		where.Discard()
		return locate.Location{}, failedOpen(store.JoinURL(where.Store.URL(), where.Path), err)
	}
	return inside, nil
}

// fileIn looks whether the path in a store leads into a file, going by its name
// and by whether there is a value.
func fileIn(ctx context.Context, where locate.Location, o *options) (locate.Location, error) {
	at := 0
	for part := range strings.SplitSeq(where.Path, "/") {
		at += len(part)
		if f := o.formats.FileNamed(part); f != nil {
			head, err := readHead(ctx, where.Store, where.Path[:at])
			if err != nil {
				break // there is none: a node of that name may be
			}
			if f.File.Starts != nil {
				if f, err = format.NewRegistry(f).FileStarting(head); err != nil {
					return where, err
				}
			}
			if f != nil {
				where.File, where.Inner, where.Path = true, strings.TrimPrefix(where.Path[at:], "/"), where.Path[:at]
			}
			break
		}
		at++
	}
	return where, nil
}

// readHead reads the first bytes of a value, fewer if it has fewer.
func readHead(ctx context.Context, s store.Reader, key string) ([]byte, error) {
	head, _, err := s.Get(ctx, key, store.Part(0, format.HeadBytes), nil)
	if errors.Is(err, store.ErrRange) {
		head, _, err = s.Get(ctx, key, store.UpTo(format.HeadBytes), nil)
	}
	return head, err
}

// openFile makes a store of a file.
func openFile(ctx context.Context, where locate.Location, o *options) (locate.Location, error) {
	if !where.File {
		return locate.Location{}, mark(ErrFormat, fmt.Errorf("a folder, no file of format %s", o.format))
	}
	f, err := fileFormat(ctx, where, o)
	if err != nil {
		return locate.Location{}, unnamed(err)
	}
	s, err := f.OpenFile(ctx, where.Store, where.Path, o.env())
	if err != nil {
		return locate.Location{}, unnamed(err)
	}
	return where.Within(s, f.Name), nil
}

// fileFormat finds the format of a file: the one that was asked for, or going by
// its name, or by its first bytes.
func fileFormat(ctx context.Context, where locate.Location, o *options) (*format.Format, error) {
	if name := cmp.Or(where.Format, o.format); name != "" {
		f := o.formats.Find(name)
		if f != nil && f.File != nil {
			return f, nil
		}
		if where.Format != "" {
			return nil, mark(ErrFormat, fmt.Errorf("a file, no store of format %s", name))
		}
	}
	if f := o.formats.FileNamed(where.Path); f != nil {
		return f, nil
	}
	head, err := readHead(ctx, where.Store, where.Path)
	if err != nil {
		return nil, err
	}
	f, err := o.formats.FileStarting(head)
	if err == nil && f == nil {
		err = noFormat(o.formats, head)
	}
	return f, err
}

// noFormat says that a file is of no format that is known.
func noFormat(known *format.Registry, head []byte) error {
	what, isKnown := format.Stranger(head)
	if isKnown {
		return mark(ErrFormat, errors.New(what))
	}
	titles := []string{"a zip archive"}
	for _, f := range known.All() {
		if f.File != nil {
			titles = append(titles, f.Title)
		}
	}
	return mark(ErrFormat, errors.New(what+", neither a folder nor "+oneOf(titles)))
}

// unnamed drops the name of the file, which the caller knows.
func unnamed(err error) error {
	var known *store.KeyError
	if errors.As(err, &known) {
		return known.Err
	}
	return err
}

// Allow lets nodes refer to files at and below places, which are paths or URLs.
// By default an array may only refer to files below the folder that its
// hierarchy lies in, or below that folder on the same server.
func Allow(places ...string) Option {
	return func(o *options) { o.allow = append(o.allow, places...) }
}

// ErrNotAllowed says that a node refers to a file that it may not, see Allow.
var ErrNotAllowed = reach.ErrNotAllowed

// OpenReferred opens the root of another hierarchy that node n refers to by a path
// or URL, relative to the folder that n's store starts at. It must lie below the
// folder around n's own hierarchy, or where Allow says: else the error is
// ErrNotAllowed, and nothing was asked of anybody. where names the hierarchy: two
// references to one give the same. The caller closes what was opened, and n after it.
func OpenReferred(ctx context.Context, n Node, ref string, opts ...Option) (opened Node, where string, err error) {
	from := engineOf(n)
	h, where, err := from.reach.Hierarchy(ctx, ref)
	if err != nil {
		return nil, where, fail("open", cmp.Or(where, ref), err)
	}
	opts = append([]Option{Allow(from.allow...)}, opts...)
	opened, err = OpenStore(ctx, translate.Raw(h.Store), h.Path, opts...)
	if h.Around != nil && errors.Is(err, ErrNoNode) {
		// It may be a file that holds a hierarchy. Whoever referred to it keeps the
		// store around it open.
		if file, failed := openFileIn(ctx, h.Around, h.Key, opts); failed == nil {
			opened, err = file, nil
		} else if !errors.Is(failed, store.ErrNotExist) {
			err = fail("open", where, failed)
		}
	}
	if err == nil {
		h.Bind(engineOf(opened).reach)
	}
	return opened, where, err
}

// openFileIn opens the root of the file that is a value of a store, which stays open
// when the node is closed.
func openFileIn(ctx context.Context, s store.Store, key string, opts []Option) (Node, error) {
	o, err := newOptions(opts)
	if err != nil {
		return nil, err
	}
	inside, err := openFile(ctx, locate.Location{Store: s, Path: key, File: true}, o)
	if err != nil {
		return nil, err
	}
	e := newEngine(inside.Store, o)
	e.location = inside
	n, err := openRoot(ctx, e, inside.Path)
	if err != nil {
		e.close(true)
		return nil, err
	}
	own(n)
	return n, nil
}

// Place names the hierarchy that a node lies in as OpenReferred does, "" if it lies
// nowhere that others can refer to.
func Place(ctx context.Context, n Node) string { return engineOf(n).reach.Place(ctx) }

func engineOf(n Node) *engine {
	if a, ok := n.(*Array); ok {
		return a.engine
	}
	return n.(*Group).engine
}

// withReferences gives the node of an array whose chunks may be references: its engine
// has another store then, in which they look as if they were stored.
func withReferences(n node, m *meta.Array) (node, error) {
	if len(m.Transformers) == 0 {
		return n, nil
	}
	if s, ok := n.store.(*referred); ok && s.prefix == n.prefix() {
		return n, nil // it came out of this very array
	}
	s, err := n.reach.References(n.store, n.path, n.prefix(), m)
	if err != nil {
		return n, err
	}
	e := *n.engine
	e.store = &referred{s, n.store, n.prefix()}
	n.engine = &e
	return n, nil
}

// referred is the store of an array whose chunks are references: documents are
// those of the store inside.
type referred struct {
	*refs.Store
	translator
	prefix string
}

// PutNode refuses.
func (s *referred) PutNode(context.Context, string, meta.Node, string, store.PutOptions) error {
	return refs.ErrWrite
}

// changes are the nodes whose documents were written or removed by those who were
// opened together: consolidated metadata, which was read before, does not know of
// them.
type changes struct {
	mu    sync.Mutex
	paths map[string]bool // true: with all that lies below
}

func (c *changes) wrote(path string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.paths == nil {
		c.paths = map[string]bool{}
	}
	if _, known := c.paths[path]; !known { // removed before, it stays that
		c.paths[path] = false
	}
}

func (c *changes) removed(path string) {
	c.wrote(path)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.paths[path] = true
}

// at reports whether the document of a node was changed.
func (c *changes) at(path string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, is := c.paths[path]
	return is || c.above(path)
}

// above reports whether the node or one above it was removed.
func (c *changes) above(path string) bool {
	for end := len(path); end >= 0 && len(c.paths) > 0; end = strings.LastIndexByte(path[:end], '/') {
		if c.paths[path[:end]] {
			return true
		}
	}
	return c.paths[""]
}

// below reports whether a node in a group was changed.
func (c *changes) below(prefix string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for path := range c.paths {
		if path != "" && strings.HasPrefix(path, prefix) {
			return true
		}
	}
	return c.above(strings.TrimSuffix(prefix, "/"))
}

// known forgets the changes in a group, whose consolidated metadata has them now.
func (c *changes) known(prefix string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for path := range c.paths {
		if strings.HasPrefix(path+"/", prefix) {
			delete(c.paths, path)
		}
	}
}
