// Package landing brings copies to their place, in one way for every format that is
// a folder of nodes.
//
// A copy never destroys: it is refused where it overlaps its source, where something
// else lies, and where a folder that is to be replaced holds what is no node's. It
// never looks finished before it is: the documents of all nodes are held back to the
// very end, that of the outermost comes last, and until then a mark says that the
// place is unfinished. It goes on after an interruption: the mark says which copy it
// is and which blocks are done. What is replaced stays until the new is complete,
// where the store can give folders other names. And a copy that is finished says so
// by a record, so that the same copy again has nothing to do.
package landing

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/std"
	"github.com/omnizarr/zarr/internal/partial"
	"github.com/omnizarr/zarr/locate"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/held"
	"github.com/omnizarr/zarr/store/zip"
)

// ErrNotEmpty says that the place of a copy holds something else.
var ErrNotEmpty = errors.New("there is something else already")

// Place is where a copy goes: a URL, or a path of a store.
type Place struct {
	URL   string
	Store store.Store
	Path  string
}

// String names the place for people.
func (p Place) String() string {
	if p.Store != nil {
		return store.JoinURL(p.Store.URL(), p.Path)
	}
	return p.URL
}

// Copy says what lands.
type Copy struct {
	Source zarr.Node
	// Request is what was asked for, as JSON has it: a copy that was asked for in
	// another way is another one. What the documents of the copy tell need not be in
	// it, nor what does not change its bytes.
	Request any
	// Overwrite lets the copy take the place of nodes that are there, with OwnOnly of
	// nothing but an earlier copy of the same source as it was made.
	Overwrite, OwnOnly bool
	// Shared says that other processes make the same copy, see Landing.Share. It replaces
	// nothing then.
	Shared bool
	// Open are options for the place: how its URL becomes a store.
	Open []zarr.Option
}

// Landing is a copy on its way to its place. Its nodes are made in Store; Start finds
// out what is in the place; then chunks may be put, and Finish makes it all appear.
type Landing struct {
	place Place
	copy  Copy

	where  locate.Location // what was opened, to be closed
	base   store.Store     // that the place lies in, nil as long as there is none
	top    string          // the URL that makes the base, if it is not there
	at     string          // the place in the base
	root   string          // where in the base the store begins that nodes see
	made   string          // where the copy is made: at, or beside it
	ground *ground
	held   *held.Store
	middle *middle // of arrays that the copy is made by way of; nil if nobody asked
	locked []func()

	team    *team // of which this process is one
	already bool
	resumed bool
	begun   bool // by this run, where nothing was

	mu    sync.Mutex // guards what follows
	files []string   // that are no part of a node
	mark  mark
	saved time.Time
	put   sync.Mutex // held while the mark is stored
}

// documents are the names of documents in any format. Those that make a node come
// last.
var documents = sync.OnceValues(func() (all, nodes []string) {
	for _, f := range std.Registry().All() {
		if f.Folder != nil {
			nodes = append(nodes, f.Folder.Documents.Nodes...)
			all = append(all, f.Folder.Documents.Others...)
		}
	}
	all = slices.DeleteFunc(all, func(name string) bool { return slices.Contains(nodes, name) })
	return append(all, nodes...), nodes
})

func isDocument(key string) bool {
	all, _ := documents()
	return slices.Contains(all, path.Base(key))
}

// Begin finds the place of a copy. Nothing is made there yet. Finish or Abandon must
// be called in the end.
func Begin(ctx context.Context, to Place, c Copy) (*Landing, error) {
	if err := Apart(c.Source, to); err != nil {
		return nil, err
	}
	l := &Landing{place: to, copy: c}
	if err := l.find(ctx); err != nil {
		return nil, err
	}
	l.ground = &ground{url: l.rootURL(), base: l.base, root: l.root, at: l.at, made: l.at}
	all, _ := documents()
	l.held = held.New(l.ground, isDocument, all)
	l.ground.node = func(folder string) bool {
		return slices.ContainsFunc(all, func(name string) bool { return l.held.Holds(path.Join(folder, name)) })
	}
	l.held.Adds(l.Path())
	return l, nil
}

