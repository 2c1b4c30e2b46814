package zarr

import (
	"context"
	"errors"
	"fmt"
	pathpkg "path"
	"slices"
	"strings"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/format"
	"github.com/omnizarr/zarr/format/translate"
	"github.com/omnizarr/zarr/internal/locks"
	"github.com/omnizarr/zarr/internal/reach"
	"github.com/omnizarr/zarr/locate"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/file"
	"github.com/omnizarr/zarr/store/lock"
)

// Locks among the goroutines of this process, by store.Identity. There are
// several tables, since who holds a lock of one may want one of the next: an
// array's shape, then a document, then a chunk. Writers share the lock of the shape;
// who changes it has it alone.
var shapes, documents, chunks locks.Table

// node is what groups and arrays have in common.
type node struct {
	*engine
	path   string
	format string
	owner  bool // it was not opened by another node
}

// Path is where the node lies in its store, "" for the root.
func (n *node) Path() string { return n.path }

// Format is the name of the format that the node is stored in.
func (n *node) Format() string { return n.format }

// Store is the store that holds the node.
func (n *node) Store() store.Store { return n.store }

// URL names the node for people.
func (n *node) URL() string { return store.JoinURL(n.store.URL(), n.path) }

// Parent opens the group that holds the node.
func (n *node) Parent(ctx context.Context) (*Group, error) {
	if n.path == "" {
		g, err := n.aboveRoot(ctx)
		return g, n.fail("open the group above", err)
	}
	found, err := openNode(ctx, n.engine, above(n.path), n.format)
	if err != nil {
		return nil, err
	}
	return asGroup(found)
}

// aboveRoot opens the group that the store lies in.
func (e *engine) aboveRoot(ctx context.Context) (*Group, error) {
	e.above.Lock()
	defer e.above.Unlock()
	if e.above.group != nil {
		return e.above.group, nil
	}
	if e.location.Store == nil {
		return nil, ErrNoNode
	}
	url, _, ok := locate.Above(e.location.Store.URL())
	if !ok {
		return nil, ErrNoNode
	}
	o := *e.options
	o.format, o.implicit, o.explicit = "", false, true
	o.locate.Create = false
	around, path, err := engineAt(ctx, url, &o)
	if err != nil {
		return nil, mark(ErrNoNode, err)
	}
	found, err := openRoot(ctx, around, path)
	if err == nil {
		e.above.group, err = asGroup(found)
	}
	if err != nil {
		around.close(true)
		return nil, err
	}
	return e.above.group, nil
}

// close gives up the group above, if it was opened.
func (s *groupAbove) close() error {
	s.Lock()
	defer s.Unlock()
	if s.group == nil {
		return nil
	}
	g := s.group
	s.group = nil
	return g.engine.close(false)
}

// Close gives up the store, if this node opened it: see Node.
func (n *node) Close() error {
	if !n.owner {
		return nil
	}
	return n.fail("close", n.engine.close(false))
}

// close gives up what was opened with the engine; discard leaves an archive as it
// was before.
func (e *engine) close(discard bool) error {
	err, end := e.reach.Close(), e.location.Close
	if discard {
		end = e.location.Discard
	}
	if also := e.above.close(); err == nil {
		err = also
	}
	if also := end(); err == nil {
		err = also
	}
	return err
}

// own says that closing a node closes the store.
func own(n Node) {
	switch n := n.(type) {
	case *Array:
		n.owner = true
	case *Group:
		n.owner = true
	}
}

// prefix is what the keys of the node begin with.
func (n *node) prefix() string {
	if n.path == "" {
		return ""
	}
	return n.path + "/"
}

const documentName = "zarr.json"

func documentKey(path string) string {
	if path == "" {
		return documentName
	}
	return path + "/" + documentName
}

// checkPath refuses paths that are no plain names below the root.
func checkPath(path string) error {
	if path == "" {
		return nil
	}
	for part := range strings.SplitSeq(path, "/") {
		// Zarr v3 reserves all names that begin with two underscores, but files have some,
		// such as AnnData's __categories.
		if strings.HasPrefix(part, "__zarr") {
			return mark(ErrPath, fmt.Errorf("name %q: names that begin with __zarr are reserved", part))
		}
	}
	if err := store.CheckKey(path); err != nil {
		return err
	}
	return nil
}

