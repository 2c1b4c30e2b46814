package zarr

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path"
	"path/filepath"
	"sync"

	"github.com/omnizarr/zarr/locate"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/file"
	"github.com/omnizarr/zarr/store/web"
)

// roots are the places that nodes may refer to because somebody said so, and the
// stores that were opened to read what they refer to.
type roots struct {
	allow  []string
	locate locate.Options

	read   sync.Once
	places []site // that allow names

	mu      sync.Mutex
	stores  map[site]store.Store
	closers []io.Closer // of stores
	held    map[site]*heldFile
}

// Close gives up the stores; they are opened again when they are needed.
func (r *roots) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var err error
	for _, h := range r.held {
		err = errors.Join(err, r.drop(h))
	}
	for _, c := range r.closers {
		err = errors.Join(err, c.Close())
	}
	r.stores, r.closers = nil, nil
	return err
}

// allowed finds the place that a site is below among those that were named.
func (r *roots) allowed(s site) (site, bool) {
	r.read.Do(func() {
		for _, name := range r.allow {
			r.places = append(r.places, placesOf(name)...)
		}
	})
	for _, root := range r.places {
		if _, ok := s.below(root); ok {
			return root, true
		}
	}
	return site{}, false
}

// placesOf gives the places that a path or URL names: a path that leads through
// symbolic links as it is and without them.
func placesOf(name string) (out []site) {
	add := func(s site, err error) {
		if err == nil {
			out = append(out, s)
		}
	}
	if hasScheme.MatchString(name) {
		add(siteOf(name))
		return out
	}
	add(siteOfPath(name))
	if real, err := filepath.EvalSymlinks(name); err == nil {
		add(siteOfPath(real))
	}
	return out
}

// open opens a file below a root, which is held for the next part of it if this
// is one.
func (r *roots) open(ctx context.Context, root, s site, part bool) (store.Object, error) {
	if s.scheme != "file" || !part {
		return r.object(ctx, root, s)
	}
	if h := r.take(s); h != nil {
		return h, nil
	}
	obj, err := r.object(ctx, root, s)
	if err != nil {
		return nil, err
	}
	return r.hold(s, obj)
}

// object opens a file below a root. Symbolic links do not lead out of it.
func (r *roots) object(ctx context.Context, root, s site) (store.Object, error) {
	key, _ := s.below(root)
	if key == "" || s.scheme == "http" || s.scheme == "https" {
		root, key = s.up(), path.Base(s.path)
		root.query = s.query
	}
	at, err := r.folder(ctx, root)
	if err != nil {
		return nil, err
	}
	return store.Open(ctx, at, key)
}

// folder opens the store that starts at root.
func (r *roots) folder(ctx context.Context, root site) (store.Store, error) {
	if root.scheme == "http" || root.scheme == "https" {
		u := url.URL{Scheme: root.scheme, Host: root.host, Path: root.path, RawQuery: root.query}
		opt := r.locate.HTTP
		opt.Follow = func(to *url.URL) error { return r.follow(root, to) }
		return web.Open(u.String(), opt)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if s, ok := r.stores[root]; ok {
		return s, nil
	}
	s, closer, err := r.find(ctx, root)
	if err != nil {
		return nil, err
	}
	if r.stores == nil {
		r.stores = map[site]store.Store{}
	}
	r.stores[root] = s
	if closer != nil {
		r.closers = append(r.closers, closer)
	}
	return s, nil
}

// follow lets servers send elsewhere only where nodes may refer to anyway.
func (r *roots) follow(root site, to *url.URL) error {
	s, err := siteOf(to.String())
	if err != nil {
		return err
	}
	if _, ok := s.below(root); ok {
		return nil
	}
	if _, ok := r.allowed(s); ok {
		return nil
	}
	return fmt.Errorf("%w: it leads to %s, which needs leave (--allow %s)", ErrNotAllowed, s, s)
}

func (r *roots) find(ctx context.Context, root site) (store.Store, io.Closer, error) {
	if root.scheme == "file" {
		s, err := file.Open(root.local(), file.Options{})
		return s, s, err
	}
	opener, ok := r.locate.Schemes[root.scheme]
	if !ok {
		return nil, nil, fmt.Errorf("no store is registered for scheme %q", root.scheme)
	}
	l, err := opener(ctx, root.url(), locate.Options{ReadOnly: true, HTTP: r.locate.HTTP, Schemes: r.locate.Schemes})
	if err != nil {
		return nil, nil, err
	}
	s, err := store.Sub(l.Store, l.Path)
	return s, l, err
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
func (r *roots) take(s site) store.Object {
	r.mu.Lock()
	defer r.mu.Unlock()
	h := r.held[s]
	if h == nil {
		return nil
	}
	h.users++
	return &lease{heldFile: h, r: r}
}

// hold keeps a file for others. One that nobody uses makes room for it.
func (r *roots) hold(s site, obj store.Object) (store.Object, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var err error
	if len(r.held) >= mostHeld {
		for _, h := range r.held {
			if h.users == 0 {
				err = r.drop(h)
				break
			}
		}
	}
	if err != nil {
		return nil, errors.Join(err, obj.Close())
	}
	if r.held[s] != nil || len(r.held) >= mostHeld {
		return obj, nil
	}
	if r.held == nil {
		r.held = map[site]*heldFile{}
	}
	h := &heldFile{Object: obj, at: s, users: 1}
	r.held[s] = h
	return &lease{heldFile: h, r: r}, nil
}

// drop gives a file up as soon as nobody uses it.
func (r *roots) drop(h *heldFile) error {
	delete(r.held, h.at)
	h.dropped = true
	if h.users > 0 {
		return nil
	}
	return h.Object.Close()
}

// lease is a held file in use.
type lease struct {
	*heldFile
	r    *roots
	once sync.Once
}

// Close ends the use.
func (l *lease) Close() (err error) {
	l.once.Do(func() {
		l.r.mu.Lock()
		defer l.r.mu.Unlock()
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
