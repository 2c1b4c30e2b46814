package reach

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"

	"github.com/omnizarr/zarr/locate"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/file"
	"github.com/omnizarr/zarr/store/refs"
	"github.com/omnizarr/zarr/store/web"
)

// Files are those that a folder of a store may refer to.
type Files struct {
	reach  *Reach
	folder string
}

// Resolve gives the URL of a file, escaped.
func (f *Files) Resolve(ctx context.Context, ref string) (string, error) {
	s, _, err := f.reach.refer(ctx, f.folder, ref)
	if err != nil {
		return "", err
	}
	return s.url(), nil
}

// Open opens a file that may be referred to.
func (f *Files) Open(ctx context.Context, ref refs.Reference) (store.Object, error) {
	s, home, err := f.reach.refer(ctx, f.folder, ref.URL)
	if err != nil {
		return nil, err
	}
	root, err := f.reach.permit(s, home, s.up())
	if err != nil {
		return nil, err
	}
	return f.reach.opened.open(ctx, root, s, ref.Length >= 0)
}

// Close gives up what was opened.
func (f *Files) Close() error { return f.reach.Close() }

// openStore opens the store that starts at root. One on a web server holds nothing, and
// need not be kept.
func (r *Reach) openStore(ctx context.Context, root site) (s store.Store, closer io.Closer, keep bool, err error) {
	switch root.scheme {
	case "http", "https":
		u := url.URL{Scheme: root.scheme, Host: root.host, Path: root.path, RawQuery: root.query}
		opt := r.opt.Locate.HTTP
		opt.Remote = r.opt.Locate.Remote
		opt.Follow = func(to *url.URL) error { return r.follow(root, to) }
		s, err := web.Open(u.String(), opt)
		return s, nil, false, err
	case "file":
		s, err := file.Open(root.local(), file.Options{})
		return s, s, true, err
	}
	schemes := r.opt.Locate.Schemes
	if schemes == nil {
		schemes = locate.Builtin()
	}
	opener, ok := schemes[root.scheme]
	if !ok {
		return nil, nil, false, fmt.Errorf("%w %q", locate.ErrScheme, root.scheme)
	}
	given := r.opt.Locate
	l, err := opener(ctx, root.url(), locate.Options{ReadOnly: true, AsFolder: true, HTTP: given.HTTP, Remote: given.Remote, Schemes: given.Schemes, Formats: given.Formats})
	if err != nil {
		return nil, nil, false, err
	}
	if s, err = store.Sub(l.Store, l.Path); err != nil {
		return nil, nil, false, errors.Join(err, l.Close())
	}
	return s, l, true, nil
}
