package translate

import (
	"context"
	"path"
	"sync"

	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
)

// Expecter are documents that know which a node probably has: where each request
// takes its time, they are asked for at once.
type Expecter interface {
	// Expected are the names of the documents that are read for a node.
	Expected() []string
}

// Gatherer are documents of which a group may keep those of all nodes below it in one.
type Gatherer interface {
	// Gathered reads the group at a path by that one document alone, nil if it has none
	// that says what the group is.
	Gathered(ctx context.Context, path string) *meta.Group
}

// Gathered reads the group at a path by its consolidated metadata alone, and with it what
// that says of all nodes below. It is nil where there is none, where it is no document of
// its own, or where nodes can have several formats.
func (s *Store) Gathered(ctx context.Context, node string) *meta.Group {
	if len(s.shown) == 1 {
		if d, ok := s.shown[0].Documents.(Gatherer); ok {
			return d.Gathered(ctx, node)
		}
	}
	return nil
}

// Looking gives a context in which a node of s is looked for: a document is asked for
// once, and Expect asks ahead. Where requests take no time worth mention it is ctx
// itself. done ends it, and all requests that nobody waits for any more.
func Looking(ctx context.Context, s store.Reader, reg meta.Registry) (looking context.Context, done func()) {
	if !store.IsFar(s) || lookOf(ctx) != nil {
		return ctx, func() {}
	}
	asking, cancel := context.WithCancel(ctx)
	l := &look{s: s, reg: reg, ctx: asking, asked: map[string]*reply{}}
	return context.WithValue(ctx, lookKey{}, l), func() {
		cancel()
		l.wg.Wait()
	}
}

// IsLooking reports whether ctx is one of Looking.
func IsLooking(ctx context.Context) bool { return lookOf(ctx) != nil }

// Expect asks for documents that will probably be wanted, and waits for none. If the
// first was asked for already, so were those of the others that are likely. Without
// Looking it does nothing.
func Expect(ctx context.Context, keys ...string) {
	l := lookOf(ctx)
	if l == nil || l.wasAsked(keys[0]) {
		return
	}
	for _, key := range keys {
		l.ask(key)
	}
}

// expect is Expect for the documents of a node.
func (f Form) expect(ctx context.Context, node string) {
	names := f.Nodes
	if e, ok := f.Documents.(Expecter); ok {
		names = e.Expected()
	}
	keys := make([]string, len(names))
	for i, name := range names {
		keys[i] = path.Join(node, name)
	}
	Expect(ctx, keys...)
}

type lookKey struct{}

func lookOf(ctx context.Context) *look {
	l, _ := ctx.Value(lookKey{}).(*look)
	return l
}

// look is what is known of documents while a node is looked for.
type look struct {
	s   store.Reader
	reg meta.Registry
	ctx context.Context
	wg  sync.WaitGroup

	mu    sync.Mutex
	asked map[string]*reply
}

// reply is what comes of a document.
type reply struct {
	done chan struct{} // closed when it is there
	text []byte
	info store.Info
	err  error
}

func (l *look) wasAsked(key string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.asked[key] != nil
}

// ask asks for a document, unless that was done before.
func (l *look) ask(key string) *reply {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.asked[key]
	if r == nil {
		r = &reply{done: make(chan struct{})}
		l.asked[key] = r
		l.wg.Go(func() {
			defer close(r.done)
			r.text, r.info, r.err = document(l.ctx, l.s, key, l.reg)
		})
	}
	return r
}

// document waits for a document.
func (l *look) document(ctx context.Context, key string) ([]byte, store.Info, error) {
	r := l.ask(key)
	select {
	case <-r.done:
		return r.text, r.info, r.err
	case <-ctx.Done():
		return nil, store.Info{}, store.WrapError("get", l.s.URL(), key, ctx.Err())
	}
}
