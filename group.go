package zarr

import (
	"context"
	"errors"
	"fmt"
	"iter"
	pathpkg "path"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/omnizarr/zarr/format/translate"
	"github.com/omnizarr/zarr/internal/par"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
)

// Group is a node that holds others. Its methods may be called by several
// goroutines.
type Group struct {
	node
	now atomic.Pointer[meta.Group]
	// above is the group up the path from whose consolidated metadata this one
	// was opened, if it was.
	above *Group
}

func newGroup(n node, m *meta.Group) *Group {
	g := &Group{node: n}
	g.now.Store(m)
	return g
}

func createGroup(ctx context.Context, e *engine, path string) (*Group, error) {
	n := node{engine: e, path: path}
	m := &meta.Group{}
	err := checkPath(path)
	looking, done := e.looking(ctx)
	defer done()
	if err == nil {
		expectNode(looking, e, path)
		var draft translate.Draft
		draft, err = e.store.Draft(looking, path)
		n.format = draft.Format
	}
	if err == nil {
		err = prepare(ctx, looking, e, path, n.format, false)
	}
	if err == nil {
		err = putNewDocument(ctx, e, path, m, n.format, false)
	}
	if err != nil {
		return nil, n.fail("create group", err)
	}
	return newGroup(n, m), nil
}

// Metadata is the group's document; it must not be changed.
func (g *Group) Metadata() *meta.Group { return g.now.Load() }

// Attributes returns a copy of the group's attributes.
func (g *Group) Attributes() *meta.Attributes {
	return g.Metadata().Clone().Attrs().Clone()
}

// SetAttributes stores new attributes.
func (g *Group) SetAttributes(ctx context.Context, attrs *meta.Attributes) error {
	return g.change(ctx, "set attributes of", func(m *meta.Group) error {
		m.Attributes = attrs.Clone()
		return nil
	})
}

// UpdateAttributes changes the attributes that the group has now: change is called
// again when somebody else has changed them meanwhile, and loses nothing of that.
func (g *Group) UpdateAttributes(ctx context.Context, change func(*meta.Attributes) error) error {
	return g.change(ctx, "set attributes of", func(m *meta.Group) (err error) {
		m.Attributes, err = changed(m.Attributes, change)
		return err
	})
}

func (g *Group) change(ctx context.Context, op string, f func(m *meta.Group) error) error {
	var m *meta.Group
	err := g.changeDocument(ctx, func(doc meta.Node) error {
		var ok bool
		if m, ok = doc.(*meta.Group); !ok {
			return mark(ErrNotGroup, errors.New("is no group any more"))
		}
		return f(m)
	}, func() { g.now.Store(m) })
	return g.fail(op, err)
}

// Open opens the node at a path below the group.
func (g *Group) Open(ctx context.Context, path string) (Node, error) {
	path = strings.Trim(path, "/")
	if path == "" {
		return g, nil
	}
	whole := g.prefix() + path
	if c := g.consolidatedIn(); c != nil && !g.changes.at(whole) {
		return g.child(ctx, c, whole)
	}
	return openNode(ctx, g.engine, whole, g.format)
}

// Consolidated reports whether nodes below the group are opened by its consolidated
// metadata, or by that of a group above, and not by documents of their own.
func (g *Group) Consolidated() bool { return g.consolidatedIn() != nil }

// consolidatedIn is the group whose consolidated metadata answers for this one;
// nil if there is none or it is bypassed.
func (g *Group) consolidatedIn() *Group {
	if g.Metadata().Consolidated != nil && g.consolidated == preferConsolidated {
		return g
	}
	return g.above
}

// child opens a node from the consolidated metadata of c.
func (g *Group) child(ctx context.Context, c *Group, path string) (Node, error) {
	doc, err := c.Metadata().Consolidated.Get(path[len(c.prefix()):])
	if errors.Is(err, store.ErrNotExist) {
		err = noNode{g.formats, g.options.format}
	}
	if err != nil {
		return nil, &Error{Op: "open", URL: store.JoinURL(g.store.URL(), path), Err: fmt.Errorf("consolidated metadata: %w", err)}
	}
	n, err := newNode(ctx, node{engine: g.engine, path: path, format: c.format}, doc)
	if sub, ok := n.(*Group); ok && err == nil {
		sub.above = c
	}
	return n, err
}

// Array opens the array at a path below the group.
func (g *Group) Array(ctx context.Context, path string) (*Array, error) {
	n, err := g.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	return asArray(n)
}

// Group opens the group at a path below the group.
func (g *Group) Group(ctx context.Context, path string) (*Group, error) {
	n, err := g.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	return asGroup(n)
}

// CreateArray makes an array at a path below the group; groups in between are
// made too.
func (g *Group) CreateArray(ctx context.Context, path string, spec ArraySpec) (*Array, error) {
	return createArray(ctx, g.engine, g.prefix()+strings.Trim(path, "/"), spec)
}

