package write

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
)

// underway is a value that lies beside the nodes of a file while an edit is
// committed. Who finds it knows what an interruption may have left, and need not
// take for it what somebody wanted to be as it is.
const underway = ".omnizarr-edit"

// journal tells what a commit changes.
type journal struct {
	// Changed are the nodes that were there and whose documents were changed.
	Changed []string `json:"changed"`
	// Lengths are those that arrays had before they grew, by path.
	Lengths map[string]int `json:"lengths"`
	// Added are the nodes that were new; what is below one of them counts only
	// with it.
	Added []string `json:"added"`
}

// recall reads what an interrupted commit left. One that cannot be understood
// allows nothing.
func (e *Editor) recall(ctx context.Context) error {
	e.left = journal{Lengths: map[string]int{}}
	text, _, err := e.held.Base().Get(ctx, underway, store.UpTo(meta.MaxBytes), nil)
	if errors.Is(err, store.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	e.announced = true
	var j journal
	if json.Unmarshal(text, &j) != nil {
		return nil
	}
	if j.Lengths != nil {
		e.left.Lengths = j.Lengths
	}
	bad := func(node string) bool { return store.CheckKey(node) != nil }
	e.left.Added = slices.DeleteFunc(j.Added, bad)
	e.touched = slices.DeleteFunc(j.Changed, bad)
	return e.catchUp(ctx)
}

// catchUp lets the consolidated metadata tell of nodes that an interrupted commit
// had added wholly, as it does of those that were changed.
func (e *Editor) catchUp(ctx context.Context) error {
	for _, node := range e.left.Added {
		docs, err := e.documentsBelow(ctx, node)
		if err != nil {
			return err
		}
		if hasNode(docs, node) {
			for _, key := range docs {
				e.touched = append(e.touched, path.Dir(key))
			}
		}
	}
	return nil
}

// documentsBelow are the keys of the documents that are stored at a path and below
// it.
func (e *Editor) documentsBelow(ctx context.Context, node string) ([]string, error) {
	var keys []string
	for entry, err := range e.held.Base().List(ctx, node+"/", "") {
		if err != nil {
			return nil, err
		}
		if isDocument(entry.Key) {
			keys = append(keys, entry.Key)
		}
	}
	return keys, nil
}

// hasNode says whether the documents that make a path a node are among keys.
func hasNode(keys []string, node string) bool {
	return slices.ContainsFunc(keys, func(key string) bool { return path.Dir(key) == node && path.Base(key) != ".zattrs" })
}

// announce stores what a commit of documents changes, beside what an earlier one left.
func (e *Editor) announce(ctx context.Context, keys []string) error {
	j := journal{Lengths: maps.Clone(e.left.Lengths), Added: slices.Clone(e.left.Added)}
	for node, n := range e.lengths {
		if !e.held.IsNew(node) {
			j.Lengths[node] = n
		}
	}
	j.Added = append(j.Added, e.held.Added()...)
	nodes := map[string]bool{}
	for _, node := range e.touched {
		nodes[node] = true
	}
	for _, key := range keys {
		nodes[path.Dir(key)] = true
	}
	maps.DeleteFunc(nodes, func(node string, _ bool) bool { return node == "." || e.held.IsNew(node) })
	if len(keys) > 1 { // a single one is stored or not
		j.Changed = slices.Sorted(maps.Keys(nodes))
	}
	return e.putJournal(ctx, j)
}

// putJournal stores a journal, or removes it if there is nothing to tell.
func (e *Editor) putJournal(ctx context.Context, j journal) error {
	if len(j.Lengths) == 0 && len(j.Added) == 0 && len(j.Changed) == 0 {
		if !e.announced {
			return nil
		}
		err := e.held.Base().Delete(ctx, underway)
		e.announced = err != nil
		return err
	}
	text, err := json.Marshal(j)
	if err == nil {
		_, err = e.held.Base().Put(ctx, underway, text, store.PutOptions{})
	}
	e.announced = e.announced || err == nil
	return err
}

// settle forgets what was announced, and what an earlier commit left where this one
// has put things right.
func (e *Editor) settle(ctx context.Context) error {
	maps.DeleteFunc(e.left.Lengths, func(node string, _ int) bool { _, ok := e.lengths[node]; return ok })
	kept := e.left.Added[:0]
	for _, node := range e.left.Added {
		docs, err := e.documentsBelow(ctx, node)
		if err != nil {
			return err
		}
		if len(docs) > 0 && !hasNode(docs, node) {
			kept = append(kept, node)
		}
	}
	e.left.Added = kept
	e.lengths = map[string]int{}
	return e.putJournal(ctx, e.left)
}

// excess checks how many entries a list has: as many as count, or more that an
// interrupted edit left there.
func (e *Editor) excess(node string, have, count int, otherwise string) error {
	node = strings.TrimPrefix(node, "/")
	if before, known := e.left.Lengths[node]; have == count || known && have > count && before <= count {
		return nil
	}
	return errors.New(otherwise)
}

// vacate makes sure that nothing is stored where something new is to be: what an
// interruption left would become part of it.
func (e *Editor) vacate(ctx context.Context, node string) error {
	docs, err := e.documentsBelow(ctx, node)
	if err != nil {
		return err
	}
	if len(docs) > 0 && (hasNode(docs, node) || !slices.Contains(e.left.Added, node)) {
		return fmt.Errorf("%w: %s", ErrExist, strictjson.Quote(docs[0]))
	}
	return e.held.Base().Delete(ctx, node+"/")
}
