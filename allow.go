package zarr

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"

	"github.com/omnizarr/zarr/format"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/refs"
)

// Allow lets nodes refer to files at and below places, which are paths or URLs.
// By default an array may only refer to files below the folder that its
// hierarchy lies in, or below that folder on the same server.
func Allow(places ...string) Option {
	return func(o *options) { o.allow = append(o.allow, places...) }
}

// ErrNotAllowed says that a node refers to a file that it may not, see Allow.
var ErrNotAllowed = errors.New("not allowed")

// site is where a file or folder lies.
type site struct {
	scheme, host string // "file" has no host
	path         string // absolute and clean, with slashes; every character stands for itself
	query        string
}

var hasScheme = regexp.MustCompile(`^([a-zA-Z][a-zA-Z0-9+.-]+)://`)

// siteOf reads a URL in which paths are escaped, as stores have it.
func siteOf(rawURL string) (site, error) {
	u, err := url.Parse(rawURL)
	if err != nil || u.Scheme == "" || u.Opaque != "" || !strings.HasPrefix(u.Path, "/") && u.Path != "" {
		return site{}, fmt.Errorf("%s is not a URL of files", rawURL)
	}
	s := site{scheme: strings.ToLower(u.Scheme), host: strings.ToLower(u.Host), path: path.Clean("/" + u.Path), query: u.RawQuery}
	if s.scheme == "file" {
		s.host, s.query = "", ""
	}
	return s, nil
}

// siteOfPath is a local file or folder.
func siteOfPath(name string) (site, error) {
	abs, err := filepath.Abs(name)
	if err != nil {
		return site{}, err
	}
	return site{scheme: "file", path: path.Clean("/" + filepath.ToSlash(abs))}, nil
}

// refer gives the site that a reference means in a folder. In "file://" and in
// paths every character stands for itself, as those who write manifests have it.
func (s site) refer(ref string) (site, error) {
	m := hasScheme.FindStringSubmatch(ref)
	switch {
	case strings.ContainsRune(ref, 0) || strings.Contains(ref, "::"):
		return site{}, fmt.Errorf("%q is not supported as the name of a file", ref)
	case m != nil && strings.EqualFold(m[1], "file"):
		name := ref[len(m[0]):]
		if !strings.HasPrefix(name, "/") {
			return site{}, fmt.Errorf("%q is not the URL of a local file", ref)
		}
		return site{scheme: "file", path: path.Clean(name)}, nil
	case m != nil:
		return siteOf(ref)
	case strings.HasPrefix(ref, "/") || filepath.IsAbs(ref):
		return siteOfPath(ref)
	case s.scheme == "":
		return site{}, fmt.Errorf("%q has no folder that it is relative to", ref)
	}
	s.path = path.Join(s.path, ref)
	return s, nil
}

// String is a path or a URL.
func (s site) String() string {
	if s.scheme == "file" {
		return s.local()
	}
	return s.url()
}

// local is the path of a local file as the system has it.
func (s site) local() string {
	p := s.path
	if runtime.GOOS == "windows" && len(p) > 2 && p[2] == ':' {
		p = p[1:]
	}
	return filepath.FromSlash(p)
}

// url is the URL without its query, which may be secret.
func (s site) url() string {
	return (&url.URL{Scheme: s.scheme, Host: s.host, Path: s.path}).String()
}

// up is the folder that s lies in.
func (s site) up() site {
	s.path, s.query = path.Dir(s.path), ""
	return s
}

// below gives the key of s in a store that starts at root, "" if s is root
// itself.
func (s site) below(root site) (key string, ok bool) {
	if s.scheme != root.scheme || s.host != root.host {
		return "", false
	}
	if s.path == root.path {
		return "", true
	}
	return strings.CutPrefix(s.path, strings.TrimSuffix(root.path, "/")+"/")
}

// surroundings are where a store lies, and what its nodes may refer to. All nodes
// that were opened together share them.
type surroundings struct {
	store store.Store
	roots

	looking sync.Mutex
	looked  bool
	at      site // of the store; one without a scheme lies nowhere
	home    site // the folder around the hierarchy
	// given is the home of the hierarchy that referred to this one: what that may
	// not open, this may not either.
	given *site
}

// maxFolders is how many folders up the top of a hierarchy is looked for.
const maxFolders = 64

// look goes up from the store as long as there are groups. It asks for nothing
// but documents of the folders above.
func (a *surroundings) look(ctx context.Context) (at, home site) {
	a.looking.Lock()
	defer a.looking.Unlock()
	if a.looked {
		return a.at, a.home
	}
	at, err := siteOf(strings.TrimSuffix(store.Identity(a.store, ""), "/"))
	if err != nil || at.scheme == "mem" {
		a.looked = true
		return a.at, a.home
	}
	at.query = ""
	if at.scheme == "file" {
		if real, err := filepath.EvalSymlinks(at.local()); err == nil {
			at, _ = siteOfPath(real)
		}
	}
	top := at
	for i := 0; i < maxFolders && top.path != "/" && a.hasDocument(ctx, top.up()); i++ {
		top = top.up()
	}
	a.at, a.home, a.looked = at, top.up(), ctx.Err() == nil
	if a.given != nil {
		a.home = *a.given
	}
	return a.at, a.home
}

func (a *surroundings) hasDocument(ctx context.Context, folder site) bool {
	if folder.scheme == "file" {
		_, err := os.Stat(filepath.Join(folder.local(), documentName))
		return err == nil
	}
	s, err := a.roots.folder(ctx, folder)
	if err != nil {
		return false
	}
	_, _, err = s.Get(ctx, documentName, store.Part(0, 1), nil)
	return err == nil
}

// files are those that the array in a folder of a store may refer to.
type files struct {
	*surroundings
	path string // of the array in the store
}

// refer gives the site of a reference, and the folder that it may lie in.
func (f *files) refer(ctx context.Context, ref string) (s, home site, err error) {
	at, home := f.look(ctx)
	if at.scheme != "" {
		at.path = path.Join(at.path, f.path)
	}
	s, err = at.refer(ref)
	return s, home, err
}

// Resolve gives the URL of a file, escaped.
func (f *files) Resolve(ctx context.Context, ref string) (string, error) {
	s, _, err := f.refer(ctx, ref)
	if err != nil {
		return "", err
	}
	return s.url(), nil
}

// Open opens a file that may be referred to.
func (f *files) Open(ctx context.Context, ref refs.Reference) (store.Object, error) {
	s, home, err := f.refer(ctx, ref.URL)
	if err != nil {
		return nil, err
	}
	root, err := f.permit(s, home, s.up())
	if err != nil {
		return nil, err
	}
	return f.open(ctx, root, s, ref.Length >= 0)
}

// files are those that a value in a folder of a store may refer to: what lies in
// that folder, and what was allowed.
func (o *options) files(s store.Store, folder string) format.Files {
	around := &surroundings{store: s, roots: roots{allow: o.allow, locate: o.locate}, looked: true}
	if at, err := siteOf(strings.TrimSuffix(store.Identity(s, ""), "/")); err == nil && at.scheme != "mem" {
		at.query = ""
		around.at, around.home = at, at
		around.home.path = path.Join(at.path, folder)
	}
	return &files{around, folder}
}
