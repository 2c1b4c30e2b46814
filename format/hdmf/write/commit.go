package write

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/journal"
)

// Commit makes all changes count that editors of the file in this process have made
// so far: all of them or none, whatever happens. Readers of consolidated metadata,
// such as pynwb, see the file as it was before or as it is after; so do readers of
// package hdmf. Files that have no consolidated metadata get it, unless Options.Plain
// says no: of a plain file, other programs may see some nodes before and some after
// while a commit is under way, or after it was interrupted until the file is edited
// again.
//
// When Commit returns, the changes are there for all readers, and survive the end of
// this process, but not a loss of power. With Options.Sync they do: all that was
// stored is flushed to the disk before it counts. What was not committed is gone
// after either. An archive is the exception, see Editor.Archive.
//
// A commit is decided at once, when one value is stored that says all that it
// changes. ErrStale says that this is done but not all that follows: another Commit,
// Edit, or omnizarr repair makes up for it. Another error says that nothing was
// committed. It is store.ErrPrecondition if another program has changed a document
// that would be replaced.
//
// With Options.Lagging the documents of nodes that were there follow later.
func (e *Editor) Commit(ctx context.Context) error {
	defer e.lock()()
	if e.closed {
		return errClosed
	}
	if e.err != nil {
		return fmt.Errorf("nothing was committed, since there was an error before: %w", e.err)
	}
	if !e.lags {
		if err := e.complete(ctx); err != nil {
			return e.failed("/", err)
		}
	}
	for _, f := range e.before {
		if err := f(ctx); err != nil {
			return e.fail("/", err)
		}
	}
	if len(e.touched) == 0 && len(e.held.Changes()) == 0 {
		return nil
	}
	j, err := e.gather(ctx)
	if errors.Is(err, store.ErrPrecondition) {
		return e.fail("/", err)
	}
	lag := err == nil && e.mayLag(j)
	if err == nil {
		err = e.decide(ctx, j)
	}
	switch {
	case err != nil:
	case lag:
		err = e.show(ctx)
	default:
		err = e.complete(ctx)
	}
	return e.failed("/", err)
}

// Settle stores the documents of nodes that lag behind commits; see Options.Lagging.
func (e *Editor) Settle(ctx context.Context) error {
	defer e.lock()()
	if e.closed {
		return errClosed
	}
	return e.failed("/", e.complete(ctx))
}

// mayLag reports whether a commit counts for everybody who goes by consolidated
// metadata once this is stored, and whether those who do not still find a whole file
// until the rest is: one that was there before, with all its chunks.
func (w *writer) mayLag(j *journal.Journal) bool {
	return w.opts.Lagging && w.listing != nil && len(w.old) == 0 && !w.moved && j.Changes[0].Key == w.consolidatedKey() &&
		!slices.ContainsFunc(j.Changes, func(c journal.Change) bool { return c.Data == nil || c.Was == "" })
}

// ErrStale says that changes are committed, but that some documents do not tell of
// them yet.
var ErrStale = errors.New("the changes are committed, but not yet in all documents; the next commit or edit, or omnizarr repair, completes them")

// gather gives all that a commit changes: consolidated metadata first, which most
// readers go by, then the documents of nodes in an order in which those who read
// these find as little as possible that does not fit.
func (w *writer) gather(ctx context.Context) (*journal.Journal, error) {
	if err := w.reconsolidate(ctx); err != nil {
		return nil, err
	}
	keys := w.held.Changes()
	if at := slices.Index(keys, w.consolidatedKey()); at >= 0 && w.listing != nil {
		keys = slices.Insert(slices.Delete(keys, at, at+1), 0, w.consolidatedKey())
	}
	j := &journal.Journal{Changes: make([]journal.Change, len(keys))}
	for i, key := range keys {
		was, err := w.held.Was(ctx, key)
		if err != nil {
			return nil, err
		}
		text, err := w.held.Document(ctx, key)
		if err != nil {
			return nil, err
		}
		j.Changes[i] = journal.Change{Key: key, Data: text, Was: was}
	}
	if w.lags {
		for _, c := range w.pending.Changes[1:] {
			if !slices.Contains(keys, c.Key) {
				j.Changes = append(j.Changes, c)
			}
		}
	}
	return j, nil
}

// consolidatedKey is that of the document that has the consolidated metadata.
func (t *target) consolidatedKey() string {
	if t.layout == hdmf.V2 {
		return ".zmetadata"
	}
	return "zarr.json"
}

// decide stores the journal, behind all values that its documents tell of.
func (w *writer) decide(ctx context.Context, j *journal.Journal) error {
	base := w.held.Base()
	if w.sync {
		loose := w.held.Loose()
		if err := store.Sync(ctx, base, loose); err != nil {
			w.held.Track(loose...)
			return err
		}
	}
	text, err := j.Append(nil)
	if err != nil {
		return err
	}
	if _, err := base.Put(ctx, journal.Name, text, store.PutOptions{Flush: w.sync}); err != nil {
		// It may have been stored all the same.
		now, _, getErr := base.Get(context.WithoutCancel(ctx), journal.Name, store.All(), nil)
		switch {
		case getErr == nil && bytes.Equal(now, text):
		case getErr == nil || errors.Is(getErr, store.ErrNotExist):
			return err
		default:
			return w.fail("/", fmt.Errorf("it is not known whether this is committed: %w", errors.Join(err, getErr)))
		}
	}
	w.pending, w.lags = j, false
	for _, c := range j.Changes {
		w.held.Decided(c.Key)
	}
	w.held.Settled()
	w.touched = nil
	// What is changed from now on is for another commit.
	w.leaving, w.old, w.moved = w.old, map[string][]string{}, false
	return nil
}

// show makes the first change of a commit that is decided: that of the consolidated
// metadata. The others may lag.
func (w *writer) show(ctx context.Context) error {
	err := w.make(ctx, w.pending.Changes[:1])
	w.lags = err == nil
	return err
}

// make makes changes of a commit that is decided.
func (w *writer) make(ctx context.Context, changes []journal.Change) error {
	base := w.held.Base()
	part := &journal.Journal{Changes: changes}
	var err error
	if w.sync { // the journal before what it is for
		err = store.Sync(ctx, base, []string{journal.Name})
	}
	if err == nil {
		err = part.Do(ctx, base, w.sync, func(c *journal.Change, info store.Info) { w.held.Stored(c.Key, c.Data, info) })
	}
	if err == nil && w.sync {
		err = journal.Sync(ctx, base, part)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrStale, err)
	}
	return nil
}

// complete makes all changes of a commit that is decided that are not made yet.
func (w *writer) complete(ctx context.Context) error {
	if w.pending == nil {
		return nil
	}
	changes := w.pending.Changes
	if w.lags {
		changes = changes[1:]
	}
	if err := w.make(ctx, changes); err != nil {
		return err
	}
	maps.Copy(w.gone, w.leaving)
	base := w.held.Base()
	err := base.Delete(ctx, journal.Name)
	if err == nil && w.sync {
		err = store.Sync(ctx, base, []string{journal.Name})
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrStale, err)
	}
	w.pending, w.lags = nil, false
	return nil
}