// CreateGroup makes a group at a path below the group; groups in between are
// made too. If there is a node already, it is ErrExist.
func (g *Group) CreateGroup(ctx context.Context, path string) (*Group, error) {
	return createGroup(ctx, g.engine, g.prefix()+strings.Trim(path, "/"))
}

// RequireGroup opens the group at a path below the group, or makes it.
func (g *Group) RequireGroup(ctx context.Context, path string) (*Group, error) {
	made, err := g.CreateGroup(ctx, path)
	if !errors.Is(err, ErrExist) {
		return made, err
	}
	return g.Group(ctx, path)
}

// Delete removes the node at a path below the group with all that it holds, as
// Remove does.
func (g *Group) Delete(ctx context.Context, path string) error {
	path = strings.Trim(path, "/")
	whole := g.prefix() + path
	err := checkPath(path)
	if path == "" {
		err = mark(ErrPath, errors.New("a group cannot delete itself"))
	}
	if err == nil {
		_, _, err = getDocument(ctx, g.engine, whole)
	}
	if err == nil || !errors.Is(err, ErrNoNode) && path != "" && checkPath(path) == nil {
		err = removeNode(ctx, g.engine, whole)
	}
	return fail("delete", store.JoinURL(g.store.URL(), whole), err)
}

// Consolidate writes the documents of all nodes below into the group's own, so
// that readers need a single request to know them all. Do it again after nodes
// have changed; until then those who made the changes know of them, and others may
// not.
func (g *Group) Consolidate(ctx context.Context) error {
	fresh := *g.engine.options
	fresh.consolidated = bypassConsolidated
	e := *g.engine
	e.options = &fresh
	// The nodes are looked at behind the document that is changed: who changes one and
	// consolidates meanwhile has changed the document too, and it is all done again.
	err := g.change(ctx, "consolidate", func(m *meta.Group) error {
		root := newGroup(node{engine: &e, path: g.path}, m)
		nodes := map[string]meta.Node{}
		for n, err := range root.Walk(ctx) {
			if err != nil {
				return err
			}
			path := n.Path()[len(g.prefix()):]
			switch n := n.(type) {
			case *Array:
				nodes[path] = n.Metadata()
			case *Group:
				nodes[path] = n.Metadata()
			}
		}
		all, err := meta.NewConsolidated(nodes)
		if err == nil {
			m.Consolidated = all.Know(g.registry())
		}
		return err
	})
	if err == nil && g.above == nil {
		g.changes.known(g.prefix())
	}
	return err
}

// Children yields the nodes directly below the group by name. The more of them are
// taken, the more are opened ahead. A node that cannot be opened is yielded as its error, and the
// iteration goes on.
func (g *Group) Children(ctx context.Context) iter.Seq2[Node, error] {
	return func(yield func(Node, error) bool) {
		if c := g.consolidatedIn(); c != nil && !g.changes.below(g.prefix()) {
			for path := range c.Metadata().Consolidated.Children(g.pathIn(c)) {
				if !yield(g.child(ctx, c, c.prefix()+path)) {
					return
				}
			}
			return
		}
		g.folder(ctx, g.prefix(), func(n Node, err error) bool { return yield(n, err) && ctx.Err() == nil }, nil)
	}
}

// Walk yields all nodes below the group, each before those that it holds. Nodes
// in folders that are no groups themselves are found too, unless consolidated
// metadata leaves them out. A node that cannot be opened is yielded as its error,
// and the iteration goes on.
func (g *Group) Walk(ctx context.Context) iter.Seq2[Node, error] {
	return func(yield func(Node, error) bool) { g.walk(ctx, yield) }
}

func (g *Group) walk(ctx context.Context, yield func(Node, error) bool) bool {
	if c := g.consolidatedIn(); c != nil && !g.changes.below(g.prefix()) {
		for path := range c.Metadata().Consolidated.Paths(g.pathIn(c)) {
			if !yield(g.child(ctx, c, c.prefix()+path)) {
				return false
			}
		}
		return true
	}
	return g.walkFolder(ctx, g.prefix(), yield)
}

// pathIn is the group's path in the consolidated metadata of c.
func (g *Group) pathIn(c *Group) string {
	return strings.TrimSuffix(g.prefix()[len(c.prefix()):], "/")
}

// maxDepth ends walks that go in circles, as symbolic links can make them.
const maxDepth = 64

