package landing

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/locate"
	"github.com/omnizarr/zarr/store"
)

// found is what lies in a folder.
type found struct {
	some   bool    // there is a value that is not of this package
	middle bool    // there is what a copy went by way of
	node   bool    // a document makes it a node
	mark   *mark   // of one that is unfinished, with no version if it cannot be read
	record *record // of one that is a copy
}

// look looks into a folder of the base.
func (l *Landing) look(ctx context.Context, at string) (f found, err error) {
	if l.base == nil {
		return f, nil
	}
	prefix := at
	if at != "" {
		prefix += "/"
	}
	for e, err := range l.base.List(store.NamesOnly(ctx), prefix, "/") {
		if errors.Is(err, store.ErrNoList) {
			break
		}
		if err != nil {
			return f, err
		}
		f.middle = f.middle || path.Base(e.Key) == zarr.Between
		if !zarr.IsOwn(path.Base(e.Key)) {
			if f.some = !e.IsPrefix || l.holds(ctx, e.Key); f.some {
				break
			}
		}
	}
	get := func(name string, limit int64) ([]byte, bool, error) {
		text, _, err := l.base.Get(ctx, path.Join(at, name), store.UpTo(limit), nil)
		if errors.Is(err, store.ErrNotExist) {
			return nil, false, nil
		}
		return text, err == nil || errors.Is(err, store.ErrTooLarge), err
	}
	_, nodes := documents()
	for _, name := range nodes {
		if _, there, err := get(name, 0); there {
			f.node, f.some = true, true
		} else if err != nil {
			return f, err
		}
	}
	if text, there, err := get(zarr.Unfinished, maxMark); there {
		f.mark = &mark{}
		if json.Unmarshal(text, f.mark) != nil {
			f.mark = &mark{}
		}
	} else if err != nil {
		return f, err
	}
	if text, there, err := get(zarr.Copied, 1<<16); there {
		f.record = &record{}
		if json.Unmarshal(text, f.record) != nil {
			f.record = &record{}
		}
	} else if err != nil {
		return f, err
	}
	return f, nil
}

// holds reports whether there are values below a prefix: an empty folder is nothing.
func (l *Landing) holds(ctx context.Context, prefix string) bool {
	for range l.base.List(store.NamesOnly(ctx), prefix, "") {
		return true
	}
	return false
}

// besides are the folders beside the place, "" if there can be none.
func (l *Landing) besides() (made, old string) {
	if _, ok := store.As[store.Mover](l.base); !ok || l.at == "" {
		return "", ""
	}
	made, old = locate.Beside(path.Base(l.at))
	return path.Join(path.Dir(l.at), made), path.Join(path.Dir(l.at), old)
}

// start decides what to do, and does it as far as the first chunk.
func (l *Landing) start(ctx context.Context) error {
	if err := l.identify(ctx); err != nil {
		return err
	}
	if l.team != nil {
		return l.join(ctx)
	}
	made, old := l.besides()
	for _, at := range []string{l.at, made} {
		if err := l.lock(at); err != nil {
			return err
		}
	}
	if err := l.recover(ctx, made, old); err != nil {
		return err
	}
	here, err := l.look(ctx, l.at)
	if err != nil {
		return err
	}
	var beside found
	if made != "" {
		if beside, err = l.look(ctx, made); err != nil {
			return err
		}
	}
	if file := l.otherFile(); file != "" {
		return fmt.Errorf("%w: the file %s, which is no archive: nothing is put into it, and it is not replaced", ErrNotEmpty, filepath.Base(file))
	}
	l.made = l.at
	if err := l.ownOnly(ctx, here); err != nil {
		return err
	}
	switch {
	case here.node && here.mark != nil && l.mark.differs(here.mark) == "":
		// All was done but to tidy up.
		l.already = true
		return l.tidy(ctx, made, old)
	case here.node && !l.copy.Overwrite:
		return l.finished(ctx, here.record)
	case here.node:
		return l.replace(ctx, made, beside)
	case here.mark != nil:
		return l.unfinished(ctx, here.mark)
	case here.some:
		if err := l.replaceable(ctx, here); err != nil {
			return err
		}
		if !l.copy.Overwrite {
			return fmt.Errorf("%w, which is no node and may be left of one; --overwrite replaces it", ErrNotEmpty)
		}
		return l.replace(ctx, made, beside)
	case beside.mark != nil:
		reason := l.mark.differs(beside.mark)
		if reason != "" && !l.copy.Overwrite {
			return fmt.Errorf("%w: %s; --overwrite begins anew", store.ErrUnfinished, reason)
		}
		return l.replace(ctx, made, beside)
	}
	return l.fresh(ctx, l.at)
}

