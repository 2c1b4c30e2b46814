package reach

import (
	"context"
	"errors"
	"io"
	"path"
	"sync"

	"github.com/omnizarr/zarr/store"
)

// opened are the stores that were opened to read what nodes refer to, and files in
// them.
type opened struct {
	openStore func(ctx context.Context, root site) (s store.Store, closer io.Closer, keep bool, err error)

	mu      sync.Mutex
	stores  map[site]store.Store
	closers []io.Closer // of stores
	held    map[site]*heldFile
}

// Close gives up stores and files; they are opened again when they are needed.
func (o *opened) Close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	var err error
	for _, h := range o.held {
		err = errors.Join(err, o.drop(h))
	}
	for _, c := range o.closers {
		err = errors.Join(err, c.Close())
	}
	o.stores, o.closers = nil, nil
	return err
}

// folder opens the store that starts at root.
func (o *opened) folder(ctx context.Context, root site) (store.Store, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if s, ok := o.stores[root]; ok {
		return s, nil
	}
	s, closer, keep, err := o.openStore(ctx, root)
	if err != nil || !keep {
		return s, err
	}
	if o.stores == nil {
		o.stores = map[site]store.Store{}
	}
	o.stores[root] = s
	if closer != nil {
		o.closers = append(o.closers, closer)
	}
	return s, nil
}

// open opens a file below a root, which is held for the next part of it if this
// is one.
func (o *opened) open(ctx context.Context, root, s site, part bool) (store.Object, error) {
	if s.scheme != "file" || !part {
		return o.object(ctx, root, s)
	}
	if h := o.take(s); h != nil {
		return h, nil
	}
	obj, err := o.object(ctx, root, s)
	if err != nil {
		return nil, err
	}
	return o.hold(s, obj)
}

// object opens a file below a root. Symbolic links do not lead out of it.
func (o *opened) object(ctx context.Context, root, s site) (store.Object, error) {
	key, _ := s.below(root)
	if key == "" || s.scheme == "http" || s.scheme == "https" {
		root, key = s.up(), path.Base(s.path)
		root.query = s.query
	}
	at, err := o.folder(ctx, root)
	if err != nil {
		return nil, err
	}
	return store.Open(ctx, at, key)
}

// mostHeld is how many files are kept open between reads of their parts.
const mostHeld = 16

// heldFile is an open file that several chunks are parts of.
type heldFile struct {
	store.Object
	at      site
	users   int
	dropped bool // is closed when the last user has gone
}

// take gives a file that is open already, nil if there is none.
func (o *opened) take(s site) store.Object {
	o.mu.Lock()
	defer o.mu.Unlock()
	h := o.held[s]
	if h == nil {
		return nil
	}
	h.users++
	return &lease{heldFile: h, in: o}
}

// hold keeps a file for others. One that nobody uses makes room for it.
func (o *opened) hold(s site, obj store.Object) (store.Object, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	var err error
	if len(o.held) >= mostHeld {
		for _, h := range o.held {
			if h.users == 0 {
				err = o.drop(h)
				break
			}
		}
	}
	if err != nil {
		return nil, errors.Join(err, obj.Close())
	}
	if o.held[s] != nil || len(o.held) >= mostHeld {
		return obj, nil
	}
	if o.held == nil {
		o.held = map[site]*heldFile{}
	}
	h := &heldFile{Object: obj, at: s, users: 1}
	o.held[s] = h
	return &lease{heldFile: h, in: o}, nil
}

// drop gives a file up as soon as nobody uses it.
func (o *opened) drop(h *heldFile) error {
	delete(o.held, h.at)
	h.dropped = true
	if h.users > 0 {
		return nil
	}
	return h.Object.Close()
}

// lease is a held file in use.
type lease struct {
	*heldFile
	in   *opened
	once sync.Once
}

// Close ends the use.
func (l *lease) Close() (err error) {
	l.once.Do(func() {
		l.in.mu.Lock()
		defer l.in.mu.Unlock()
		if l.users--; l.dropped && l.users == 0 {
			err = l.heldFile.Object.Close()
		}
	})
	return err
}

// Tag is that of the file.
func (l *lease) Tag() string { return store.Tag(l.heldFile.Object) }

// Near says what the file is.
func (l *lease) Near() bool { return store.IsNear(l.heldFile.Object) }