// find opens the store that the place lies in.
func (l *Landing) find(ctx context.Context) (err error) {
	to := l.place
	if to.Store != nil {
		l.base, l.at = to.Store, strings.Trim(to.Path, "/")
		return nil
	}
	if folder, top, ok := locate.Folder(to.URL, std.Registry()); ok {
		l.top, l.at = splitFolder(folder, top)
		if folder == top {
			l.root = l.at
		}
		if locate.Unfinished(l.top, std.Registry()) {
			return l.fail(fmt.Errorf("inside of %s: %w", l.top, store.ErrUnfinished))
		}
		if above, ok := locate.NodeAbove(to.URL, std.Registry()); ok && isArray(ctx, above) {
			return l.fail(fmt.Errorf("%s %w", above, zarr.ErrNotGroup))
		}
		l.where, err = zarr.Find(ctx, l.top, l.copy.Open...)
		if errors.Is(err, zarr.ErrNoNode) {
			return nil // it is made when the copy starts
		}
		if err == nil {
			l.opened()
		}
		return err
	}
	if l.copy.Shared && IsFile(to.URL) {
		return &zarr.Error{Op: "copy to", URL: to.URL, Err: errAlone}
	}
	if err := l.archiveFree(ctx); err != nil {
		return err
	}
	if l.where, err = zarr.Make(ctx, to.URL, l.copy.Overwrite, l.copy.Open...); err == nil {
		l.base, l.at = l.where.Store, l.where.Path
	}
	return err
}

// isArray reports whether a folder is that of an array, in which no other node has room.
func isArray(ctx context.Context, folder string) bool {
	a, err := zarr.OpenArray(ctx, folder, zarr.ReadOnly(), zarr.Explicit())
	if err != nil {
		return false
	}
	a.Close()
	return true
}

// archiveFree makes sure that an archive which is to be made anew holds nothing but
// what may be replaced. One that cannot be read may be.
func (l *Landing) archiveFree(ctx context.Context) error {
	if !l.copy.Overwrite {
		return nil
	}
	where, err := zarr.Find(ctx, l.place.URL, l.copy.Open...)
	if err != nil {
		// Nothing, an archive that cannot be read, or what is none.
		if file := l.archive(); file != "" {
			if err := FileFree(file, "zip archive", "PK\x03\x04", "PK\x05\x06"); err != nil {
				return &zarr.Error{Op: "copy to", URL: l.place.URL, Err: err}
			}
		}
		return nil
	}
	defer where.Discard() // nothing was put
	if where.Path != "" {
		return nil // what else is in the archive stays
	}
	was := &Landing{place: l.place, copy: l.copy, base: where.Store}
	f, err := was.look(ctx, "")
	if err == nil && f.some {
		err = was.replaceable(ctx, f)
	}
	return was.fail(err)
}

// archive is the path of the file on this machine that the place is or lies in, "" if there
// is none.
func (l *Landing) archive() string {
	for file, up := filePath(locate.Identity(l.place.URL)), ""; file != up; up, file = file, filepath.Dir(file) {
		if info, err := os.Stat(file); err == nil && !info.IsDir() {
			return file
		}
	}
	return ""
}

// otherFile is the path of a file that is no archive, such as one of HDF5, if the place is or
// lies in one.
func (l *Landing) otherFile() string {
	if l.place.Store != nil {
		return ""
	}
	if _, packed := store.As[*zip.Store](l.base); packed {
		return ""
	}
	return l.archive()
}

// opened takes the store that was opened. A folder inside of another hierarchy may
// have been opened at the top of that.
func (l *Landing) opened() {
	l.base = l.where.Store
	if l.root != "" {
		l.root = path.Join(l.where.Path, l.root)
	}
	l.at = path.Join(l.where.Path, l.at)
}

// Store takes the nodes of the copy, and shows them as if they were in their place.
func (l *Landing) Store() store.Store { return l.held }

// Path is where the copy lies in Store.
func (l *Landing) Path() string { return strings.Trim(strings.TrimPrefix(l.at, l.root), "/") }

// URL names the place for people.
func (l *Landing) URL() string { return store.JoinURL(l.rootURL(), l.Path()) }

func (l *Landing) rootURL() string {
	switch {
	case l.base != nil:
		return store.JoinURL(l.base.URL(), l.root)
	default:
		return store.JoinURL(store.PathURL(l.top), l.root)
	}
}

// Already reports whether the place holds this copy, complete: nothing is to be done
// and nothing may be put. It is known after Start.
func (l *Landing) Already() bool { return l.already }

// Resumed reports whether the copy was begun before. It is known after Start.
func (l *Landing) Resumed() bool { return l.resumed }

// Keep says that a value of Store is part of no node, and the copy's own all the same:
// the copy may be replaced with it.
func (l *Landing) Keep(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.files = append(l.files, key)
}

