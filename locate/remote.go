package locate

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/web"
)

// registered are the schemes of packages that were imported for them.
var registered struct {
	sync.Mutex
	schemes  Schemes
	identify map[string]func(url string) string
}

// Register adds a scheme to those that Builtin gives. It is for the init of a package
// that a program imports to have the scheme, as it does with formats of images. A
// scheme that there is already is a panic.
func Register(scheme string, o Opener) {
	if _, ok := Builtin()[scheme]; ok {
		panic("locate: scheme " + scheme + " is registered twice")
	}
	registered.Lock()
	defer registered.Unlock()
	if registered.schemes == nil {
		registered.schemes = Schemes{}
	}
	registered.schemes[scheme] = o
}

// RegisterIdentity says how the identity of what a URL of a scheme names is found, where
// it is not the URL itself: a bucket may be named by the URL or by the environment. It
// must be what the store's own Identity is, and ask no server.
func RegisterIdentity(scheme string, identify func(url string) string) {
	registered.Lock()
	defer registered.Unlock()
	if registered.identify == nil {
		registered.identify = make(map[string]func(string) string)
	}
	registered.identify[scheme] = identify
}

// openWeb opens a URL of a web server.
func openWeb(ctx context.Context, rawURL string, opt Options) (Location, error) {
	return Remote(ctx, rawURL, opt, func(_ context.Context, base string) (store.Store, error) {
		http := opt.HTTP
		http.Remote = opt.Remote
		return web.Open(base, http)
	})
}

// Remote opens what a URL of a store of keys names, such as one on a web server or in
// a bucket, where nothing but names tells files from folders: what ends in ".zip" is
// an archive, what is called as files of a format are is a file, and what follows lies
// inside it. open opens the store at a URL, which has the query of rawURL.
func Remote(ctx context.Context, rawURL string, opt Options, open func(ctx context.Context, base string) (store.Store, error)) (Location, error) {
	r, err := newRemote(rawURL, open)
	if err != nil {
		return Location{}, err
	}
	at := slices.IndexFunc(r.names, isArchive)
	asFile := opt.AsFile
	switch {
	case asFile:
		at = len(r.names) - 1
	case at < 0 && opt.AllowFile && !opt.AsFolder && !opt.Create:
		at = slices.IndexFunc(r.names, func(name string) bool { return opt.formats().FileNamed(name) != nil })
		asFile = at >= 0
	}
	if at < 0 {
		return r.folder(ctx, opt)
	}
	if !asFile && opt.Create {
		return Location{}, failed(rawURL, "archives are written to files on this machine alone")
	}
	parent, key, inner, err := r.split(ctx, at)
	if err != nil {
		return Location{}, err
	}
	around := Location{Store: parent, Path: key, File: true, Inner: inner}
	if asFile {
		return around, nil
	}
	l, err := openArchive(ctx, parent, key, inner)
	if err == nil {
		l.closer = closers{l, around}
		return l, nil
	}
	if errors.Is(err, store.ErrNotExist) {
		// A hierarchy may be called so, such as an archive that somebody serves as Zarr.
		if found, folderErr := r.folder(ctx, opt); folderErr == nil {
			return found, around.Close()
		}
	}
	return Location{}, discarding(around, err)
}

// remote is a URL of a store of keys, taken apart.
type remote struct {
	raw   string
	url   url.URL
	names []string // of its path, escaped
	open  func(ctx context.Context, base string) (store.Store, error)
}

func newRemote(rawURL string, open func(ctx context.Context, base string) (store.Store, error)) (*remote, error) {
	u, err := url.Parse(rawURL)
	if err != nil {
		return nil, failed(rawURL, "not a URL")
	}
	return &remote{raw: rawURL, url: *u, names: strings.Split(strings.Trim(u.EscapedPath(), "/"), "/"), open: open}, nil
}

// at opens the store at the first n names.
func (r *remote) at(ctx context.Context, n int) (store.Store, error) {
	base := r.url
	base.Path, base.RawPath = "/", ""
	return r.open(ctx, base.JoinPath(r.names[:n]...).String())
}

// inner is the path that begins with the name at n.
func (r *remote) inner(n int) (string, error) {
	path, err := url.PathUnescape(strings.Join(r.names[n:], "/"))
	if err != nil {
		return "", failed(r.raw, "not a URL")
	}
	return nodePath(r.raw, path)
}

// split opens the store that holds the value whose name is at n.
func (r *remote) split(ctx context.Context, n int) (parent store.Store, key, inner string, err error) {
	if key, err = url.PathUnescape(r.names[n]); err != nil || store.CheckKey(key) != nil {
		return nil, "", "", failed(r.raw, "not a URL")
	}
	if inner, err = r.inner(n + 1); err == nil {
		parent, err = r.at(ctx, n)
	}
	return parent, key, inner, err
}

// folder opens the URL itself, or the hierarchy that it leads into.
func (r *remote) folder(ctx context.Context, opt Options) (Location, error) {
	inner := ""
	var s store.Store
	var err error
	if at := opt.formats().Top(r.names); at >= 0 && at < len(r.names)-1 {
		if inner, err = r.inner(at + 1); err == nil {
			s, err = r.at(ctx, at+1)
		}
	} else {
		s, err = r.open(ctx, r.raw)
	}
	if err != nil {
		return Location{}, err
	}
	return Location{Store: s, Path: inner}, nil
}