// openNode reads a node's document. like is the format that it probably has, or "".
func openNode(ctx context.Context, e *engine, path, like string) (Node, error) {
	looking, done := e.looking(ctx)
	defer done()
	if mixed, ok := e.store.(*translate.Store); ok {
		mixed.Expect(looking, path, like)
	}
	return openLooked(ctx, looking, e, path)
}

// looking gives a context in which a node is looked for among documents as they are.
func (e *engine) looking(ctx context.Context) (looking context.Context, done func()) {
	mixed, ok := e.store.(*translate.Store)
	if !ok {
		return ctx, func() {} // it came out of a node, and its documents are not as they lie there
	}
	return translate.Looking(ctx, mixed.Unwrap(), e.registry())
}

// openLooked is openNode while the node is looked for.
func openLooked(ctx, looking context.Context, e *engine, path string) (Node, error) {
	n := node{engine: e, path: path}
	doc, info, err := getDocument(looking, e, path)
	if err != nil {
		return nil, n.fail("open", err)
	}
	n.format = info.Format
	opened, err := newNode(ctx, n, doc)
	if a, ok := opened.(*Array); ok && err == nil {
		err = a.probe(ctx)
	}
	if err != nil {
		return nil, err
	}
	return opened, nil
}

// probe decodes the first chunk of an array whose codec asks for it.
func (a *Array) probe(ctx context.Context) error {
	s := a.now.Load()
	if s.uniform == nil || len(s.meta.Shape) > 0 && slices.Contains(s.meta.Grid.Count(), 0) {
		return nil
	}
	if !s.uniform.Programs() {
		return nil
	}
	first := make([]int, len(s.meta.Shape))
	if !a.isShort(ctx, a.chunkKey(s, first)) {
		return nil // it is data or an error when it is read
	}
	err := a.CheckChunk(ctx, a.chunkInfo(s, first))
	if errors.Is(err, ErrMissing) {
		return nil
	}
	return err
}

// maxProbe is how large a stored chunk may be that is read when its array is opened.
const maxProbe = 64 << 10

func (a *Array) isShort(ctx context.Context, key string) bool {
	_, info, err := a.store.Get(ctx, key, store.Part(0, 1), nil)
	return err == nil && info.Size >= 0 && info.Size <= maxProbe
}

// openRoot opens the node that was asked for by URL or path, which may be an
// implicit group, or a node of a format whose documents tell only together what
// they are.
func openRoot(ctx context.Context, e *engine, path string) (Node, error) {
	looking, done := e.looking(ctx)
	defer done()
	url := store.JoinURL(e.store.URL(), path)
	mixed, _ := e.store.(*translate.Store)
	named := e.formats.NamedIn(url)
	// Documents of which a format of its own tells only together with those around them
	// are looked for where the name does not speak against it, or looking costs nothing.
	others := mixed != nil && e.format == "" && !(translate.IsLooking(looking) && named != nil && named.Folder.Mixed)
	if n := openGathered(ctx, looking, e, mixed, path); n != nil {
		return n, nil
	}
	if others && named != nil && !named.Folder.Mixed {
		if isOf(looking, mixed, path, named, e.registry()) {
			return openAs(ctx, looking, e, path, named)
		}
		// What lies there probably is of this format, unless it is of one of the others.
		for _, name := range slices.Concat(mixed.Names(), named.Folder.Documents.Nodes) {
			translate.Expect(looking, pathpkg.Join(path, name))
		}
		if !isWeb(e.store) {
			expectUnfinished(looking, path)
		}
	}
	n, err := openLooked(ctx, looking, e, path)
	if !errors.Is(err, ErrNoNode) {
		return n, err
	}
	if others {
		expectOthers(looking, e, path)
	}
	if inUnfinished(looking, e, path) {
		return nil, &Error{Op: "open", URL: url, Err: ErrUnfinished}
	}
	look := func(further bool) (*format.Format, error) {
		if others {
			return e.formats.Look(looking, mixed.Unwrap(), path, further)
		}
		return nil, nil
	}
	is, lookErr := look(false)
	if is == nil && lookErr == nil {
		if g := implicitGroup(ctx, e, path); g != nil {
			return g, nil
		}
		if !e.explicit {
			is, lookErr = look(true)
		}
		if is == nil && lookErr == nil {
			return n, err
		}
	}
	if lookErr != nil {
		return nil, (&node{engine: e, path: path}).fail("open", lookErr)
	}
	return openAs(ctx, looking, e, path, is)
}