// sizes are those of the values that are part of no node, by their keys below the
// place.
func (l *Landing) sizes(ctx context.Context) (map[string]int64, error) {
	sizes := map[string]int64{}
	for _, key := range l.files {
		_, info, err := l.held.Get(ctx, key, store.Part(0, 0), nil)
		if err != nil {
			return nil, err
		}
		sizes[strings.TrimPrefix(key[len(l.Path()):], "/")] = info.Size
	}
	return sizes, nil
}

// fail names the place.
func (l *Landing) fail(err error) error {
	var known *zarr.Error
	if err == nil || errors.As(err, &known) {
		return err
	}
	return &zarr.Error{Op: "copy to", URL: l.URL(), Err: err}
}

// Start finds out what is in the place, now that the documents of the copy are made:
// nothing, the same copy, begun or complete, or something else, which is an error
// unless it may be replaced.
func (l *Landing) Start(ctx context.Context) error {
	err := l.start(ctx)
	if err == nil && !l.already {
		l.ground.start(l.base, l.made)
		if l.middle != nil {
			l.middle.ground.start(l.base, l.between())
		}
	}
	return l.fail(err)
}

// Finish makes the copy appear, and gives up the place.
func (l *Landing) Finish(ctx context.Context) error {
	tell := ConsolidateAbove
	if l.already {
		// Nothing was put, but an archive that was complete may not be in its place yet,
		// and groups above the place may not know of the copy.
		tell = mendAbove
		if file := l.archive(); file != "" && l.place.Store == nil {
			if err := partial.Discard(file); err != nil && !errors.Is(err, partial.ErrBusy) {
				return l.Abandon(l.fail(err))
			}
		}
	} else if err := l.finish(ctx); err != nil {
		return l.Abandon(l.fail(err))
	}
	stale := tell(ctx, l.base, l.at, l.copy.Open...)
	if err := l.end(l.where.Close, nil); err != nil {
		return l.fail(err)
	}
	if stale != nil {
		stale = fmt.Errorf("the copy is complete, but the consolidated metadata above it is not: %w; repair makes it anew", stale)
	}
	return l.fail(stale)
}

// Abandon gives up the place after an error, and gives the error. What was written
// stays for the next one.
func (l *Landing) Abandon(err error) error {
	if l.ground.started() && l.team == nil {
		// As much as possible is remembered, also when the context is what ended.
		_ = l.save(context.Background())
	}
	return l.end(l.where.Leave, err)
}

// Withdraw is Abandon for a copy that was started, and of which nothing was put: if it
// was not begun before, nothing of it stays.
func (l *Landing) Withdraw(err error) error {
	if l.ground.started() && l.begun && l.team == nil {
		if also := l.base.Delete(context.Background(), path.Join(l.made, zarr.Unfinished)); also == nil {
			return l.end(l.where.Leave, err)
		}
	}
	return l.Abandon(err)
}

// end gives up locks and the store, if it was opened here.
func (l *Landing) end(closing func() error, err error) error {
	for _, unlock := range l.locked {
		unlock()
	}
	l.locked = nil
	if l.place.Store != nil || l.where.Store == nil {
		return err
	}
	if also := closing(); err == nil {
		err = also
	}
	return err
}

// finish stores what was held back.
func (l *Landing) finish(ctx context.Context) error {
	if l.team != nil {
		if err := l.sweep(ctx); err != nil {
			return err
		}
	}
	wrote, err := listing(ctx, l.held, l.Path(), false)
	if err != nil {
		return err
	}
	var above, own []string
	for _, key := range l.held.Changes() {
		if l.ground.inside(key) {
			own = append(own, key)
		} else {
			above = append(above, key)
		}
	}
	if err := l.held.Flush(ctx, above); err != nil {
		return err
	}
	done := l.mark.record(wrote)
	if done.Files, err = l.sizes(ctx); err != nil {
		return err
	}
	if err := l.putJSON(ctx, l.made, zarr.Copied, done); err != nil {
		return err
	}
	_, nodes := documents()
	if len(own) == 0 || !slices.Contains(nodes, path.Base(own[len(own)-1])) || path.Dir(own[len(own)-1]) != path.Clean(l.Path()) {
		return fmt.Errorf("a copy without a document of its root: %q", own)
	}
	if err := l.held.Flush(ctx, own); err != nil {
		return err
	}
	return l.appear(ctx)
}