// ownOnly makes sure that what is there is an earlier copy of the same source, as it was
// made, if nothing else may be replaced.
func (l *Landing) ownOnly(ctx context.Context, here found) error {
	if !l.copy.OwnOnly || !here.some && here.mark == nil {
		return nil
	}
	if here.mark != nil && here.mark.Version == version && here.mark.Source == l.mark.Source {
		return nil
	}
	if r := here.record; here.mark == nil && r != nil && r.Version == version && r.Source == digest(l.mark.Source) {
		now, err := listing(ctx, l.base, l.at, false)
		if err != nil || now == r.Copy {
			return err
		}
	}
	return fmt.Errorf("%w, which is no copy of %s as it was made, and is not replaced", ErrNotEmpty, l.copy.Source.URL())
}

// finished says what is to be said of a node in the place.
func (l *Landing) finished(ctx context.Context, r *record) error {
	if r == nil {
		return fmt.Errorf("%w; --overwrite replaces it", ErrNotEmpty)
	}
	reason := l.mark.record("").differs(r)
	if reason == "" {
		now, err := listing(ctx, l.base, l.at, false)
		if err != nil {
			return err
		}
		if now == r.Copy {
			l.already = true
			return nil
		}
		reason = "this copy, but it has been changed since"
	}
	return fmt.Errorf("%w, %s; --overwrite makes it anew", ErrNotEmpty, reason)
}

// unfinished goes on with a copy that was begun in its place, or begins anew.
func (l *Landing) unfinished(ctx context.Context, was *mark) error {
	reason := l.mark.differs(was)
	if reason == "" && (was.Overwrite || !l.copy.Overwrite) {
		if l.lost(was) {
			return l.anew(ctx)
		}
		return l.resume(ctx, l.at, was)
	}
	if !l.copy.Overwrite {
		return fmt.Errorf("%w: %w: %s", ErrNotEmpty, store.ErrUnfinished, reason)
	}
	return l.anew(ctx)
}

// replace makes the copy beside what it is to replace, or in its place where the
// store has no other way.
func (l *Landing) replace(ctx context.Context, made string, beside found) error {
	if err := l.free(ctx); err != nil {
		return err
	}
	if made == "" {
		return l.anew(ctx)
	}
	// A node is finished, whatever a mark beside its document says: who replaces it
	// tells old and new apart by the mark.
	if err := l.base.Delete(ctx, path.Join(l.at, zarr.Unfinished)); err != nil {
		return err
	}
	if beside.mark != nil && l.mark.differs(beside.mark) == "" && !l.lost(beside.mark) {
		return l.resume(ctx, made, beside.mark)
	}
	if err := l.base.Delete(ctx, made+"/"); err != nil {
		return err
	}
	return l.fresh(ctx, made)
}

// free makes sure that nothing is in the place but nodes.
func (l *Landing) free(ctx context.Context) error {
	return foreign(zarr.Replace(ctx, l.base, l.at, func() error { return nil }, l.copy.Open...))
}

// replaceable makes sure that what was found in the place may be replaced: nodes and
// what is left of one. Where the place itself is no node, nor was one, nodes below it
// are somebody else's.
func (l *Landing) replaceable(ctx context.Context, f found) error {
	if err := l.free(ctx); err != nil || f.node || f.mark != nil || f.record != nil {
		return err
	}
	prefix := l.at
	if prefix != "" {
		prefix += "/"
	}
	_, nodes := documents()
	for e, err := range l.base.List(ctx, prefix, "") {
		if err != nil {
			return err
		}
		if at, name := path.Split(e.Key[len(prefix):]); at != "" && slices.Contains(nodes, name) {
			return fmt.Errorf("%w: %q is a node of its own in a folder that is none, and is not removed", ErrNotEmpty, strings.TrimSuffix(at, "/"))
		}
	}
	return nil
}