// expectOthers asks ahead for the documents by which formats are known that are not looked for first.
func expectOthers(looking context.Context, e *engine, path string) {
	for _, f := range e.formats.All() {
		if f.Folder != nil && f.Folder.Look != nil {
			for _, name := range f.Folder.Documents.Nodes {
				translate.Expect(looking, pathpkg.Join(path, name))
			}
		}
	}
}

// openAs opens a node of a format that is not one of those that are looked for first.
func openAs(ctx, looking context.Context, e *engine, path string, f *format.Format) (Node, error) {
	found := *e
	found.store = e.formats.Open(e.store, f.Name, e.env())
	found.reach = reach.Around(found.store, e.reaching())
	return openLooked(ctx, looking, &found, path)
}

// openGathered opens a node by the consolidated metadata of the root, where the format is
// known and each request takes its time; nil if that says nothing of it.
func openGathered(ctx, looking context.Context, e *engine, s *translate.Store, path string) Node {
	if s == nil || path == "" || !translate.IsLooking(looking) || e.consolidated != preferConsolidated {
		return nil
	}
	top := s.Gathered(looking, "")
	if top == nil {
		return nil
	}
	n, err := newGroup(node{engine: e, format: s.Format()}, top).Open(ctx, path)
	if err != nil {
		return nil // its own documents tell
	}
	return n
}

// isOf reports whether what lies at a path is of the format that its name says, by two
// requests at once: the document of the format is there, and the first of those that
// would make it another is not. Where requests take no time worth mention it is false.
func isOf(looking context.Context, s *translate.Store, path string, f *format.Format, reg meta.Registry) bool {
	if !translate.IsLooking(looking) {
		return false
	}
	other := pathpkg.Join(path, s.Names()[0])
	for _, name := range f.Folder.Documents.Nodes {
		translate.Expect(looking, pathpkg.Join(path, name))
	}
	if _, _, err := translate.Document(looking, s.Unwrap(), other, reg); !errors.Is(err, store.ErrNotExist) {
		return false
	}
	for _, name := range f.Folder.Documents.Nodes {
		if _, _, err := translate.Document(looking, s.Unwrap(), pathpkg.Join(path, name), reg); err == nil {
			return true
		}
	}
	return false
}

// implicitGroup gives the group that a folder is which is no node, but holds some,
// nil if there is none or nobody asked for it.
func implicitGroup(ctx context.Context, e *engine, path string) *Group {
	if !e.implicit {
		return nil
	}
	g := newGroup(node{engine: e, path: path, format: translate.PlainFormat}, &meta.Group{})
	for _, err := range g.Walk(ctx) {
		var known *Error
		if err == nil || errors.As(err, &known) && known.Op != "list" {
			return g
		}
	}
	return nil
}

func newNode(ctx context.Context, n node, doc meta.Node) (Node, error) {
	switch m := doc.(type) {
	case *meta.Array:
		n, err := withReferences(n, m)
		if err != nil {
			return nil, n.fail("open", err)
		}
		a, err := newArray(ctx, n, m)
		if err != nil {
			return nil, err
		}
		return a, nil
	case *meta.Group:
		return newGroup(n, m), nil
	}
	return nil, n.fail("open", errors.New("document is neither an array nor a group"))
}

// Unfinished is the name of a value that lies in the folder of a hierarchy until all
// of it is there: nodes with no document at the root beside it are no hierarchy.
const Unfinished = locate.UnfinishedName

// Copied is the name of a value that lies in the folder of a hierarchy that is a
// copy, and says of what.
const Copied = ".omnizarr-copied"

// Parts is the name of a folder beside Unfinished, of a copy that several processes make
// together: what each of them says of its part.
const Parts = ".omnizarr-parts"

// Between is the name of a folder beside Unfinished, of a copy that goes by way of another
// array: the chunks of that.
const Between = ".omnizarr-between"

// IsOwn reports whether a value or folder of a name is neither a user's nor a node's,
// but one that copies keep for themselves.
func IsOwn(name string) bool {
	if name == Unfinished || name == Copied || name == Parts || name == Between || name == lock.Name {
		return true
	}
	of, what, _ := strings.Cut(name, ".omnizarr-")
	return len(of) > 1 && of[0] == '.' && slices.Contains([]string{"new", "old", "unfinished", "tiles", "whole"}, what)
}