func (g *Group) walkFolder(ctx context.Context, prefix string, yield func(Node, error) bool) bool {
	if strings.Count(prefix, "/") > maxDepth {
		return yield(nil, &Error{Op: "walk", URL: store.JoinURL(g.store.URL(), prefix), Err: fmt.Errorf("more than %d groups inside each other", maxDepth)})
	}
	return g.folder(ctx, prefix, func(n Node, err error) bool {
		if !yield(n, err) || ctx.Err() != nil {
			return false
		}
		sub, ok := n.(*Group)
		return !ok || err != nil || sub.walk(ctx, yield)
	}, func(prefix string) bool { return g.walkFolder(ctx, prefix, yield) })
}

// folder opens the nodes in a folder, some of them ahead; folders in it that are no
// nodes go to other.
func (g *Group) folder(ctx context.Context, prefix string, yield func(Node, error) bool, other func(prefix string) bool) bool {
	ahead := openings{g: g, far: store.IsFar(g.store), most: 1}
	if ahead.far {
		ahead.most = firstAhead
	}
	var cancel context.CancelFunc
	ahead.ctx, cancel = context.WithCancel(ctx)
	defer ahead.stop(cancel)
	for entry, err := range g.store.List(ctx, prefix, "/") {
		if err != nil {
			return ahead.next(ctx, 0, yield, other) && yield(nil, g.fail("list", err))
		}
		if !entry.IsPrefix || IsOwn(pathpkg.Base(entry.Key)) {
			continue
		}
		ahead.open(entry.Key)
		if !ahead.next(ctx, ahead.most-1, yield, other) {
			return false
		}
	}
	return ahead.next(ctx, 0, yield, other)
}

const (
	// firstAhead is how many nodes far away are opened ahead at first. The more are wanted,
	// the more are.
	firstAhead = 8

	// nearAhead is how many nodes nearby are opened ahead at most, by others than who
	// waits for them if so many at least are there for each.
	nearAhead = 32
	nearEach  = 8
)

// openings are the nodes in a folder that are being opened, in order. Those far away
// are opened all at once, since each takes its time. Those nearby take the time of a
// processor: idle workers open some, and who waits for one opens others meanwhile.
type openings struct {
	g     *Group
	ctx   context.Context
	far   bool
	most  int
	queue []*opening
	wg    sync.WaitGroup

	mu      sync.Mutex
	todo    []*opening // nearby, and not begun
	helpers int
}

type opening struct {
	key  string // of the folder
	done chan struct{}
	node Node
	err  error
}

// open begins to open the node in a folder.
func (o *openings) open(key string) {
	x := &opening{key: key, done: make(chan struct{})}
	o.queue = append(o.queue, x)
	if o.far {
		o.wg.Go(func() { o.do(x) })
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.todo = append(o.todo, x)
	if len(o.todo) >= nearEach*(o.helpers+1) && o.g.pool.TryAcquire(0) {
		o.helpers++
		o.wg.Go(o.help)
	}
}

// do opens a node.
func (o *openings) do(x *opening) {
	defer close(x.done)
	x.err = par.Catch(func() (err error) {
		x.node, err = openNode(o.ctx, o.g.engine, strings.TrimSuffix(x.key, "/"), o.g.format)
		return err
	})
}

// help opens what nobody has begun.
func (o *openings) help() {
	defer o.g.pool.Release(0)
	for x := o.begin(1); x != nil; x = o.begin(1) {
		o.do(x)
	}
}

// begin takes the first that nobody has begun, nil if there is none: then so many
// helpers end.
func (o *openings) begin(helpers int) *opening {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.todo) == 0 {
		o.helpers -= helpers
		return nil
	}
	x := o.todo[0]
	o.todo = o.todo[1:]
	return x
}

// wait waits for a node, and opens others as long as it is not there.
func (o *openings) wait(x *opening) {
	for {
		select {
		case <-x.done:
			return
		default:
		}
		y := o.begin(0)
		if y == nil {
			<-x.done
			return
		}
		o.do(y)
	}
}

// stop leaves what was not begun, and waits for the rest.
func (o *openings) stop(cancel context.CancelFunc) {
	cancel()
	o.mu.Lock()
	o.todo = nil
	o.mu.Unlock()
	o.wg.Wait()
}

// next yields nodes until no more than some are left.
func (o *openings) next(ctx context.Context, left int, yield func(Node, error) bool, other func(prefix string) bool) bool {
	for len(o.queue) > left {
		x := o.queue[0]
		o.queue = o.queue[1:]
		o.wait(x)
		if o.far {
			o.most = min(o.most+1, store.AtOnce(0, o.g.store))
		} else {
			o.most = min(2*o.most, nearAhead)
		}
		if errors.Is(x.err, ErrNoNode) {
			if other != nil && !other(x.key) {
				return false
			}
			continue
		}
		if !yield(x.node, x.err) {
			return false
		}
		// A document that cannot be read does not hide the nodes below it; what
		// else lies there may be chunks.
		if x.err != nil && other != nil && !o.g.folder(ctx, x.key, yield, nil) {
			return false
		}
	}
	return true
}
