// Package reach says what the nodes of a store may reach beyond it: files that
// their chunks are parts of, and other hierarchies that they refer to. What a
// hierarchy says is hostile, so that nothing is opened but what lies below the
// folder around it, or where the user allows.
package reach

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"github.com/omnizarr/zarr/locate"
	"github.com/omnizarr/zarr/store"
)

// ErrNotAllowed says that a node refers to what it may not reach.
var ErrNotAllowed = errors.New("not allowed")

// Options are what the user says.
type Options struct {
	// Allow are paths and URLs: all at and below them may be reached.
	Allow []string
	// Locate says how URLs become stores.
	Locate locate.Options
}

// Reach is what the nodes of a store may reach. All nodes that were opened together
// share one. Its methods may be called by several goroutines.
type Reach struct {
	store store.Store
	opt   Options

	allowed func() []site // that Options.Allow names
	opened  opened

	looking sync.Mutex
	looked  bool
	at      site // of the store; one without a scheme lies nowhere
	home    site // the folder below which everything may be reached
	// given is the home of the hierarchy that referred to this one: what that may
	// not reach, this may not either.
	given *site
}

// Around lets the nodes of a store reach what lies in the folder around their
// hierarchy.
func Around(s store.Store, opt Options) *Reach {
	r := &Reach{store: s, opt: opt}
	r.allowed = sync.OnceValue(func() (out []site) {
		for _, name := range opt.Allow {
			out = append(out, placesOf(name)...)
		}
		return out
	})
	r.opened.openStore = r.openStore
	return r
}

// Folder lets a value in a folder of a store reach what lies in that folder.
func Folder(s store.Store, folder string, opt Options) *Files {
	r := Around(s, opt)
	r.looked = true
	if at, ok := placeOf(s); ok {
		r.at, r.home = at, at
		r.home.path = path.Join(at.path, folder)
	}
	return &Files{r, folder}
}

// Close gives up what was opened; it is opened again when it is needed.
func (r *Reach) Close() error { return r.opened.Close() }

// placeOf is where a store lies, if others can refer to it.
func placeOf(s store.Store) (site, bool) {
	// A bucket goes by the name that references have for it, others by what they are.
	at, err := siteOf(s.URL())
	if err != nil || at.scheme == "file" || at.scheme == "http" || at.scheme == "https" {
		at, err = siteOf(strings.TrimSuffix(store.Identity(s, ""), "/"))
	}
	if err != nil || at.scheme == "mem" {
		return site{}, false
	}
	at.query = ""
	return at, true
}

// Place names where the store lies, "" if nowhere that others can refer to.
func (r *Reach) Place(ctx context.Context) string {
	at, _ := r.look(ctx)
	if at.scheme == "" {
		return ""
	}
	return at.String()
}

// maxFolders is how many folders up the top of a hierarchy is looked for.
const maxFolders = 64

// look goes up from the store as long as there are groups. It asks for nothing
// but documents of the folders above.
func (r *Reach) look(ctx context.Context) (at, home site) {
	r.looking.Lock()
	defer r.looking.Unlock()
	if r.looked {
		return r.at, r.home
	}
	at, ok := placeOf(r.store)
	if !ok {
		r.looked = true
		return r.at, r.home
	}
	if at.scheme == "file" {
		if real, err := filepath.EvalSymlinks(at.local()); err == nil {
			at, _ = siteOfPath(real)
		}
	}
	top := at
	for i := 0; i < maxFolders && top.path != "/" && r.hasDocument(ctx, top.up()); i++ {
		top = top.up()
	}
	r.at, r.home, r.looked = at, top.up(), ctx.Err() == nil
	if r.given != nil {
		r.home = *r.given
	}
	return r.at, r.home
}

// documentName is that of the document that makes a folder a part of a hierarchy.
const documentName = "zarr.json"

func (r *Reach) hasDocument(ctx context.Context, folder site) bool {
	if folder.scheme == "file" {
		_, err := os.Stat(filepath.Join(folder.local(), documentName))
		return err == nil
	}
	s, err := r.opened.folder(ctx, folder)
	if err != nil {
		return false
	}
	_, _, err = s.Get(ctx, documentName, store.Part(0, 1), nil)
	return err == nil
}

// refer gives the site that a reference means in a folder of the store, and the
// folder below which it may lie.
func (r *Reach) refer(ctx context.Context, folder, ref string) (s, home site, err error) {
	at, home := r.look(ctx)
	if at.scheme != "" {
		at.path = path.Join(at.path, folder)
	}
	s, err = at.refer(ref)
	return s, home, err
}

// permit finds the root below which s may be opened. ask is what there would have
// to be leave for.
func (r *Reach) permit(s, home, ask site) (site, error) {
	if home.scheme != "" {
		if _, ok := s.below(home); ok {
			return home, nil
		}
	}
	if root, ok := r.allows(s); ok {
		return root, nil
	}
	if home.scheme == "" {
		return site{}, fmt.Errorf("%w: needs leave to read %s (--allow %s)", ErrNotAllowed, s, ask)
	}
	return site{}, fmt.Errorf("%w: %s is not below %s, and needs leave (--allow %s)", ErrNotAllowed, s, home, ask)
}

// allows finds the place that a site is below among those that the user named.
func (r *Reach) allows(s site) (site, bool) {
	for _, root := range r.allowed() {
		if _, ok := s.below(root); ok {
			return root, true
		}
	}
	return site{}, false
}

// follow lets servers send elsewhere only where nodes may refer to anyway.
func (r *Reach) follow(root site, to *url.URL) error {
	s, err := siteOf(to.String())
	if err != nil {
		return err
	}
	if _, ok := s.below(root); ok {
		return nil
	}
	if _, ok := r.allows(s); ok {
		return nil
	}
	return fmt.Errorf("%w: it leads to %s, which needs leave (--allow %s)", ErrNotAllowed, s, s)
}