// inUnfinished reports whether a path leads into a hierarchy that is not complete.
func inUnfinished(ctx context.Context, e *engine, path string) bool {
	if isWeb(e.store) {
		return false
	}
	expectUnfinished(ctx, path)
	for at := path; ; at = above(at) {
		if isUnfinished(ctx, e, at) {
			if at == path {
				return true
			}
			if _, _, err := readDocument(ctx, e, at, false); errors.Is(err, ErrNoNode) {
				return true
			}
		}
		if at == "" {
			break
		}
	}
	return e.location.Store != nil && locate.Unfinished(store.JoinURL(e.location.Store.URL(), path), e.formats)
}

// above is the path of the folder that a path lies in.
func above(path string) string { return strings.TrimSuffix(pathpkg.Dir(path), ".") }

// isWeb reports whether a store is one of a web server. No copies are made there, and a
// place where nothing lies is found out in fewer requests.
func isWeb(s store.Reader) bool {
	scheme, _, _ := strings.Cut(s.URL(), "://")
	return scheme == "http" || scheme == "https"
}

// expectUnfinished asks ahead for what inUnfinished wants to know.
func expectUnfinished(looking context.Context, path string) {
	for at := path; ; at = above(at) {
		translate.Expect(looking, pathpkg.Join(at, Unfinished))
		if at == "" {
			return
		}
	}
}

// isUnfinished reports whether that value lies in a folder, which has no document.
func isUnfinished(ctx context.Context, e *engine, path string) bool {
	key := pathpkg.Join(path, Unfinished)
	if translate.IsLooking(ctx) {
		_, _, err := translate.Document(ctx, e.store, key, e.registry())
		return err == nil || errors.Is(err, ErrTooLarge)
	}
	_, _, err := e.store.Get(ctx, key, store.Part(0, 0), nil)
	return err == nil
}

func getDocument(ctx context.Context, e *engine, path string) (meta.Node, store.Info, error) {
	return readDocument(ctx, e, path, true)
}

// readDocument reads a node's document, with consolidated metadata or without.
func readDocument(ctx context.Context, e *engine, path string, consolidated bool) (meta.Node, store.Info, error) {
	if path != "" {
		if err := store.CheckKey(path); err != nil {
			return nil, store.Info{}, err
		}
	}
	doc, info, err := e.store.Node(ctx, path, consolidated)
	if errors.Is(err, store.ErrNotExist) {
		return nil, info, noNode{e.formats, e.format}
	}
	if err != nil {
		return nil, info, shorten(err)
	}
	return doc, info, nil
}

// changeDocument changes a node's document as it is now, also when others change
// it at the same time, and then calls done.
func (n *node) changeDocument(ctx context.Context, change func(meta.Node) error, done func()) error {
	lock, err := documents.Lock(ctx, store.Identity(n.store, n.path))
	if err != nil {
		return err
	}
	defer lock.Unlock()
	for try := 0; ; try++ {
		doc, info, err := getDocument(ctx, n.engine, n.path)
		if err == nil {
			err = change(doc)
		}
		opt := store.PutOptions{}
		if n.conditional() {
			opt.IfMatch = info.ETag
		}
		if err == nil {
			err = n.store.PutNode(ctx, n.path, doc, info.Format, opt)
		}
		if err == nil {
			n.changes.wrote(n.path)
			done()
		}
		if !errors.Is(err, store.ErrPrecondition) || try == tries {
			return err
		}
		if err := pause(ctx, try); err != nil {
			return err
		}
	}
}

// shorten drops the URL and key that a store's error repeats.
func shorten(err error) error {
	var known *store.KeyError
	switch {
	case !errors.As(err, &known):
		return err
	case known.Key == "": // about other documents, which the error names
		return known.Err
	}
	return fmt.Errorf("%s: %w", pathpkg.Base(known.Key), known.Err)
}

// putNewDocument stores a document in a format; unless it may replace another,
// two who create the same node at once do not both succeed.
func putNewDocument(ctx context.Context, e *engine, path string, doc meta.Node, format string, replace bool) error {
	lock, err := documents.Lock(ctx, store.Identity(e.store, path))
	if err != nil {
		return err
	}
	defer lock.Unlock()
	err = e.store.PutNode(ctx, path, doc, format, store.PutOptions{IfAbsent: !replace})
	if errors.Is(err, store.ErrPrecondition) {
		return ErrExist
	}
	if err == nil {
		e.changes.wrote(path)
	}
	return err
}