// foreign says that something is in the place that is no node's.
func foreign(err error) error {
	if errors.Is(err, zarr.ErrExist) {
		return fmt.Errorf("%w: %w", ErrNotEmpty, reasonOf(err))
	}
	return err
}

func reasonOf(err error) error {
	if known, ok := errors.AsType[*zarr.Error](err); ok {
		return known.Err
	}
	return err
}

// anew removes what is in the place, but its mark: the documents of its root first,
// then all others, so that no node is there any more that lacks chunks.
func (l *Landing) anew(ctx context.Context) error {
	l.mark.Done, l.mark.Clearing = nil, true
	if err := l.begin(ctx, l.at); err != nil {
		return err
	}
	err := zarr.Replace(ctx, l.base, l.at, func() error {
		prefix := l.at
		if prefix != "" {
			prefix += "/"
		}
		all, _ := documents()
		var keys, rest []string
		for _, name := range slices.Backward(all) {
			keys = append(keys, prefix+name)
		}
		for e, err := range l.base.List(ctx, prefix, "") {
			if err != nil {
				return err
			}
			if isDocument(e.Key) {
				keys = append(keys, e.Key)
			} else if e.Key != prefix+zarr.Unfinished {
				rest = append(rest, e.Key)
			}
		}
		for _, key := range append(keys, rest...) {
			if err := l.base.Delete(ctx, key); err != nil {
				return err
			}
		}
		return nil
	}, l.copy.Open...)
	if err != nil {
		return foreign(err)
	}
	l.mark.Clearing = false
	return l.save(ctx)
}

// fresh begins a copy where nothing is.
func (l *Landing) fresh(ctx context.Context, at string) error {
	if l.base == nil {
		if err := l.open(ctx); err != nil {
			return err
		}
		at = l.at
	}
	if err := l.makeFolder(at); err != nil {
		return err
	}
	// Nobody else has begun meanwhile.
	if f, err := l.look(ctx, at); err != nil {
		return err
	} else if f.mark != nil || f.some {
		return errBusy
	} else if f.middle {
		// Somebody has removed the copy that it was of, and it may be of another.
		if err := l.base.Delete(ctx, path.Join(at, zarr.Between)+"/"); err != nil {
			return err
		}
	}
	l.begun = true
	return l.begin(ctx, at)
}

// resume goes on with a copy.
func (l *Landing) resume(ctx context.Context, at string, was *mark) error {
	l.resumed = true
	l.mark.Done, l.mark.Overwrite = was.Done, was.Overwrite
	l.mark.Boot = cmp.Or(was.Boot, l.mark.Boot)
	return l.begin(ctx, at)
}

// begin sweeps away what dead writers left, and puts the mark.
func (l *Landing) begin(ctx context.Context, at string) error {
	l.made = at
	if err := l.sweep(ctx); err != nil {
		return err
	}
	return l.save(ctx)
}

// sweep removes what dead writers left. Of one on another machine it is not known whether it
// is: it begins its value anew.
func (l *Landing) sweep(ctx context.Context) error {
	prefix := l.made
	if prefix != "" {
		prefix += "/"
	}
	for e, err := range store.Hidden(ctx, l.base, prefix) {
		if err != nil {
			return err
		}
		if e.Why == store.Temporary && e.Owner != store.OwnerAlive {
			if err := store.Sweep(ctx, l.base, e.Key); err != nil {
				return err
			}
		}
	}
	return nil
}

// open makes the folder that the place lies in, if it was not there.
func (l *Landing) open(ctx context.Context) (err error) {
	if l.where, err = zarr.Make(ctx, l.top, false, l.copy.Open...); err == nil {
		l.opened()
		l.ground.root, l.ground.at = l.root, l.at
	}
	return err
}
