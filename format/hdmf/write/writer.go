package write

import (
	"context"
	"errors"
	"sync"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/internal/locks"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/journal"
)

// writer is what all editors of a file in this process have in common.
type writer struct {
	*target
	id   string // the identity of the file
	file *hdmf.File

	mu    sync.Mutex // held while a file is changed or committed
	users int        // editors that are open, guarded by opening
	err   error      // why nothing can be committed any more
	sync  bool       // somebody wants commits to survive a loss of power
	// before are called at the beginning of a commit, for what is not in the store
	// yet.
	before []func(ctx context.Context) error
	// old are keys of chunks that nothing refers to after the commit, by array, leaving
	// those of a commit that is pending, and gone those to which nothing has referred
	// since one: who has opened the file before may still read them, so that they stay
	// until the file is given up.
	old, leaving, gone map[string][]string
	taken              map[string]bool  // datasets that somebody records into
	pending            *journal.Journal // a commit that is decided, and not yet made wholly
	moved              bool             // chunks have got other names since the last commit
	lags               bool             // of pending only the first change is made, on purpose
	listing            *listing         // the consolidated metadata, as it was committed last
}

// The writers of this process, by the identity of their file.
var (
	opening locks.Table // by identity: while an editor is opened or closed
	writers sync.Map    // to *writer
)

// share gives the writer of a file, which is opened by t if there is none yet.
func share(ctx context.Context, t *target) (*writer, error) {
	id := store.Identity(t.where.Store, t.where.Path)
	lock, err := opening.Lock(ctx, id)
	if err != nil {
		return nil, errors.Join(err, t.discard())
	}
	defer lock.Unlock()
	if known, ok := writers.Load(id); ok {
		w := known.(*writer)
		w.users++
		w.wants(t.opts)
		return w, t.discard()
	}
	w := &writer{target: t, id: id, users: 1, old: map[string][]string{}, gone: map[string][]string{}, taken: map[string]bool{}}
	w.wants(t.opts)
	if err := w.open(ctx); err != nil {
		return nil, errors.Join(err, t.discard())
	}
	writers.Store(id, w)
	return w, nil
}

// wants lets an editor's options count.
func (w *writer) wants(o Options) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if o.Sync && !w.sync {
		w.sync = true
		w.held.Track()
	}
}

// leave is for an editor that is closed. The last one gives the file up.
func (w *writer) leave() error {
	lock, err := opening.Lock(context.Background(), w.id)
	if err != nil {
		return err
	}
	defer lock.Unlock()
	if w.users--; w.users > 0 {
		return nil
	}
	writers.Delete(w.id)
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, keys := range w.gone {
		for _, key := range keys {
			_ = w.held.Base().Delete(context.Background(), key) // what stays is cleared when its name is needed
		}
	}
	w.file.Close() // those that were looked into for references
	var late error
	if w.lags {
		late = w.failed("/", w.complete(context.Background()))
	}
	if w.err != nil || w.pending != nil {
		return errors.Join(late, w.discard())
	}
	return w.close()
}

// open makes this process the one that writes the file, completes a commit that was
// interrupted, and opens the file.
func (w *writer) open(ctx context.Context) error {
	if err := w.lockFile(ctx); err != nil {
		return err
	}
	if _, err := journal.Finish(ctx, w.held.Base()); err != nil {
		return err
	}
	w.place = w.refer
	err := w.openRoot(ctx)
	if w.layout = hdmf.V3; err == nil && w.file.Layout() == hdmf.V2 {
		w.layout = hdmf.V2
		err = w.openRoot(ctx) // with what its layout needs
	}
	if err == nil && w.layout == hdmf.V2 {
		// What is read now must still be there when it is replaced.
		if _, _, err = w.held.Get(ctx, ".zmetadata", store.UpTo(meta.MaxBytes), nil); errors.Is(err, store.ErrNotExist) {
			err = nil
		}
	}
	return err
}

// openRoot opens the root. Consolidated metadata may be older than the nodes
// themselves.
func (w *writer) openRoot(ctx context.Context) error {
	n, err := zarr.OpenStore(ctx, w.held, "", append(w.engine(), zarr.BypassConsolidated())...)
	if err != nil {
		return err
	}
	var ok bool
	if w.root, ok = n.(*zarr.Group); !ok {
		return &zarr.Error{Op: "edit", URL: n.URL(), Err: errors.New("is an array, not a file")}
	}
	w.file = hdmf.Of(ctx, w.root)
	return nil
}

// refer fills in the ids that a reference lacks.
func (w *writer) refer(ctx context.Context, r hdmf.Reference) (hdmf.Reference, error) {
	if r.Source == "" {
		r.Source = "."
	}
	if w.layout == hdmf.V3 || r.ObjectID != "" && r.SourceObjectID != "" {
		return r, nil
	}
	return fillIDs(ctx, w.file, r), ctx.Err()
}

// fail remembers that the changes so far may be halves of something.
func (w *writer) fail(at string, err error) error {
	if err = w.failed(at, err); err != nil && w.err == nil {
		w.err = err
	}
	return err
}