// prepare makes room for a new node: the groups above it exist, and what was in
// its place is gone.
func prepare(ctx, looking context.Context, e *engine, path, format string, overwrite bool) error {
	for i, c := range path {
		if c != '/' {
			continue
		}
		if err := makeParent(ctx, e, path[:i], format); err != nil {
			return err
		}
	}
	if path != "" {
		if err := makeParent(ctx, e, "", format); err != nil {
			return err
		}
	}
	if overwrite {
		return removeNode(ctx, e, path)
	}
	if isUnfinished(looking, e, path) {
		if _, _, err := readDocument(ctx, e, path, false); errors.Is(err, ErrNoNode) {
			return ErrUnfinished
		}
	}
	return hides(looking, e, path)
}

// hides reports a node of a format that is known only by all that lies in a folder: a document of
// another one there would hide it. Who names a format wants that.
func hides(looking context.Context, e *engine, path string) error {
	mixed, _ := e.store.(*translate.Store)
	if mixed == nil || e.format != "" {
		return nil
	}
	f, err := e.formats.Look(looking, mixed.Unwrap(), path, false)
	if err == nil && f != nil {
		err = mark(ErrExist, fmt.Errorf("%q is a node of the format %s", "/"+path, f.Name))
	}
	return err
}

// makeParent makes a group where there is nothing yet; below an array there is
// no room.
func makeParent(ctx context.Context, e *engine, path, format string) error {
	doc, _, err := readDocument(ctx, e, path, false)
	if errors.Is(err, ErrNoNode) {
		if isUnfinished(ctx, e, path) {
			return ErrUnfinished
		}
		found := hides(ctx, e, path)
		if (found != nil || e.format != "") && isOtherArray(ctx, e, path) {
			found = holdsNone("/" + path)
			if e.format == "" {
				found = mark(ErrExist, found)
			}
		}
		if found != nil {
			return found
		}
		err = putNewDocument(ctx, e, path, &meta.Group{}, format, false)
		if errors.Is(err, ErrExist) {
			return nil
		}
		return err
	}
	if err != nil {
		return err
	}
	_, is := doc.(*meta.Array)
	if f := e.formats.Find(e.format); !is && f != nil && f.Folder != nil && !f.Folder.Mixed {
		is = isOtherArray(ctx, e, path) // any folder may be a group of the format
	}
	if is {
		return holdsNone("/" + path)
	}
	return nil
}

// holdsNone says that a node that is wanted to hold others is an array.
func holdsNone(name string) error {
	return mark(ErrNotGroup, fmt.Errorf("%q is an array and cannot hold nodes", name))
}

// isOtherArray reports whether there is an array of a format that is not wanted: what
// lies below it are its chunks.
func isOtherArray(ctx context.Context, e *engine, path string) bool {
	if _, ok := e.store.(*translate.Store); !ok {
		return false // it came out of a node, and its documents are not as they lie there
	}
	return slices.ContainsFunc(e.formats.All(), func(f *format.Format) bool {
		if f.Folder == nil || f.Name == e.format {
			return false
		}
		other := *e
		other.store = e.formats.Open(translate.Raw(e.store), f.Name, e.env())
		doc, _, err := readDocument(ctx, &other, path, false)
		_, is := doc.(*meta.Array)
		return is && err == nil
	})
}

// inArray refuses a place in the folder of an array on this machine. Elsewhere it
// takes requests to find out what lies above the place that a URL names, and who has
// the place may not see that: nobody asks there.
func inArray(ctx context.Context, url string, o *options) error {
	above, ok := locate.NodeAbove(url, o.formats)
	if !ok {
		return nil
	}
	s, err := file.Open(above, file.Options{})
	if err != nil {
		return nil // who cannot look there is not told either
	}
	defer s.Close()
	around := *o
	around.format = ""
	e := newEngine(s, &around)
	doc, _, err := readDocument(ctx, e, "", false)
	if _, is := doc.(*meta.Array); is || errors.Is(err, ErrNoNode) && isOtherArray(ctx, e, "") {
		return holdsNone(above)
	}
	return nil
}

func entryOf(x meta.Extension) codec.Entry {
	return codec.Entry{Name: x.Name, Config: x.Configuration}
}
